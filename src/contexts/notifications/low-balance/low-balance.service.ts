import { Injectable } from '@nestjs/common';
import type { Kobo } from '../../../kernel/money.js';
import { Wallets } from '../../wallet/wallet.port.js';
import { LowBalanceStore } from './low-balance.store.js';

/** A wallet's threshold: its owner is told when a payment takes the balance below it. Null: not told. */
export interface Threshold {
  readonly walletId: string;
  readonly threshold: Kobo | null;
}

@Injectable()
export class LowBalanceService {
  constructor(
    private readonly store: LowBalanceStore,
    private readonly wallets: Wallets,
  ) {}

  /** Throws `WALLET_NOT_FOUND`. */
  async get(walletId: string, userId: string): Promise<Threshold> {
    const { id } = await this.wallets.requireOwned(walletId, userId);
    return { walletId: id, threshold: await this.store.of(id) };
  }

  /** Throws `WALLET_NOT_FOUND`. */
  async set(walletId: string, userId: string, threshold: Kobo | null): Promise<Threshold> {
    const { id } = await this.wallets.requireOwned(walletId, userId);
    await this.store.set(id, threshold);
    return { walletId: id, threshold };
  }
}
