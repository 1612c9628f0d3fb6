import type { Kobo } from '../../../kernel/money.js';

export interface ReturnedWithdrawal {
  readonly id: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly createdAt: Date;
}

export abstract class ReturnedWithdrawals {
  /** Unrefunded, newest first. */
  abstract returned(walletIds: readonly string[]): Promise<readonly ReturnedWithdrawal[]>;
}
