import { EventOf } from '../../kernel/event.js';

/** Needs a person; moves nothing. One case per `kind` and `subject`. */
export class CaseOpened extends EventOf<{
  readonly kind:
    | 'payout-succeeded-after-refund'
    | 'payout-undone-after-success'
    | 'payout-stuck'
    | 'payout-without-float'
    | 'payout-request-invalid'
    | 'payout-unknown-to-bank'
    | 'payout-amount-differs'
    | 'payout-under-way-after-refund'
    | 'refund-held'
    | 'bank-access-denied'
    | 'account-issued-twice'
    | 'transfer-conflict'
    | 'transfer-held'
    | 'transfer-unmatched'
    | 'transfer-unreadable'
    | 'topup-unknown-to-bank'
    | 'credit-to-closed-wallet'
    | 'hold-mismatch'
    | 'invariant-broken'
    | 'secrets-unreadable'
    | 'statement-mismatch';
  /** Reference, wallet, account number or kind of secrets; the day if none. */
  readonly subject: string;
  readonly walletId: string | null;
  readonly description: string;
  /** Reopens a closed case. */
  readonly reopens?: boolean;
}>('case.opened') {}

/** A case is new, or open again. */
export class CaseRaised extends EventOf<{
  readonly caseId: string;
  readonly kind: CaseOpened['kind'];
  readonly subject: string;
  readonly walletId: string | null;
  readonly description: string;
  /** ISO 8601. */
  readonly openedAt: string;
}>('case.raised') {}

/** The case is settled. */
export class CaseResolved extends EventOf<{
  readonly kind: CaseOpened['kind'];
  readonly subject: string;
  readonly outcome: string;
}>('case.resolved') {}
