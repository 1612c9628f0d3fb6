import { EventOf } from '../../kernel/event.js';
import type { Kobo } from '../../kernel/money.js';

/** First report of this reference. */
export class TransferReceived extends EventOf<{
  readonly walletId: string;
  readonly amount: Kobo;
  readonly reference: string;
  readonly narration: string | null;
  /** Set if an operator gives it to the wallet. */
  readonly caseId?: string | null;
}>('transfer.received') {}

export class WalletFunded extends EventOf<{
  readonly walletId: string;
  readonly amountCredited: Kobo;
  readonly newBalance: Kobo;
  readonly currency: 'NGN';
  readonly fundedAt: string;
}>('wallet.funded') {}
