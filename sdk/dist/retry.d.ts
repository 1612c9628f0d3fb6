/** How often and for how long a request is tried; times are in milliseconds. */
export interface RetryOptions {
    /** Tries beyond the first; 0 for none. 5 unless told. */
    readonly retriesMax?: number;
    /** How long one try may take, its answer included. 20,000 unless told. */
    readonly timeoutMs?: number;
    /** The longest pause before the second try; it doubles from try to try. 250 unless told. */
    readonly backoffMs?: number;
    /** The longest pause of all; a service that asks for more with `Retry-After` is not waited for. 15,000 unless told. */
    readonly backoffMsMax?: number;
}
/** What a test puts in the place of the world. */
interface RetryWorld {
    readonly fetch: typeof fetch;
    readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
    /** From 0 to 1. */
    readonly random: () => number;
}
/** Whether it is not known what came of a try before the one that this answers. */
export declare const isBehindDoubt: (response: Response) => boolean;
/**
 * A `fetch` that repeats what is safe to repeat: a request that changes nothing, and one with an `Idempotency-Key`,
 * which the service carries out at most once however often it is sent. The key stays the same. Between two tries it
 * pauses for a random time below a bound that doubles (so that many clients do not come back together), and as long as
 * `Retry-After` asks. The answer's body is read within the try: one that breaks off half way is tried again too.
 */
export declare function retryingFetch({ retriesMax, timeoutMs, backoffMs, backoffMsMax }: RetryOptions, { fetch, pause, random }: RetryWorld): (request: Request) => Promise<Response>;
/**
 * Does `work` with a signal that ends it after `ms`, or with `outer`. The timer holds that signal: Node forgets those of
 * `AbortSignal.any`, and of a `Request` that is not held, when it collects memory, and the work would never end.
 */
export declare function within<T>(ms: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
/** Waits; rejects with the signal's reason as soon as that is aborted. */
export declare function pause(ms: number, signal: AbortSignal): Promise<void>;
export {};
