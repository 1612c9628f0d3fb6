import { Injectable } from '@nestjs/common';
import type { Kobo } from '../../../kernel/money.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events, InTransaction } from '../../../platform/events/events.js';
import { LowBalanceThresholdChosen, WalletCreated } from '../../wallet/wallet.events.js';
import { SpendableWallets, Wallets } from '../../wallet/wallet.port.js';
import { assertOpen } from '../../wallet/open-wallet.port.js';
import { LowBalanceThresholdChanged } from '../notifications.events.js';
import { LowBalanceStore } from './low-balance.store.js';

/** Null: no notification. */
export interface Threshold {
  readonly walletId: string;
  readonly threshold: Kobo | null;
}

@Injectable()
export class LowBalanceService {
  constructor(
    private readonly store: LowBalanceStore,
    private readonly wallets: Wallets,
    private readonly spendable: SpendableWallets,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /** Throws `WALLET_NOT_FOUND`. */
  async get(walletId: string, userId: string): Promise<Threshold> {
    const { id } = await this.wallets.requireOwned(walletId, userId);
    return { walletId: id, threshold: await this.store.of(id) };
  }

  /** Throws `WALLET_NOT_FOUND` and `WALLET_CLOSED`. */
  async set(walletId: string, userId: string, threshold: Kobo | null): Promise<Threshold> {
    const { id } = await this.wallets.requireOwned(walletId, userId);
    await this.database.transaction((tx) => this.change(id, userId, threshold, tx));
    return { walletId: id, threshold };
  }

  /** The first threshold of a wallet is not a change. */
  @InTransaction(WalletCreated)
  async setFirst(wallets: readonly WalletCreated[], tx: Tx): Promise<void> {
    for (const { walletId, lowBalanceThreshold } of wallets) {
      if (lowBalanceThreshold !== null) await this.store.set(walletId, lowBalanceThreshold, tx);
    }
  }

  @InTransaction(LowBalanceThresholdChosen)
  async thresholdsChosen(events: readonly LowBalanceThresholdChosen[], tx: Tx): Promise<void> {
    for (const { walletId, userId, threshold } of events) await this.change(walletId, userId, threshold, tx);
  }

  private async change(walletId: string, userId: string, after: Kobo | null, tx: Tx): Promise<void> {
    // Locks first, so that concurrent changes see each other's result.
    assertOpen(await this.spendable.lockById(walletId, tx));
    const before = await this.store.of(walletId, tx);
    if (before === after) return;
    await this.events.publish([new LowBalanceThresholdChanged({ walletId, userId, before, after })], tx);
    await this.store.set(walletId, after, tx);
  }
}
