import type { SealedSecret } from '../endpoints/endpoints.domain.js';

export interface DeliveryAttempt {
  readonly at: Date;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly response: string | null;
  readonly error: string | null;
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | null;
  /** The service stopped during the attempt: not a failure of the endpoint. */
  readonly interrupted?: true;
  /** Nothing was sent, since the claim had run out: another replica may be sending it. */
  readonly unsent?: true;
  /** Header webhook-signature; null if nothing was sent. */
  readonly signature?: string | null;
}

const USER_AGENT = 'agent-payment-wallet-webhooks/1';

export function requestHeaders(webhookId: string, at: Date, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signature,
  };
}

export type DeliveryVerdict =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly reason: string }
  | { readonly status: 'pending'; readonly waitSeconds: number };

const RETRY_AFTER_SECONDS_MAX = 3_600;
const JITTER = 0.2;

/**
 * State after the `tries`-th attempt (from 1) of 1 + `schedule.length`. `random` is from 0 to 1. Only 2xx
 * succeeds; 410 ends the delivery.
 */
export function verdictOf(
  attempt: DeliveryAttempt,
  tries: number,
  schedule: readonly number[],
  random: number,
): DeliveryVerdict {
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

export function isGone({ statusCode }: DeliveryAttempt): boolean {
  return statusCode === 410;
}

/**
 * Seconds to the next attempt: the delay ± 20 %. A longer `Retry-After` is obeyed, up to an hour or twice the
 * delay.
 */
export function retryDelay(delay: number, retryAfter: number | null, random: number): number {
  const spread = delay * (1 - JITTER + 2 * JITTER * random);
  if (retryAfter === null || retryAfter <= delay) return Math.max(spread, retryAfter ?? 0);
  const asked = Math.min(retryAfter, Math.max(RETRY_AFTER_SECONDS_MAX, 2 * delay));
  return asked + delay * JITTER * random;
}

/** Beyond what {@link retryDelay} allows. */
const ASKED_SECONDS_MAX = 999_999_999;

/** Seconds or HTTP date; null if neither. */
export function readRetryAfter(header: string | undefined, date: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\s*\d+\s*$/.test(header)) return Math.min(Number(header), ASKED_SECONDS_MAX);
  // By the sender's clock.
  const seconds = (Date.parse(header) - Date.parse(date ?? '')) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

export interface Claimed {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly requestId: string | null;
  readonly traceParent: string | null;
  readonly body: string;
  readonly tries: number;
  readonly url: string;
  readonly secrets: readonly SealedSecret[];
  /** False if the endpoint is disabled or deleted. */
  readonly isEnabled: boolean;
  /** By the database's clock, like the expiry of secrets. */
  readonly claimedAt: Date;
}

export interface Finished {
  readonly deliveryId: string;
  readonly endpointId: string;
  /** Claim of the attempt, and the attempt's id. */
  readonly claim: string;
  readonly attempt: DeliveryAttempt;
  readonly verdict: DeliveryVerdict;
}

export interface DueEndpoint {
  readonly id: string;
  readonly since: Date;
}

export interface Wanted {
  readonly endpointId: string;
  readonly availableSlots: number;
  /** Lower bound of the due time, to skip index entries of past deliveries. */
  readonly since: Date;
}

export interface DeliveryQueue {
  /** And whether any delivery is pending at all. */
  due(
    leaseMs: number,
  ): Promise<{ readonly endpoints: readonly DueEndpoint[]; readonly isAnyPending: boolean }>;

  /** By the clock of the claims. */
  now(): Promise<Date>;

  /** Claims up to `availableSlots` due deliveries per endpoint for `leaseMs`, exclusively. */
  claim(wanted: readonly Wanted[], claim: string, leaseMs: number): Promise<Claimed[]>;

  /** Returns endpoints that have failed for too long. */
  record(finished: readonly Finished[]): Promise<string[]>;

  /** Cancels a bounded part, except what other claims hold. Returns how many. */
  cancelPending(endpointId: string, reason: string, claim: string): Promise<number>;

  /** Except what claims hold. */
  cancelRest(endpointId: string, reason: string): Promise<void>;

  /**
   * Only while it has `url`, if given; cancels a bounded part of its deliveries. False if it was not enabled.
   */
  disableEndpoint(endpointId: string, reason: string, url: string | null): Promise<boolean>;

  /** Up to `max` finished ones. Returns how many. */
  purgeBefore(id: string, max: number): Promise<number>;
}

/** Fields of an attempt's log line. */
export function attemptLine(
  { eventId, requestId, tries }: Claimed,
  { deliveryId, endpointId, attempt, verdict }: Finished,
) {
  const { statusCode: status, durationMs, error } = attempt;
  return {
    ...(requestId !== null && { requestId }),
    ...{ deliveryId, eventId, endpointId, attempt: tries + 1, status, durationMs },
    outcome: attempt.unsent ? 'unsent' : attempt.interrupted ? 'interrupted' : verdict.status,
    ...(error !== null && { reason: error }),
  };
}
