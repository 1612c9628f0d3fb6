/** Times are in milliseconds. */
export interface RetryOptions {
    /** Tries beyond the first; default 5. */
    readonly retriesMax?: number;
    /** Bound on one try, its response included; default 20,000. */
    readonly timeoutMs?: number;
    /** Longest pause before the second try, doubled each time; default 250. */
    readonly backoffMs?: number;
    /** Longest pause of all; a longer `Retry-After` is not waited for. Default 15,000. */
    readonly backoffMsMax?: number;
}
/** Replaced in tests. */
interface RetryWorld {
    readonly fetch: typeof fetch;
    readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
    /** From 0 to 1. */
    readonly random: () => number;
}
/** True if an earlier try of the same request has an unknown outcome. */
export declare const followsUnknownOutcome: (response: Response) => boolean;
/**
 * Retries requests that change nothing, or have an `Idempotency-Key`, which the service carries out at most once. The
 * key stays the same. Pauses are random below a doubling bound, and at least `Retry-After`. A try includes reading
 * the body.
 */
export declare function retryingFetch({ retriesMax, timeoutMs, backoffMs, backoffMsMax }: RetryOptions, { fetch, pause, random }: RetryWorld): (request: Request) => Promise<Response>;
/**
 * Runs `work` with a signal that aborts after `ms` or with `outer`. The timer holds the signal: Node may collect one
 * of `AbortSignal.any`, or of an unreferenced `Request`, and the work would never end.
 */
export declare function within<T>(ms: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
/** Rejects with the signal's reason once aborted. */
export declare function pause(ms: number, signal: AbortSignal): Promise<void>;
export {};
