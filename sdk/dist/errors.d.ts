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
export declare class WalletError extends Error {
    readonly status: number;
    readonly code: string;
    /** Id of the request in the service's log. */
    readonly requestId: string | undefined;
    /** Set on every error of a payment: the key to retry with. */
    readonly idempotencyKey: string | null;
    constructor({ status, code, message, requestId, idempotencyKey, cause }: ErrorFacts);
}
/** A rule blocked the payment, or a person denied it. No money moved; the attempt is on record. */
export declare class PaymentBlockedError extends WalletError {
    readonly transactionId: string;
    /** True if an earlier request with this key was blocked. The advice is current. */
    readonly replayed: boolean;
    readonly hint: string | null;
    /** Largest amount that would pass, in kobo; 0 if none. */
    readonly maxAmountNow: number | null;
    /** Earliest time at which it would pass; null if waiting alone does not help. */
    readonly earliestPassAt: Date | null;
    readonly details: Readonly<Record<string, string | number>>;
    constructor(facts: ErrorFacts, refusal: Refusal & {
        readonly transactionId: string;
    });
}
/**
 * The same was just paid or requested (`duplicateOf`). To pay it again, send that id as `confirmSecondPurchase` with
 * a new key.
 */
export declare class PossibleDuplicateError extends WalletError {
    readonly duplicateOf: string | null;
    /** True if an earlier request with this key got this answer. */
    readonly replayed: boolean;
    constructor(facts: ErrorFacts, { details, transactionId, replayed }: Refusal);
}
export declare class ValidationError extends WalletError {
    readonly fields: readonly FieldError[];
    constructor(facts: ErrorFacts, fields: readonly FieldError[]);
}
/** The key is missing, unknown, expired or revoked. */
export declare class AuthenticationError extends WalletError {
}
export declare class NotFoundError extends WalletError {
}
/**
 * The idempotency key belongs to another payment, `transactionId`. Nothing was carried out. Read that payment first:
 * a new key for the same purchase would pay twice.
 */
export declare class IdempotencyKeyReusedError extends WalletError {
    readonly transactionId: string | null;
    constructor(facts: ErrorFacts, { transactionId }: Refusal);
}
/** Rate limited, or the service or its bank is unavailable: nothing was carried out. Try again later. */
export declare class UnavailableError extends WalletError {
    readonly retryAfterSeconds: number | null;
    constructor(facts: ErrorFacts, retryAfterSeconds: number | null);
}
/**
 * No answer tells if the request was carried out. Retrying with the same idempotency key is safe, and finds out.
 */
export declare class OutcomeUnknownError extends WalletError {
}
/**
 * The caller's signal ended a payment that may have been made. Its `name` is `AbortError`, `cause` the signal's
 * reason. Retry with the same key to find out.
 */
export declare class PaymentAbortedError extends OutcomeUnknownError {
    readonly name = "AbortError";
    constructor(cause: Error, idempotencyKey: string);
}
/** No decision was seen within the timeout: the payment is probably still pending. */
export declare class ApprovalTimeoutError extends WalletError {
    readonly paymentId: string;
    constructor(paymentId: string);
}
/**
 * Error after an earlier try in doubt. A refusal for rules, body or key settles the earlier try too, as both have one
 * key; any other settles only the last.
 */
export declare function inDoubt(error: WalletError): WalletError;
export declare function errorOf(response: Response, body: unknown, idempotencyKey: string | null): WalletError;
/** Seconds from `Retry-After`, else null. */
export declare function secondsOf(headers: Headers): number | null;
export {};
