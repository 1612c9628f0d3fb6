import { Agent, type Dispatcher, fetch, type Response } from 'undici';
import type { CircuitOpen } from '../bank.port.js';
import { isObject, parseExact, textOf } from './kora-json.js';

/**
 * What came back of one call. `answer` means that Kora's envelope was read whole; its numbers are text. `no-response`
 * is everything else (deadline, lost connection, HTML, an empty or cut body) and says nothing of what happened.
 */
export type KoraReply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** The HTTP status and the envelope both say yes. */
      readonly ok: boolean;
      readonly message: string;
      /** The machine's word for a refusal (`not_authorized`), where the envelope has one. */
      readonly error: string;
      readonly data: unknown;
      readonly circuitOpen?: CircuitOpen;
    }
  | { readonly kind: 'no-response'; readonly reason: string; readonly circuitOpen?: CircuitOpen };

export interface KoraHttpOptions {
  readonly secretKey: string;
  readonly baseUrl: string;
  /** One deadline for connecting, sending, and reading the whole answer. */
  readonly timeoutMs: number;
}

const BODY_BYTES_MAX = 1024 * 1024;

/** HTTP to Kora: one attempt per call, never repeated; never throws; follows no redirect. */
export class KoraHttp {
  readonly #base: string;
  readonly #agent = new Agent();

  constructor(private readonly options: KoraHttpOptions) {
    this.#base = options.baseUrl.replace(/\/+$/, '');
  }

  get(path: string): Promise<KoraReply> {
    return this.#call('GET', path);
  }

  /** `sendBefore`: nothing is sent after this time of the monotonic clock. */
  post(path: string, body: object, sendBefore = Infinity): Promise<KoraReply> {
    return this.#call('POST', path, JSON.stringify(body), sendBefore);
  }

  async #call(method: string, path: string, body?: string, sendBefore = Infinity): Promise<KoraReply> {
    try {
      const response = await fetch(this.#base + path, {
        method,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${this.options.secretKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body,
        redirect: 'error',
        dispatcher: sendBefore === Infinity ? this.#agent : this.#agent.compose(onlyBefore(sendBefore)),
        signal: AbortSignal.timeout(this.options.timeoutMs),
      });
      const text = await readBounded(response);
      const reply: KoraReply =
        text === null
          ? { kind: 'no-response', reason: `HTTP ${response.status} with too long a body` }
          : readEnvelope(response.status, text);
      const circuitOpen = circuitOpenedBy(response);
      return circuitOpen ? { ...reply, circuitOpen } : reply;
    } catch (error) {
      return { kind: 'no-response', reason: this.#cause(error) };
    }
  }

  /** Names of errors only: their messages may quote what was sent. */
  #cause(error: unknown): string {
    const { name, cause } = error as { name?: string; cause?: { code?: string } };
    if (cause instanceof LeaseRanOut) return cause.message;
    if (name === 'TimeoutError') return `no answer within ${this.options.timeoutMs} ms`;
    return `connection lost (${cause?.code ?? name ?? 'unknown'})`;
  }
}

class LeaseRanOut extends Error {
  constructor() {
    super('its lease ran out before it was sent');
  }
}

/** Gives up a request whose time has passed when its bytes are about to be written, however long the connection took. */
function onlyBefore(sendBefore: number): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        handler.onRequestStart?.(controller, context);
        if (performance.now() >= sendBefore) controller.abort(new LeaseRanOut());
      },
      onResponseStart: (...seen) => handler.onResponseStart?.(...seen),
      onResponseData: (...seen) => handler.onResponseData?.(...seen),
      onResponseEnd: (...seen) => handler.onResponseEnd?.(...seen),
      onResponseError: (...seen) => handler.onResponseError?.(...seen),
    });
}

/** One path segment, or null for what a URL can't carry as one (`..` would climb, a lone surrogate is no text). */
export function pathSegment(text: string): string | null {
  return text === '' || text === '.' || text === '..' || !text.isWellFormed()
    ? null
    : encodeURIComponent(text);
}

async function readBounded(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readEnvelope(status: number, text: string): KoraReply {
  const body = parseExact(text);
  if (!isObject(body) || typeof body.status !== 'boolean') {
    return { kind: 'no-response', reason: `HTTP ${status} without Kora's envelope` };
  }
  const ok = status >= 200 && status < 300 && body.status;
  const masked = (text: unknown): string => mask(textOf(text) ?? '');
  const { message, error, data } = body;
  return { kind: 'answer', status, ok, message: masked(message), error: masked(error), data };
}

const PAUSE_SECONDS_MAX = 15 * 60;

/** Whether an answer is not about the call but about the caller: too many calls, a refused key or address. */
function circuitOpenedBy({ status, headers }: Response): CircuitOpen | null {
  if (status === 401 || status === 403) return { seconds: null, needsOperator: true };
  if (status !== 429) return null;
  const asked = secondsIn(headers.get('retry-after') ?? '', headers.get('date') ?? '');
  const seconds = asked > 0 ? Math.min(Math.ceil(asked), PAUSE_SECONDS_MAX) : null;
  return { seconds, needsOperator: false };
}

/**
 * The seconds that a `Retry-After` asks for, which may also be a date: by the clock of its sender, as `date` has it. NaN
 * where it is neither.
 */
function secondsIn(retryAfter: string, date: string): number {
  const seconds = Number(retryAfter || NaN);
  return Number.isNaN(seconds) ? (Date.parse(retryAfter) - Date.parse(date)) / 1_000 : seconds;
}

/**
 * A provider's sentence, with every long number (an account, a BVN, a telephone) down to its last four, and cut short:
 * the half of a character that a cut can leave at the end is replaced.
 */
export function mask(text: string): string {
  return text
    .replace(/\d{5,}/g, (digits) => `****${digits.slice(-4)}`)
    .slice(0, 200)
    .toWellFormed();
}
