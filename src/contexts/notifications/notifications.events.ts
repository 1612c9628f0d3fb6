import type { Kobo } from '../../kernel/money.js';

/** The balance below which `wallet.low_balance` is sent became another one; null: it is not sent. */
export class LowBalanceThresholdChanged {
  static readonly type = 'wallet.low-balance-threshold-changed';
  readonly walletId: string;
  /** Who changed it. */
  readonly userId: string;
  readonly before: Kobo | null;
  readonly after: Kobo | null;

  constructor(payload: LowBalanceThresholdChanged) {
    Object.assign(this, payload);
  }
}
