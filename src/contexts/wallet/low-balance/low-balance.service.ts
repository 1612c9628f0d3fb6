import { Injectable } from '@nestjs/common';
import type { Actor } from '../../identity/identity.port.js';
import type { Kobo } from '../../../kernel/money.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { ControlsStore } from '../controls/controls.store.js';
import { assertOpen } from '../open-wallet.port.js';
import type { Wallet } from '../wallet.entity.js';
import { WalletStore } from '../wallet.store.js';
import { LowBalanceStore } from './low-balance.store.js';

/** Null: `wallet.low_balance` is not sent. */
export interface Threshold {
  readonly walletId: string;
  readonly threshold: Kobo | null;
}

@Injectable()
export class LowBalanceService {
  constructor(
    private readonly store: LowBalanceStore,
    private readonly wallets: WalletStore,
    private readonly controls: ControlsStore,
    private readonly database: Database,
  ) {}

  /** Throws `WALLET_NOT_FOUND`. */
  async get(walletId: string, accountId: string): Promise<Threshold> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    return { walletId: id, threshold: await this.store.of(id) };
  }

  /** Throws `WALLET_NOT_FOUND` and `WALLET_CLOSED`. */
  set(walletId: string, actor: Actor, threshold: Kobo | null): Promise<Threshold> {
    return this.database.transaction(async (tx) => {
      const wallet = await this.controls.lock(walletId, actor, 'wallets.change', tx);
      assertOpen(wallet);
      await this.change(wallet, actor.userId, threshold, tx);
      return { walletId: wallet.id, threshold };
    });
  }

  /** Another threshold makes a version too. */
  async change(wallet: Wallet, userId: string, after: Kobo | null, tx: Tx): Promise<Wallet> {
    const { id: walletId } = wallet;
    const before = await this.store.of(walletId, tx);
    if (before === after) return wallet;
    await this.store.set(walletId, after, tx);
    const at = await this.controls.timeOfChange([wallet], tx);
    const fields = { before: { lowBalanceThreshold: before }, after: { lowBalanceThreshold: after } };
    await this.controls.record([{ walletId, userId, action: 'updated', ...fields }], at, tx);
    return this.controls.change(wallet, {}, at, tx);
  }
}
