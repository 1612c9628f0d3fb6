export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** From either envelope. */
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
  /** 0 if no answer came. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly idempotencyKey?: string | null;
  readonly cause?: unknown;
}

/** Refusal by the service, or a missing answer. Go by `code` or the class. */
export class WalletError extends Error {
  readonly status: number;
  readonly code: string;
  /** Id of the request in the service's log. */
  readonly requestId: string | undefined;
  /** Set on every error of a payment: the key to retry with. */
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

/** A rule blocked the payment, or a person denied it. No money moved; the attempt is on record. */
export class PaymentBlockedError extends WalletError {
  readonly transactionId: string;
  /** True if an earlier request with this key was blocked. The advice is current. */
  readonly replayed: boolean;
  readonly hint: string | null;
  /** Largest amount that would pass, in kobo; 0 if none. */
  readonly maxAmountNow: number | null;
  /** Earliest time at which it would pass; null if waiting alone does not help. */
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

/**
 * The same was just paid or requested (`duplicateOf`). To pay it again, send that id as `confirmSecondPurchase` with
 * a new key.
 */
export class PossibleDuplicateError extends WalletError {
  readonly duplicateOf: string | null;
  /** True if an earlier request with this key got this answer. */
  readonly replayed: boolean;

  constructor(facts: ErrorFacts, { details, transactionId, replayed }: Refusal) {
    super(facts);
    this.replayed = replayed === true;
    this.duplicateOf = details?.['duplicateOf']?.toString() ?? transactionId ?? null;
  }
}

export class ValidationError extends WalletError {
  readonly fields: readonly FieldError[];

  constructor(facts: ErrorFacts, fields: readonly FieldError[]) {
    super(facts);
    this.fields = fields;
  }
}

/** The key is missing, unknown, expired or revoked. */
export class AuthenticationError extends WalletError {}

export class NotFoundError extends WalletError {}

/**
 * The idempotency key belongs to another payment, `transactionId`. Nothing was carried out. Read that payment first:
 * a new key for the same purchase would pay twice.
 */
export class IdempotencyKeyReusedError extends WalletError {
  readonly transactionId: string | null;

  constructor(facts: ErrorFacts, { transactionId }: Refusal) {
    super(facts);
    this.transactionId = transactionId ?? null;
  }
}

/** Rate limited, or the service or its bank is unavailable: nothing was carried out. Try again later. */
export class UnavailableError extends WalletError {
  readonly retryAfterSeconds: number | null;

  constructor(facts: ErrorFacts, retryAfterSeconds: number | null) {
    super(facts);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * No answer tells if the request was carried out. Retrying with the same idempotency key is safe, and finds out.
 */
export class OutcomeUnknownError extends WalletError {}

/**
 * The caller's signal ended a payment that may have been made. Its `name` is `AbortError`, `cause` the signal's
 * reason. Retry with the same key to find out.
 */
export class PaymentAbortedError extends OutcomeUnknownError {
  override readonly name = 'AbortError';

  constructor(cause: Error, idempotencyKey: string) {
    const message = `The payment was aborted, and may have been made under the key ${idempotencyKey}.`;
    super({ status: 0, code: 'ABORTED', message, idempotencyKey, cause });
  }
}

/** No decision was seen within the timeout: the payment is probably still pending. */
export class ApprovalTimeoutError extends WalletError {
  readonly paymentId: string;

  constructor(paymentId: string) {
    super({ status: 0, code: 'APPROVAL_TIMEOUT', message: `No decision on ${paymentId} was seen yet.` });
    this.paymentId = paymentId;
  }
}

/**
 * Error after an earlier try in doubt. A refusal for rules, body or key settles the earlier try too, as both have one
 * key; any other settles only the last.
 */
export function inDoubt(error: WalletError): WalletError {
  const tells = [PaymentBlockedError, PossibleDuplicateError, ValidationError, IdempotencyKeyReusedError];
  return tells.some((one) => error instanceof one) ? error : new OutcomeUnknownError(error);
}

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
  // A 408 that is not the service's own comes from a proxy.
  return status >= 500 || status === 408 ? new OutcomeUnknownError(facts) : new WalletError(facts);
}

function movedTo(headers: Headers): string {
  const location = headers.get('location');
  return location === null ? '' : ` and points to ${location}, which is not followed: correct baseUrl`;
}

/** Cap, since timers hold about three weeks. */
const ASKED_SECONDS_MAX = 999_999;

/** Seconds from `Retry-After`, else null. */
export function secondsOf(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Math.min(Number(text), ASKED_SECONDS_MAX) : null;
}
