/**
 * Something that no rule decides, or that must not be decided without a person. Nothing is moved by it.
 * The same `kind` and `subject` open one case, however often it is found.
 */
export class CaseOpened {
  static readonly type = 'case.opened';
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
    | 'secrets-unreadable';
  /**
   * The reference of the settlement or transfer, the wallet, the account number or the kind of secrets it is about; the day
   * where it is about none.
   */
  readonly subject: string;
  readonly walletId: string | null;
  readonly description: string;
  /** A case of this kind and subject that was closed opens again, and says what was found last. */
  readonly reopens?: boolean;

  constructor(payload: CaseOpened) {
    Object.assign(this, payload);
  }
}

/** What a case was about has come right by itself. It is closed, if it is open, and says why. */
export class CaseResolved {
  static readonly type = 'case.resolved';
  readonly kind: CaseOpened['kind'];
  readonly subject: string;
  readonly outcome: string;

  constructor(payload: CaseResolved) {
    Object.assign(this, payload);
  }
}
