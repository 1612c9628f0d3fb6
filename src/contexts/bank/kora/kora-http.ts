import { Agent, type Dispatcher, fetch, type Response } from 'undici';
import { currentTraceParent } from '../../../platform/observability/tracing.js';
import type { CircuitOpen } from '../bank.port.js';
import { isObject, parseExact, textOf } from './kora-json.js';

/** `answer`: Kora's whole envelope, numbers as text. `no-response`: anything else, which proves nothing. */
export type KoraReply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** By HTTP status and envelope. */
      readonly ok: boolean;
      readonly message: string;
      /** Code of a refusal (`not_authorized`), if any. */
      readonly error: string;
      readonly data: unknown;
      readonly circuitOpen?: CircuitOpen;
    }
  | { readonly kind: 'no-response'; readonly reason: string; readonly circuitOpen?: CircuitOpen };

export interface KoraHttpOptions {
  readonly secretKey: string;
  readonly baseUrl: string;
  /** One deadline for the whole call, in milliseconds. */
  readonly timeoutMs: number;
  readonly onCall?: OnCall | undefined;
}

export type OnCall = (operation: string, outcome: KoraReply['kind'], seconds: number) => void;

const BODY_BYTES_MAX = 1024 * 1024;

/** One attempt per call; never throws, retries or follows a redirect. */
export class KoraHttp {
  readonly #base: string;
  readonly #agent = new Agent();

  constructor(private readonly options: KoraHttpOptions) {
    this.#base = options.baseUrl.replace(/\/+$/, '');
  }

  get(operation: string, path: string): Promise<KoraReply> {
    return this.#timed(operation, () => this.#call('GET', path));
  }

  /** Nothing is sent after `sendBefore` (monotonic milliseconds). */
  post(operation: string, path: string, body: object, sendBefore = Infinity): Promise<KoraReply> {
    return this.#timed(operation, () => this.#call('POST', path, JSON.stringify(body), sendBefore));
  }

  async #timed(operation: string, call: () => Promise<KoraReply>): Promise<KoraReply> {
    const startedAt = performance.now();
    const reply = await call();
    this.options.onCall?.(operation, reply.kind, (performance.now() - startedAt) / 1_000);
    return reply;
  }

  async #call(method: string, path: string, body?: string, sendBefore = Infinity): Promise<KoraReply> {
    const traceparent = currentTraceParent();
    try {
      const response = await fetch(this.#base + path, {
        method,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${this.options.secretKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(traceparent && { traceparent }),
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

  /** Names only: messages may quote what was sent. */
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

/** Null for text that cannot be one path segment (`..`, a lone surrogate). */
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

function circuitOpenedBy({ status, headers }: Response): CircuitOpen | null {
  if (status === 401 || status === 403) return { seconds: null, needsOperator: true };
  if (status !== 429) return null;
  const asked = secondsIn(headers.get('retry-after') ?? '', headers.get('date') ?? '');
  const seconds = asked > 0 ? Math.min(Math.ceil(asked), PAUSE_SECONDS_MAX) : null;
  return { seconds, needsOperator: false };
}

/** Seconds of a `Retry-After`, or until its date by the sender's clock; NaN if neither. */
function secondsIn(retryAfter: string, date: string): number {
  const seconds = Number(retryAfter || NaN);
  return Number.isNaN(seconds) ? (Date.parse(retryAfter) - Date.parse(date)) / 1_000 : seconds;
}

/** Masks long numbers to their last four digits and shortens the text. */
export function mask(text: string): string {
  return text
    .replace(/\d{5,}/g, (digits) => `****${digits.slice(-4)}`)
    .slice(0, 200)
    .toWellFormed();
}
