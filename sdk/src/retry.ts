import { errorOf, OutcomeUnknownError, secondsOf } from './errors.js';

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

const AGAIN = new Set([408, 429, 500, 502, 503, 504]);
const afterUnknownOutcome = new WeakSet<Response>();
/** True if an earlier try of the same request has an unknown outcome. */
export const followsUnknownOutcome = (response: Response): boolean => afterUnknownOutcome.has(response);
/** They change nothing, so they need no key. */
const READING_POSTS = /\/(quote|resolve)$/;

/**
 * Retries requests that change nothing, or have an `Idempotency-Key`, which the service carries out at most once. The
 * key stays the same. Pauses are random below a doubling bound, and at least `Retry-After`. A try includes reading
 * the body.
 */
export function retryingFetch(
  { retriesMax = 5, timeoutMs = 20_000, backoffMs = 250, backoffMsMax = 15_000 }: RetryOptions,
  { fetch, pause, random }: RetryWorld,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const tries = isRepeatable(request) ? retriesMax : 0;
    let isInDoubt = false;
    for (let tried = 0; ; tried += 1) {
      const isLast = tried >= tries;
      let asked = 0;
      try {
        const response = await within(timeoutMs, request.signal, async (signal) =>
          readWhole(await fetch(request.clone(), { signal })),
        );
        asked = (secondsOf(response.headers) ?? 0) * 1_000;
        if (isLast || !AGAIN.has(response.status) || asked > backoffMsMax) {
          if (isInDoubt) afterUnknownOutcome.add(response);
          return response;
        }
        const body: unknown = await response.json().catch(() => null);
        isInDoubt ||= errorOf(response, body, null) instanceof OutcomeUnknownError;
      } catch (error) {
        if (isLast || request.signal.aborted) throw error;
        isInDoubt = true;
      }
      const backoff = Math.min(backoffMs * 2 ** tried, backoffMsMax) * random();
      await pause(Math.max(asked, backoff), request.signal);
    }
  };
}

function isRepeatable({ method, url, headers }: Request): boolean {
  return method === 'GET' || headers.has('idempotency-key') || READING_POSTS.test(new URL(url).pathname);
}

const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Runs `work` with a signal that aborts after `ms` or with `outer`. The timer holds the signal: Node may collect one
 * of `AbortSignal.any`, or of an unreferenced `Request`, and the work would never end.
 */
export async function within<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  const stop = (): void => inner.abort(outer.reason);
  const timer = setTimeout(
    () => inner.abort(new DOMException('It took too long.', 'TimeoutError')),
    Math.min(ms, TIMER_MS_MAX),
  );
  if (outer.aborted) stop();
  else outer.addEventListener('abort', stop);
  try {
    return await work(inner.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', stop);
  }
}

async function readWhole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}

/** Rejects with the signal's reason once aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
