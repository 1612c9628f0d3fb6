/** One field of a request and what is wrong with it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Members of a refusal, in whichever envelope it came. */
interface Refusal {
  readonly code?: string;
  readonly message?: string;
  readonly errors?: readonly FieldError[];
  readonly transactionId?: string;
  readonly replayed?: boolean;
  readonly details?: Readonly<Record<string, string | number>>;
  readonly hint?: string | null;
  readonly maxAmountNow?: number | null;
  readonly earliestPassAt?: string | null;
}

interface ErrorFacts {
  /** 0 when no answer came. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly idempotencyKey?: string | null;
  readonly cause?: unknown;
}

/** Anything that the service refused, or that kept its answer from arriving. Programs go by `code` or the class. */
export class WalletError extends Error {
  readonly status: number;
  readonly code: string;
  /** Under which the service has the request in its log. */
  readonly requestId: string | undefined;
  /** Set on every error of a payment: the key under which it is repeated, and looked for. */
  readonly idempotencyKey: string | null;

  constructor({ status, code, message, requestId, idempotencyKey = null, cause }: ErrorFacts) {
    super(message, { cause });
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.idempotencyKey = idempotencyKey;
  }
}

/** A rule of the wallet blocked the payment, or a person denied it. No money moved; the attempt is on record. */
export class PaymentBlockedError extends WalletError {
  readonly transactionId: string;
  /** Whether an earlier request with this key was blocked: this is its answer, with advice of now. */
  readonly replayed: boolean;
  /** What would pass. */
  readonly hint: string | null;
  /** The most that would pass, in kobo; 0 when no amount passes. */
  readonly maxAmountNow: number | null;
  /** From then on it passes if nothing else happens; null when waiting alone does not help. */
  readonly earliestPassAt: Date | null;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(facts: ErrorFacts, refusal: Refusal & { readonly transactionId: string }) {
    super(facts);
    this.transactionId = refusal.transactionId;
    this.replayed = refusal.replayed === true;
    this.hint = refusal.hint ?? null;
    this.maxAmountNow = refusal.maxAmountNow ?? null;
    this.earliestPassAt = refusal.earliestPassAt ? new Date(refusal.earliestPassAt) : null;
    this.details = refusal.details ?? {};
  }
}

/** The same was paid, or requested, a moment ago (`duplicateOf`). To pay it again, send that id as `confirmSecondPurchase`, under a new key. */
export class PossibleDuplicateError extends WalletError {
  readonly duplicateOf: string | null;
  /** Whether an earlier request with this key was answered so. */
  readonly replayed: boolean;

  constructor(facts: ErrorFacts, { details, transactionId, replayed }: Refusal) {
    super(facts);
    this.replayed = replayed === true;
    this.duplicateOf = details?.['duplicateOf']?.toString() ?? transactionId ?? null;
  }
}

/** A field of the request is wrong. */
export class ValidationError extends WalletError {
  readonly fields: readonly FieldError[];

  constructor(facts: ErrorFacts, fields: readonly FieldError[]) {
    super(facts);
    this.fields = fields;
  }
}

/** The key is missing, unknown, expired or revoked. */
export class AuthenticationError extends WalletError {}

/** There is no such thing, or it is not this wallet's. */
export class NotFoundError extends WalletError {}

/**
 * The idempotency key belongs to a payment with another body, `transactionId`. Nothing was carried out. Read that one
 * before you pay: if the purchase is the same, another key would pay it a second time.
 */
export class IdempotencyKeyReusedError extends WalletError {
  readonly transactionId: string | null;

  constructor(facts: ErrorFacts, { transactionId }: Refusal) {
    super(facts);
    this.transactionId = transactionId ?? null;
  }
}

/** Too much at once, or the service or its bank is away: nothing was carried out. Try again later. */
export class UnavailableError extends WalletError {
  readonly retryAfterSeconds: number | null;

  constructor(facts: ErrorFacts, retryAfterSeconds: number | null) {
    super(facts);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Whether the request was carried out is not known: its answer never came, or the service could not say. Repeating it
 * with the same idempotency key is safe, and finds out.
 */
export class OutcomeUnknownError extends WalletError {}

/**
 * The caller's signal ended a payment that may have been made. Its `name` is `AbortError`, and `cause` the signal's
 * reason; like any unknown outcome it is found out by repeating the payment with the same key.
 */
export class PaymentAbortedError extends OutcomeUnknownError {
  override readonly name = 'AbortError';

  constructor(cause: Error, idempotencyKey: string) {
    const message = `The payment was aborted, and may have been made under the key ${idempotencyKey}.`;
    super({ status: 0, code: 'ABORTED', message, idempotencyKey, cause });
  }
}

/** No decision on the payment was seen in the time that was given to wait: as far as is known it is still pending. */
export class ApprovalTimeoutError extends WalletError {
  readonly paymentId: string;

  constructor(paymentId: string) {
    super({ status: 0, code: 'APPROVAL_TIMEOUT', message: `No decision on ${paymentId} was seen yet.` });
    this.paymentId = paymentId;
  }
}

/**
 * The error for the last answer to a payment of which an earlier try is in doubt: a refusal for its rules, its body or
 * its key says what came of that one too, as both have the same key; any other is of the last try alone.
 */
export function inDoubt(error: WalletError): WalletError {
  const tells = [PaymentBlockedError, PossibleDuplicateError, ValidationError, IdempotencyKeyReusedError];
  return tells.some((one) => error instanceof one) ? error : new OutcomeUnknownError(error);
}

/** The error for an answer that is no success. */
export function errorOf(response: Response, body: unknown, idempotencyKey: string | null): WalletError {
  const { error, ...bare } = (typeof body === 'object' && body !== null ? body : {}) as Refusal & {
    readonly error?: Refusal;
  };
  const refusal: Refusal = error ?? bare;
  const { status, headers } = response;
  const facts: ErrorFacts = {
    status,
    code: refusal.code ?? (status >= 500 ? 'INTERNAL_ERROR' : 'BAD_REQUEST'),
    message: refusal.message ?? `The service answered ${status}${movedTo(headers)}.`,
    requestId: headers.get('x-request-id') ?? undefined,
    idempotencyKey,
  };
  const { transactionId } = refusal;
  switch (facts.code) {
    case 'VALIDATION_ERROR':
      return new ValidationError(facts, refusal.errors ?? []);
    case 'POSSIBLE_DUPLICATE':
      return new PossibleDuplicateError(facts, refusal);
    case 'IDEMPOTENCY_KEY_REUSED':
      return new IdempotencyKeyReusedError(facts, refusal);
    case 'OUTCOME_UNKNOWN':
    case 'INTERNAL_ERROR':
      return new OutcomeUnknownError(facts);
  }
  if (transactionId !== undefined && (status === 402 || status === 403)) {
    return new PaymentBlockedError(facts, { ...refusal, transactionId });
  }
  if (status === 401) return new AuthenticationError(facts);
  if (status === 404) return new NotFoundError(facts);
  if (status === 429 || status === 503 || facts.code === 'REQUEST_TIMEOUT') {
    return new UnavailableError(facts, secondsOf(headers));
  }
  // Where it is not the service's own, a 408 is of a proxy that had no answer of the service in time.
  return status >= 500 || status === 408 ? new OutcomeUnknownError(facts) : new WalletError(facts);
}

function movedTo(headers: Headers): string {
  const location = headers.get('location');
  return location === null ? '' : ` and points to ${location}, which is not followed: correct baseUrl`;
}

/** What a longer wait is read as: no timer waits for more than some three weeks. */
const ASKED_SECONDS_MAX = 999_999;

/** What `Retry-After` asks for; null when it asks for nothing. */
export function secondsOf(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Math.min(Number(text), ASKED_SECONDS_MAX) : null;
}
