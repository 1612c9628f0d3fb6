import { Agent } from 'undici';
import webPush from 'web-push';
import { urlProblem } from '../../../platform/security/outbound-url.js';
import { type AddressGuard, RefusedAddress } from '../../../platform/security/safe-address.js';
import { type PushMessage, RETRY_AFTER_SECONDS_MAX } from './push.domain.js';

export interface PushTarget {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

export interface VapidKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** `retryAfterSeconds` null: don't. */
export type Pushed =
  | { readonly kind: 'sent' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly why: string; readonly retryAfterSeconds: number | null };

const PUSH_MS_MAX = 10_000;
const RESPONSE_BYTES_MAX = 16 * 1_024;

/** Follows no redirect. */
export class PushSender {
  private readonly agent: Agent;
  private readonly isHttpsOnly: boolean;

  constructor(
    guard: AddressGuard,
    private readonly subject: string,
  ) {
    this.isHttpsOnly = !guard.allowPrivate;
    this.agent = new Agent({
      connect: guard.connector(),
      allowH2: false,
      maxHeaderSize: RESPONSE_BYTES_MAX,
      headersTimeout: PUSH_MS_MAX,
      bodyTimeout: PUSH_MS_MAX,
    });
  }

  /** Never throws. */
  async send({ endpoint, p256dh, auth }: PushTarget, key: VapidKey, message: PushMessage): Promise<Pushed> {
    const problem = urlProblem(endpoint, this.isHttpsOnly);
    if (problem !== null) return { kind: 'failed', why: `its address ${problem}`, retryAfterSeconds: null };
    try {
      const { publicKey, privateKey } = key;
      const { headers, body } = webPush.generateRequestDetails(
        { endpoint, keys: { p256dh, auth } },
        message.payload,
        {
          vapidDetails: { subject: this.subject, publicKey, privateKey },
          TTL: message.ttlSeconds,
          urgency: message.urgency,
          topic: message.topic,
          contentEncoding: 'aes128gcm',
        },
      );
      const { origin, pathname, search } = new URL(endpoint);
      const answer = await this.agent.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value])),
        body,
        signal: AbortSignal.timeout(PUSH_MS_MAX),
      });
      await answer.body.dump({ limit: RESPONSE_BYTES_MAX }).catch(() => undefined);
      return outcomeOf(answer.statusCode, answer.headers['retry-after']);
    } catch (error) {
      const retryAfterSeconds = error instanceof RefusedAddress ? null : 0;
      return { kind: 'failed', why: (error as Error).message, retryAfterSeconds };
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

function outcomeOf(status: number, retryAfter: string | string[] | undefined): Pushed {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  const why = `its push service answered ${status}`;
  if (status < 500 && status !== 429 && status !== 408)
    return { kind: 'failed', why, retryAfterSeconds: null };
  const asked = Number([retryAfter].flat()[0]);
  const retryAfterSeconds = asked > 0 ? Math.min(asked, RETRY_AFTER_SECONDS_MAX) : 0;
  return { kind: 'failed', why, retryAfterSeconds };
}
