import { AppError, validationError } from '../../kernel/errors.js';
import type { Kobo } from '../../kernel/money.js';

/** A bank account that money for one wallet can be sent to. `bankCode` is a free string: providers differ. */
export interface IssuedAccount {
  readonly accountNumber: string;
  readonly accountName: string;
  readonly bankName: string;
  readonly bankCode: string;
  /** The provider's own reference of the account. */
  readonly providerRef: string;
}

/** What the provider is told when it issues an account. */
export interface AccountRequest {
  /** The wallet's id: the provider gives it back with every transfer that reaches the account. */
  readonly accountReference: string;
  readonly accountName: string;
  readonly customer: { readonly name: string; readonly email: string };
}

/** Money that is to leave. `reference` is minted once and never changes; it is the provider's idempotency key. */
export interface Payout {
  readonly reference: string;
  readonly amount: Kobo;
  readonly bankCode: string;
  readonly accountNumber: string;
  readonly narration: string;
  /** It is not submitted after this time of the monotonic clock, in milliseconds: another worker may have it then. */
  readonly sendBefore?: number;
}

/** Whether a payout is not to be submitted any more. To be asked right before it is, behind everything that waits. */
export function isTooLate({ sendBefore = Infinity }: Pick<Payout, 'sendBefore'>): boolean {
  return performance.now() >= sendBefore;
}

/** What is known of a payout that was not submitted for that reason. */
export const NOT_SENT: PayoutState = { kind: 'unknown', reason: 'its lease ran out before it was sent' };

/** The bank accepts no calls for now: it asks for a pause, or refuses our key or address. The bank circuit opens. */
export interface CircuitOpen {
  /** How long it asks to be left alone; null where it does not say. */
  readonly seconds: number | null;
  /** Waiting alone won't help: a person must see to it. */
  readonly needsOperator: boolean;
}

/**
 * What is known of a payout. `unknown` and `not-found` are no failures: the payer must go on asking.
 * `rejected` means that the provider never took it; `failed` and `reversed` that it took it and gave it back.
 */
export type PayoutState =
  | { readonly kind: 'accepted' | 'not-found' }
  /** `amount` is what was paid, where the provider says so. */
  | { readonly kind: 'succeeded'; readonly amount?: Kobo }
  | {
      readonly kind: 'rejected' | 'failed' | 'reversed' | 'unknown';
      readonly reason: string;
      readonly circuitOpen?: CircuitOpen;
    };

/** Money that reached a virtual account, as the provider has it on its books. */
export interface Collection {
  readonly reference: string;
  readonly accountReference: string;
  readonly amount: Kobo;
  readonly currency: string;
  readonly narration: string | null;
  /** When it arrived, where the provider says so: Kora's documented replies do not. */
  readonly at: Date | null;
}

/** A row of a list of collections that can't be read: money may have arrived with it. */
export interface UnreadableCollection {
  /** The provider's reference, or a text that is the same whenever the row is read. */
  readonly unreadable: string;
}

/** The result of a name enquiry. `unknown`: the provider did not answer, ask again. */
export type ResolvedName =
  | { readonly kind: 'resolved'; readonly accountName: string }
  | { readonly kind: 'not-resolved' }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * The name that the bank gave for an account. Throws `ACCOUNT_NOT_FOUND` where it knows none, and `BANK_UNAVAILABLE`
 * where it did not answer.
 */
export function accountNameOf(resolved: ResolvedName): string {
  if (resolved.kind === 'resolved') return resolved.accountName;
  if (resolved.kind === 'not-resolved') {
    throw new AppError('ACCOUNT_NOT_FOUND', 'The bank knows no such account.');
  }
  throw new AppError('BANK_UNAVAILABLE', 'The bank did not answer. Try again shortly.', {
    retryAfterSeconds: 5,
  });
}

/** A provider's webhook, read: not signed as it must be, or its JSON in the flat form of the specification. */
export type ReadWebhook =
  { readonly kind: 'bad-signature' } | { readonly kind: 'ok'; readonly body: unknown };

/** What a provider can do, and within which bounds. */
export interface Capabilities {
  readonly provider: string;
  /** The least and the most of one payout, both included. */
  readonly minPayout: Kobo;
  readonly maxPayout: Kobo;
  /** Workers that submit payouts side by side; a slow payout holds up only its own worker. */
  readonly payoutConcurrency: number;
  /** Payouts that one worker submits together. */
  readonly payoutsPerBatch: number;
}

/**
 * Throws `VALIDATION_ERROR` for an amount that the bank would not pay out, naming the bound: decided on its own,
 * such a payment would be approved and then fail.
 */
export function assertPayable(amount: Kobo, { provider, minPayout, maxPayout }: Capabilities): void {
  const within = (bound: string) => `must be ${bound} kobo, which is what the bank (${provider}) pays out`;
  if (amount < minPayout)
    throw validationError({ field: 'amount', message: within(`at least ${minPayout}`) });
  if (amount > maxPayout) throw validationError({ field: 'amount', message: within(`at most ${maxPayout}`) });
}

/** A bank as payers name it. */
export interface BankName {
  readonly code: string;
  readonly name: string;
}

/**
 * The provider that holds the money: virtual accounts in, payouts out. One adapter is chosen at start.
 * Payout calls never throw for I/O; what could not be learned is `unknown`.
 */
export abstract class Bank {
  abstract readonly capabilities: Capabilities;

  /** Issues the account of a wallet; idempotent by `accountReference`. Throws the refusal `BANK_UNAVAILABLE`. */
  abstract issueVirtualAccount(request: AccountRequest): Promise<IssuedAccount>;

  /** The account issued under `accountReference`, or null. Throws the refusal `BANK_UNAVAILABLE`. */
  abstract findVirtualAccount(accountReference: string): Promise<IssuedAccount | null>;

  /** The name the bank has for an account. */
  abstract resolveAccount(account: { bankCode: string; accountNumber: string }): Promise<ResolvedName>;

  /** The banks that can be paid to. Throws the refusal `BANK_UNAVAILABLE`. */
  abstract listBanks(): Promise<readonly BankName[]>;

  /** Submits a payout, unless {@link isTooLate}. Calling it again with the same `reference` never pays twice. */
  abstract startPayout(payout: Payout): Promise<PayoutState>;

  /** What the provider says of a payout now. */
  abstract getPayout(reference: string): Promise<PayoutState>;

  /** One collection by the provider's reference, or null. Throws the refusal `BANK_UNAVAILABLE`. */
  abstract getCollection(reference: string): Promise<Collection | null>;

  /**
   * The collections of one account from `from` up to `to`; one that has no time may lie a day outside. A row that can't
   * be read is told of, and those behind it are listed. Throws the refusal `BANK_UNAVAILABLE`.
   */
  abstract listCollections(
    accountNumber: string,
    from: Date,
    to: Date,
  ): AsyncIterable<Collection | UnreadableCollection>;

  /** Checks the signature of a webhook's received bytes and brings its body into the specification's flat form. */
  abstract readWebhook(raw: Buffer, signature: string | undefined): ReadWebhook;
}
