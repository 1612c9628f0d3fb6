import { EventOf } from '../../kernel/event.js';
import type { Kobo } from '../../kernel/money.js';

export class SettlementSucceeded extends EventOf<{
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly at: string;
  readonly requestId?: string | null;
  readonly traceParent?: string | null;
}>('settlement.succeeded') {}

/** The payout finally failed: refund the wallet, once. */
export class SettlementFailed extends EventOf<{
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  /** ISO 8601: the period it counted in. */
  readonly approvedAt: string;
  readonly reason: string;
  readonly requestId?: string | null;
  readonly traceParent?: string | null;
}>('settlement.failed') {}

/** The bank took back a payout. {@link ReturnRefunded} refunds it. */
export class SettlementReversed extends EventOf<{
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly reason: string;
  readonly isWithdrawal: boolean;
  readonly at: string;
  readonly requestId?: string | null;
  readonly traceParent?: string | null;
}>('settlement.reversed') {}

/** Refund the wallet for a payout that was taken back, once. */
export class ReturnRefunded extends EventOf<{
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly isWithdrawal: boolean;
  /** Set if an operator refunds it. */
  readonly caseId: string | null;
  readonly requestId?: string | null;
}>('settlement.return_refunded') {}

/** A withdrawal finally failed: refund the wallet, once. */
export class WithdrawalFailed extends EventOf<{
  readonly withdrawalId: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly reason: string;
}>('withdrawal.failed') {}
