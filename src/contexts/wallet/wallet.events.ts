import type { Kobo } from '../../kernel/money.js';

/** A balance fell by an approved payment. */
export class WalletDebited {
  static readonly type = 'wallet.debited';
  readonly walletId: string;
  readonly amount: Kobo;
  readonly balanceAfter: Kobo;
  readonly transactionId: string;
  readonly at: Date;

  constructor(payload: WalletDebited) {
    Object.assign(this, payload);
  }
}

/** A balance rose: by a transfer (`transactionId` null, `reference` the transfer's), or by a refund. */
export class WalletCredited {
  static readonly type = 'wallet.credited';
  readonly walletId: string;
  readonly amount: Kobo;
  readonly balanceAfter: Kobo;
  readonly transactionId: string | null;
  readonly reference: string;
  readonly narration: string | null;
  readonly at: Date;

  constructor(payload: WalletCredited) {
    Object.assign(this, payload);
  }
}
