import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { urlProblem } from '../endpoints/endpoints.domain.js';
import { Attempt, readRetryAfter, requestHeaders } from './deliveries.domain.js';
import { type AddressGuard, RefusedAddress } from './safe-address.js';

/** How long an attempt may take in all, from the connection to the end of the answer. */
export const ATTEMPT_MS_MAX = 15_000;
const RESPONSE_BYTES_READ_MAX = 64 * 1_024;
const RESPONSE_BYTES_KEPT_MAX = 1_024;
const HEADER_BYTES_MAX = 16 * 1_024;

/** One message on its way: its body is sent byte for byte as it is signed. */
export interface Message {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** Each signs; `whsec_…`. */
  readonly secrets: readonly string[];
}

/** The headers of Standard Webhooks for a message sent at `at`: one signature for each secret. */
export function signedHeaders({ id, body, secrets }: Message, at: Date): Record<string, string> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, at, body));
  return requestHeaders(id, at, signatures.join(' '));
}

/**
 * Sends messages to strangers. An attempt ends within {@link ATTEMPT_MS_MAX} whatever the receiver does; no
 * redirect is followed, nothing is decompressed, no cookie is kept, and little of the answer is read.
 */
export class Sender {
  private readonly agent: Agent;
  private readonly underWay = new Set<AbortController>();

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

  /** Makes one attempt; never throws. */
  async send(message: Message): Promise<Attempt> {
    const at = new Date();
    const started = performance.now();
    const result = await this.exchange(message, at);
    return {
      at,
      statusCode: null,
      response: null,
      error: null,
      retryAfterSeconds: null,
      signature: null,
      ...result,
      durationMs: Math.round(performance.now() - started),
    };
  }

  private async exchange(message: Message, at: Date): Promise<Partial<Attempt>> {
    const problem = urlProblem(message.url, this.httpsOnly);
    if (problem !== null) return { error: `the URL ${problem}` };
    if (message.secrets.length === 0) {
      return { error: 'the secrets of this endpoint cannot be read: rotate its secret' };
    }
    const abort = new AbortController();
    this.underWay.add(abort);
    const deadline = setTimeout(() => abort.abort(new AttemptTimeout(this.attemptMsMax)), this.attemptMsMax);
    const headers = signedHeaders(message, at);
    const seen: { -readonly [K in keyof Attempt]?: Attempt[K] } = {
      signature: headers['webhook-signature'] ?? null,
    };
    try {
      const answer = await request(message.url, {
        dispatcher: this.agent,
        method: 'POST',
        signal: abort.signal,
        headers,
        body: message.body,
      });
      seen.statusCode = answer.statusCode;
      seen.retryAfterSeconds = readRetryAfter([answer.headers['retry-after']].flat()[0], new Date());
      return { ...seen, response: await readTruncated(answer.body) };
    } catch (error) {
      if (abort.signal.reason instanceof ShutdownAbort) {
        return { ...seen, error: 'the service stopped before the answer was complete', interrupted: true };
      }
      return { ...seen, error: reasonOf(error) };
    } finally {
      clearTimeout(deadline);
      this.underWay.delete(abort);
    }
  }

  /** Breaks off what is under way; those attempts are answered as interrupted. */
  abort(): void {
    for (const each of this.underWay) each.abort(new ShutdownAbort());
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

class ShutdownAbort extends Error {}

class AttemptTimeout extends Error {
  constructor(ms: number) {
    super(`no complete answer within ${ms / 1_000} seconds`);
  }
}

/** Reads an answer up to a bound; what it keeps can be stored as text. */
async function readTruncated(body: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = [];
  let read = 0;
  for await (const chunk of body) {
    if (read < RESPONSE_BYTES_KEPT_MAX) kept.push(chunk);
    read += chunk.length;
    if (read >= RESPONSE_BYTES_READ_MAX) break;
  }
  return Buffer.concat(kept).subarray(0, RESPONSE_BYTES_KEPT_MAX).toString('utf8').replaceAll('\0', '\ufffd');
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

/** What went wrong, in words for the endpoint's owner. */
function reasonOf(error: unknown): string {
  if (error instanceof AttemptTimeout) return error.message;
  if (error instanceof RefusedAddress) return `refused: ${error.message}`;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string') return 'the attempt failed';
  const reason = REASONS[code];
  return reason ? `${reason} (${code})` : `the attempt failed (${code})`;
}
