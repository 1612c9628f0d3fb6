import { Webhook } from 'standardwebhooks';
import { Agent, type Dispatcher } from 'undici';
import { urlProblem } from '../../../platform/security/outbound-url.js';
import { DeliveryAttempt, readRetryAfter, requestHeaders } from './deliveries.domain.js';
import { type AddressGuard, RefusedAddress } from '../../../platform/security/safe-address.js';

/** Bound on an attempt, from connecting to the end of the response. */
export const ATTEMPT_MS_MAX = 15_000;
const RESPONSE_BYTES_READ_MAX = 64 * 1_024;
const RESPONSE_BYTES_KEPT_MAX = 1_024;
const HEADER_BYTES_MAX = 16 * 1_024;

/** Message to send. Its body is signed and sent byte for byte. */
export interface WebhookMessage {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** `whsec_…`; each adds a signature. */
  readonly secrets: readonly string[];
  /** Signed timestamp. */
  readonly at: Date;
  /** Latest time to send, by the monotonic clock. */
  readonly sendBefore?: number;
  readonly traceparent?: string | null;
}

export function signedHeaders({ id, body, secrets, at }: WebhookMessage): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, at, body));
  return requestHeaders(id, at, signatures.join(' '));
}

/**
 * Sends to untrusted servers. An attempt ends within {@link ATTEMPT_MS_MAX}, follows no redirect and reads
 * little of the response.
 */
export class Sender {
  private readonly agent: Agent;
  private readonly underWay = new Set<Exchange>();

  constructor(
    guard: AddressGuard,
    private readonly httpsOnly: boolean,
    private readonly attemptMsMax = ATTEMPT_MS_MAX,
  ) {
    this.agent = new Agent({
      connect: guard.connector(),
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: attemptMsMax,
      bodyTimeout: attemptMsMax,
    });
  }

  /** Never throws. */
  async send(message: WebhookMessage): Promise<DeliveryAttempt> {
    const started = performance.now();
    const result = await this.exchange(message);
    return {
      at: message.at,
      statusCode: null,
      response: null,
      error: null,
      retryAfterSeconds: null,
      signature: null,
      ...result,
      durationMs: Math.round(performance.now() - started),
    };
  }

  private async exchange(message: WebhookMessage): Promise<Partial<DeliveryAttempt>> {
    const problem = urlProblem(message.url, this.httpsOnly);
    if (problem !== null) return { error: `the URL ${problem}` };
    if (message.secrets.length === 0) {
      return { error: 'the secrets of this endpoint cannot be read: rotate its secret' };
    }
    const { traceparent } = message;
    const headers: Record<string, string> = {
      ...signedHeaders(message),
      ...(traceparent && { traceparent }),
    };
    const { origin, pathname, search } = new URL(message.url);
    const exchange = new Exchange(message.sendBefore);
    const deadline = setTimeout(
      () => exchange.fail(new AttemptTimeout(this.attemptMsMax)),
      this.attemptMsMax,
    );
    this.underWay.add(exchange);
    this.agent.dispatch(
      { origin, path: pathname + search, method: 'POST', headers, body: message.body },
      exchange,
    );
    const seen = await exchange.ended;
    clearTimeout(deadline);
    this.underWay.delete(exchange);
    return { signature: headers['webhook-signature'] ?? null, ...seen };
  }

  /** Aborts attempts in progress, which return as interrupted. */
  abort(): void {
    for (const each of this.underWay) each.fail(new ShutdownAbort());
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

class ShutdownAbort extends Error {
  constructor() {
    super('the service stopped before the answer was complete');
  }
}

class ClaimRanOut extends Error {
  constructor() {
    super('the claim ran out before it was sent');
  }
}

class AttemptTimeout extends Error {
  constructor(ms: number) {
    super(`no complete answer within ${ms / 1_000} seconds`);
  }
}

/**
 * Request and response; reads the body up to a bound. undici's `request` would cost a fifth of a delivery's
 * CPU.
 */
class Exchange implements Dispatcher.DispatchHandler {
  /** Never rejects. */
  readonly ended: Promise<Partial<DeliveryAttempt>>;
  private end!: (seen: Partial<DeliveryAttempt>) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private isOver = false;
  private seen: Partial<DeliveryAttempt> = {};
  private readonly kept: Buffer[] = [];
  private read = 0;

  constructor(private readonly sendBefore = Infinity) {
    this.ended = new Promise((resolve) => (this.end = resolve));
  }

  fail(reason: Error): void {
    if (this.isOver) return;
    const isInterrupted = reason instanceof ShutdownAbort || reason instanceof ClaimRanOut;
    this.finish({
      error: reasonOf(reason),
      ...(isInterrupted && { interrupted: true }),
      ...(reason instanceof ClaimRanOut && { unsent: true }),
    });
    this.controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // It ended while it waited for its connection.
    if (this.isOver) controller.abort(new ShutdownAbort());
    // Last moment: a process that was suspended must not send what another has claimed.
    else if (performance.now() >= this.sendBefore) this.fail(new ClaimRanOut());
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (statusCode < 200) return;
    const retryAfter = [headers['retry-after']].flat()[0];
    const date = [headers['date']].flat()[0];
    this.seen = { statusCode, retryAfterSeconds: readRetryAfter(retryAfter, date) };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.read < RESPONSE_BYTES_KEPT_MAX) this.kept.push(chunk.subarray(0, RESPONSE_BYTES_KEPT_MAX));
    this.read += chunk.length;
    if (this.read < RESPONSE_BYTES_READ_MAX || this.isOver) return;
    this.onResponseEnd();
    controller.abort(new Error('enough of the answer is read'));
  }

  onResponseEnd(): void {
    const text = Buffer.concat(this.kept).subarray(0, RESPONSE_BYTES_KEPT_MAX).toString('utf8');
    this.finish({ response: text.replaceAll('\0', '\ufffd') });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.finish({ error: reasonOf(error) });
  }

  private finish(rest: Partial<DeliveryAttempt>): void {
    this.isOver = true;
    this.end({ ...this.seen, ...rest });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 seconds',
  UND_ERR_HEADERS_OVERFLOW: 'the answer has more than 16 KiB of headers',
  ENOTFOUND: 'the host name has no address',
  ENODATA: 'the host name has no address',
  EAI_AGAIN: 'the host name could not be resolved',
  ETIMEOUT: 'the host name could not be resolved in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
};

/** For the endpoint's owner. */
function reasonOf(error: unknown): string {
  if ([AttemptTimeout, ShutdownAbort, ClaimRanOut].some((own) => error instanceof own))
    return (error as Error).message;
  if (error instanceof RefusedAddress) return `refused: ${error.message}`;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string') return 'the attempt failed';
  const reason = REASONS[code];
  return reason ? `${reason} (${code})` : `the attempt failed (${code})`;
}
