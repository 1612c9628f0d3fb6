import { validationError } from '../../kernel/errors.js';
import { type Kobo, nairaFromKobo } from '../../kernel/money.js';
import type { BankAccount, ResolvedName } from './name-enquiry.port.js';

/** `bankCode` is a free string: providers differ. */
export interface IssuedAccount {
  readonly accountNumber: string;
  readonly accountName: string;
  readonly bankName: string;
  readonly bankCode: string;
  readonly providerRef: string;
}

export interface AccountRequest {
  /** The wallet's id; the provider repeats it with every transfer. */
  readonly accountReference: string;
  readonly accountName: string;
  readonly customer: { readonly name: string; readonly email: string };
}

/** `reference` is immutable and the provider's idempotency key. */
export interface Payout {
  readonly reference: string;
  readonly amount: Kobo;
  readonly bankCode: string;
  readonly accountNumber: string;
  readonly narration: string;
  /** For the log. */
  readonly requestId?: string | null;
  readonly traceParent?: string | null;
  /** Monotonic milliseconds: not submitted later, when another worker may have it. */
  readonly sendBefore?: number;
}

/** Check right before submitting, after every wait. */
export function isTooLate({ sendBefore = Infinity }: Pick<Payout, 'sendBefore'>): boolean {
  return performance.now() >= sendBefore;
}

export const NOT_SENT: PayoutState = { kind: 'unknown', reason: 'its lease ran out before it was sent' };

/** The bank asks for a pause, or refuses our key or address: the circuit opens. */
export interface CircuitOpen {
  /** Null: not stated. */
  readonly seconds: number | null;
  /** Waiting alone does not help. */
  readonly needsOperator: boolean;
}

/** Only an operator can mend these. */
export type OperatorCause = 'no-float' | 'invalid-request';

/**
 * `unknown` and `not-found` are no failures: keep polling. `rejected`: never taken. `failed`, `reversed`:
 * taken and given back.
 */
export type PayoutState =
  | { readonly kind: 'accepted' | 'not-found' }
  /** `amount` is what was paid, `sessionId` NIP's, where the provider says so. */
  | { readonly kind: 'succeeded'; readonly amount?: Kobo; readonly sessionId?: string }
  | {
      readonly kind: 'rejected' | 'failed' | 'reversed' | 'unknown';
      readonly reason: string;
      readonly circuitOpen?: CircuitOpen;
      readonly cause?: OperatorCause;
    };

/** Money on the provider's books. */
export interface Collection {
  readonly reference: string;
  readonly accountReference: string;
  readonly amount: Kobo;
  readonly currency: string;
  readonly narration: string | null;
  /** Arrival; null if the provider does not say (Kora does not document it). */
  readonly at: Date | null;
}

/** A row that cannot be read: it may be money. */
export interface UnreadableCollection {
  /** The provider's reference, or a stable digest of the row. */
  readonly unreadable: string;
}

/** In the specification's flat form. */
export type ReadWebhook =
  { readonly kind: 'bad-signature' } | { readonly kind: 'ok'; readonly body: unknown };

export interface Capabilities {
  readonly provider: string;
  /** Inclusive bounds of one payout, in kobo. */
  readonly minPayout: Kobo;
  readonly maxPayout: Kobo;
  /** Workers that submit side by side. */
  readonly payoutConcurrency: number;
  readonly payoutsPerBatch: number;
  /** Longest call, in milliseconds, if less than `BANK_TIMEOUT_MS`. */
  readonly callMsMax?: number;
}

/** Throws `VALIDATION_ERROR` with the bound: such a payment would be approved and then fail. */
export function assertPayable(amount: Kobo, { minPayout, maxPayout }: Capabilities): void {
  const refuse = (word: string, bound: Kobo): never => {
    const limit = `${word} ${bound} kobo (₦${nairaFromKobo(bound)})`;
    throw validationError({ field: 'amount', message: `must be ${limit}, which is what the bank pays out` });
  };
  if (amount < minPayout) refuse('at least', minPayout);
  if (amount > maxPayout) refuse('at most', maxPayout);
}

export interface BankName {
  readonly code: string;
  readonly name: string;
}

/** Payout calls never throw for I/O: what is not learned is `unknown`. */
export abstract class Bank {
  abstract readonly capabilities: Capabilities;

  /** Idempotent by `accountReference`. Throws `BANK_UNAVAILABLE`. */
  abstract issueVirtualAccount(request: AccountRequest): Promise<IssuedAccount>;

  /** Null if none. Throws `BANK_UNAVAILABLE`. */
  abstract findVirtualAccount(accountReference: string): Promise<IssuedAccount | null>;

  /** Other contexts ask `NameEnquiry`. */
  abstract resolveAccount(account: BankAccount): Promise<ResolvedName>;

  /** Throws `BANK_UNAVAILABLE`. */
  abstract listBanks(): Promise<readonly BankName[]>;

  /** Submits unless {@link isTooLate}. Repeating a `reference` never pays twice. */
  abstract startPayout(payout: Payout): Promise<PayoutState>;

  abstract getPayout(reference: string): Promise<PayoutState>;

  /** Null if none. Throws `BANK_UNAVAILABLE`. */
  abstract getCollection(reference: string): Promise<Collection | null>;

  /**
   * Those without a time may lie a day outside. Unreadable rows are yielded in place. Throws
   * `BANK_UNAVAILABLE`.
   */
  abstract listCollections(
    accountNumber: string,
    from: Date,
    to: Date,
  ): AsyncIterable<Collection | UnreadableCollection>;

  /** Verifies the received bytes. */
  abstract readWebhook(raw: Buffer, signature: string | undefined): ReadWebhook;
}
