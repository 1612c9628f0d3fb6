import { errorOf, OutcomeUnknownError, secondsOf } from './errors.js';

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

const AGAIN = new Set([408, 429, 500, 502, 503, 504]);
const behindDoubt = new WeakSet<Response>();
/** Whether it is not known what came of a try before the one that this answers. */
export const isBehindDoubt = (response: Response): boolean => behindDoubt.has(response);
/** They change nothing, so that they need no key. */
const READING_POSTS = /\/(quote|resolve)$/;

/**
 * A `fetch` that repeats what is safe to repeat: a request that changes nothing, and one with an `Idempotency-Key`,
 * which the service carries out at most once however often it is sent. The key stays the same. Between two tries it
 * pauses for a random time below a bound that doubles (so that many clients do not come back together), and as long as
 * `Retry-After` asks. The answer's body is read within the try: one that breaks off half way is tried again too.
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
          if (isInDoubt) behindDoubt.add(response);
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

/** The longest time that a timer takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Does `work` with a signal that ends it after `ms`, or with `outer`. The timer holds that signal: Node forgets those of
 * `AbortSignal.any`, and of a `Request` that is not held, when it collects memory, and the work would never end.
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

/** The answer with its body in memory. */
async function readWhole(response: Response): Promise<Response> {
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers });
}

/** Waits; rejects with the signal's reason as soon as that is aborted. */
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
