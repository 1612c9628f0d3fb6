import type { Kobo } from '../../kernel/money.js';

/** First report of this reference. */
export class TransferReceived {
  static readonly type = 'transfer.received';
  readonly walletId: string;
  readonly amount: Kobo;
  readonly reference: string;
  readonly narration: string | null;
  /** Set if an operator gives it to the wallet. */
  readonly caseId?: string | null;

  constructor(payload: TransferReceived) {
    Object.assign(this, payload);
  }
}

export class WalletFunded {
  static readonly type = 'wallet.funded';
  readonly walletId: string;
  readonly amountCredited: Kobo;
  readonly newBalance: Kobo;
  readonly currency: 'NGN';
  readonly fundedAt: string;

  constructor(payload: WalletFunded) {
    Object.assign(this, payload);
  }
}
