import type { SealedSecret } from '../endpoints/endpoints.domain.js';

/** What one attempt to deliver led to. `statusCode` null: no answer, and `error` says why. */
export interface Attempt {
  readonly at: Date;
  readonly durationMs: number;
  readonly statusCode: number | null;
  /** The beginning of the answer's body. */
  readonly response: string | null;
  readonly error: string | null;
  /** What the answer asked for by `Retry-After`. */
  readonly retryAfterSeconds: number | null;
  /** The service stopped in the middle: says nothing of the endpoint. */
  readonly interrupted?: true;
  /** Nothing was sent, since the claim had run out: another replica may be sending it. */
  readonly unsent?: true;
  /** The header webhook-signature as it was sent; null when nothing was. */
  readonly signature?: string | null;
}

const USER_AGENT = 'agent-payment-wallet-webhooks/1';

/** The headers of a request that was or is to be sent at `at`, as far as they are ours. */
export function requestHeaders(webhookId: string, at: Date, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signature,
  };
}

/** Where a delivery stands after an attempt. */
export type Verdict =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'pending'; readonly waitSeconds: number };

const RETRY_AFTER_SECONDS_MAX = 3_600;
const JITTER = 0.2;

/**
 * Where a delivery stands after `attempt`, its `tries`-th (from 1) of 1 + `schedule.length`. `random` is from 0 to 1.
 * 2xx alone is success: a redirect is a failure, and 410 ends the matter at once.
 */
export function verdictOf(
  attempt: Attempt,
  tries: number,
  schedule: readonly number[],
  random: number,
): Verdict {
  const { statusCode, error } = attempt;
  if (attempt.interrupted) return { status: 'pending', waitSeconds: 0 };
  if (statusCode !== null && statusCode >= 200 && statusCode < 300 && error === null) {
    return { status: 'succeeded' };
  }
  const reason = error ?? `answered ${statusCode ?? 'nothing'}`;
  const delay = schedule[tries - 1];
  if (isGone(attempt) || delay === undefined) return { status: 'failed', reason };
  return { status: 'pending', waitSeconds: retryDelay(delay, attempt.retryAfterSeconds, random) };
}

/** The receiver wants no more: its endpoint is to be disabled. */
export function isGone({ statusCode }: Attempt): boolean {
  return statusCode === 410;
}

/**
 * Seconds to the next attempt: the schedule's delay, 20 % more or less. A `Retry-After` that is longer is obeyed, up
 * to an hour (or twice the delay, when that is more), and never undercut.
 */
export function retryDelay(delay: number, retryAfter: number | null, random: number): number {
  const spread = delay * (1 - JITTER + 2 * JITTER * random);
  if (retryAfter === null || retryAfter <= delay) return Math.max(spread, retryAfter ?? 0);
  const asked = Math.min(retryAfter, Math.max(RETRY_AFTER_SECONDS_MAX, 2 * delay));
  return asked + delay * JITTER * random;
}

/** More seconds than any next attempt waits: {@link retryDelay} bounds what is asked for. */
const ASKED_SECONDS_MAX = 999_999_999;

/** Reads a `Retry-After` header: seconds or an HTTP date; null for anything else. */
export function readRetryAfter(header: string | undefined, date: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\s*\d+\s*$/.test(header)) return Math.min(Number(header), ASKED_SECONDS_MAX);
  // A date is one by the clock of its sender.
  const seconds = (Date.parse(header) - Date.parse(date ?? '')) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** A delivery whose next attempt is up to the replica that claimed it, and where it goes. */
export interface Claimed {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly body: string;
  /** Attempts before this one, since it was made or last resent. */
  readonly tries: number;
  readonly url: string;
  readonly secrets: readonly SealedSecret[];
  /** False: the endpoint is disabled or deleted, and takes nothing more. */
  readonly isEnabled: boolean;
  /** By the clock of the database, which also set when secrets end. */
  readonly claimedAt: Date;
}

/** An attempt that ended, to be put on record. */
export interface Finished {
  readonly deliveryId: string;
  readonly endpointId: string;
  /** The claim it was made under; also the attempt's id. */
  readonly claim: string;
  readonly attempt: Attempt;
  readonly verdict: Verdict;
}

/** An endpoint with something due, and since when the longest due of it is. */
export interface DueEndpoint {
  readonly id: string;
  readonly since: Date;
}

/** What is to be claimed of one endpoint. */
export interface Wanted {
  readonly endpointId: string;
  readonly availableSlots: number;
  /** What was due before is left for later: the index still has what was delivered long ago. */
  readonly since: Date;
}

/** The deliveries that are to be made. Any number of replicas share the queue. */
export interface DeliveryQueue {
  /**
   * The endpoints with something due that no claim of less than `leaseMs` holds, and whether there is anything of the
   * kind at all, now or later.
   */
  due(
    leaseMs: number,
  ): Promise<{ readonly endpoints: readonly DueEndpoint[]; readonly isAnyPending: boolean }>;

  /** The time by the clock that the claims go by. */
  now(): Promise<Date>;

  /** Claims up to `availableSlots` due deliveries of each endpoint for `leaseMs`: no other replica gets them meanwhile. */
  claim(wanted: readonly Wanted[], claim: string, leaseMs: number): Promise<Claimed[]>;

  /** Puts attempts on record and moves their deliveries on; answers the endpoints that have failed for too long. */
  record(finished: readonly Finished[]): Promise<string[]>;

  /** Gives up a bounded part of what is still to be sent to an endpoint, but for what other claims hold; answers how much. */
  cancelPending(endpointId: string, reason: string, claim: string): Promise<number>;

  /** Gives up all that is still to be sent to an endpoint, but for what claims hold. */
  cancelRest(endpointId: string, reason: string): Promise<void>;

  /**
   * Disables an endpoint (`url` given: while it has this URL) and gives up its deliveries, or a bounded part of them.
   * Answers whether it did.
   */
  disableEndpoint(endpointId: string, reason: string, url: string | null): Promise<boolean>;

  /** Deletes up to `max` finished deliveries whose ids are below `id`; answers how many. */
  purgeBefore(id: string, max: number): Promise<number>;
}
