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
export declare class WalletError extends Error {
    readonly status: number;
    readonly code: string;
    /** Under which the service has the request in its log. */
    readonly requestId: string | undefined;
    /** Set on every error of a payment: the key under which it is repeated, and looked for. */
    readonly idempotencyKey: string | null;
    constructor({ status, code, message, requestId, idempotencyKey, cause }: ErrorFacts);
}
/** A rule of the wallet blocked the payment, or a person denied it. No money moved; the attempt is on record. */
export declare class PaymentBlockedError extends WalletError {
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
    constructor(facts: ErrorFacts, refusal: Refusal & {
        readonly transactionId: string;
    });
}
/** The same was paid, or requested, a moment ago (`duplicateOf`). To pay it again, send that id as `confirmSecondPurchase`, under a new key. */
export declare class PossibleDuplicateError extends WalletError {
    readonly duplicateOf: string | null;
    /** Whether an earlier request with this key was answered so. */
    readonly replayed: boolean;
    constructor(facts: ErrorFacts, { details, transactionId, replayed }: Refusal);
}
/** A field of the request is wrong. */
export declare class ValidationError extends WalletError {
    readonly fields: readonly FieldError[];
    constructor(facts: ErrorFacts, fields: readonly FieldError[]);
}
/** The key is missing, unknown, expired or revoked. */
export declare class AuthenticationError extends WalletError {
}
/** There is no such thing, or it is not this wallet's. */
export declare class NotFoundError extends WalletError {
}
/**
 * The idempotency key belongs to a payment with another body, `transactionId`. Nothing was carried out. Read that one
 * before you pay: if the purchase is the same, another key would pay it a second time.
 */
export declare class IdempotencyKeyReusedError extends WalletError {
    readonly transactionId: string | null;
    constructor(facts: ErrorFacts, { transactionId }: Refusal);
}
/** Too much at once, or the service or its bank is away: nothing was carried out. Try again later. */
export declare class UnavailableError extends WalletError {
    readonly retryAfterSeconds: number | null;
    constructor(facts: ErrorFacts, retryAfterSeconds: number | null);
}
/**
 * Whether the request was carried out is not known: its answer never came, or the service could not say. Repeating it
 * with the same idempotency key is safe, and finds out.
 */
export declare class OutcomeUnknownError extends WalletError {
}
/**
 * The caller's signal ended a payment that may have been made. Its `name` is `AbortError`, and `cause` the signal's
 * reason; like any unknown outcome it is found out by repeating the payment with the same key.
 */
export declare class PaymentAbortedError extends OutcomeUnknownError {
    readonly name = "AbortError";
    constructor(cause: Error, idempotencyKey: string);
}
/** No decision on the payment was seen in the time that was given to wait: as far as is known it is still pending. */
export declare class ApprovalTimeoutError extends WalletError {
    readonly paymentId: string;
    constructor(paymentId: string);
}
/**
 * The error for the last answer to a payment of which an earlier try is in doubt: a refusal for its rules, its body or
 * its key says what came of that one too, as both have the same key; any other is of the last try alone.
 */
export declare function inDoubt(error: WalletError): WalletError;
/** The error for an answer that is no success. */
export declare function errorOf(response: Response, body: unknown, idempotencyKey: string | null): WalletError;
/** What `Retry-After` asks for; null when it asks for nothing. */
export declare function secondsOf(headers: Headers): number | null;
export {};
