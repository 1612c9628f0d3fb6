import type { Kobo } from '../../kernel/money.js';

/** Money for a wallet arrived at the bank, for the first time under this reference. */
export class TransferReceived {
  static readonly type = 'transfer.received';
  constructor(
    readonly walletId: string,
    readonly amount: Kobo,
    readonly reference: string,
    readonly narration: string | null,
  ) {}
}

/** A wallet was credited with money that arrived: what subscribers are told (service.md, "Outbound event"). */
export class WalletFunded {
  static readonly type = 'wallet.funded';
  constructor(
    readonly walletId: string,
    readonly amountCredited: Kobo,
    readonly newBalance: Kobo,
    readonly currency: 'NGN',
    readonly fundedAt: string,
  ) {}
}
