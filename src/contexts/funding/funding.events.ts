import type { Kobo } from '../../kernel/money.js';

/** Money for a wallet arrived at the bank, for the first time under this reference. */
export class TransferReceived {
  static readonly type = 'transfer.received';
  readonly walletId: string;
  readonly amount: Kobo;
  readonly reference: string;
  readonly narration: string | null;

  constructor(payload: TransferReceived) {
    Object.assign(this, payload);
  }
}

/** A wallet was credited with money that arrived: what subscribers are told (service.md, "Outbound event"). */
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
