import { randomBytes } from 'node:crypto';

/** What can be subscribed to. */
export const EVENT_NAMES = [
  'wallet.funded',
  'payment.approved',
  'payment.blocked',
  'payment.settled',
  'payment.refunded',
  'wallet.low_balance',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** The `data` of each event as subscribers get it: amounts in kobo, times in ISO 8601. */
export interface EventData {
  'wallet.funded': {
    readonly walletId: string;
    readonly amountCredited: number;
    readonly newBalance: number;
    readonly currency: 'NGN';
    readonly fundedAt: string;
  };
  'payment.approved': AttemptData & { readonly approvedAt: string };
  'payment.blocked': AttemptData & {
    readonly blockReason: string;
    readonly message: string;
    readonly blockedAt: string;
  };
  'payment.settled': {
    readonly transactionId: string;
    readonly walletId: string;
    readonly amount: number;
    readonly currency: 'NGN';
    readonly settledAt: string;
  };
  'payment.refunded': {
    readonly transactionId: string;
    readonly walletId: string;
    readonly amountRefunded: number;
    readonly newBalance: number;
    readonly currency: 'NGN';
    readonly refundedAt: string;
  };
  'wallet.low_balance': {
    readonly walletId: string;
    readonly threshold: number;
    readonly newBalance: number;
    readonly currency: 'NGN';
    readonly transactionId: string;
    readonly reachedAt: string;
  };
}

interface AttemptData {
  readonly transactionId: string;
  readonly walletId: string;
  readonly amount: number;
  readonly currency: 'NGN';
  readonly merchant: string;
  readonly merchantName: string;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
  readonly reason: string | null;
}

const EXAMPLE_ATTEMPT = {
  transactionId: '019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40',
  walletId: '019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10',
  amount: 250_000,
  currency: 'NGN',
  merchant: 'jumia',
  merchantName: 'Jumia',
  recipientAccountNo: '0123456789',
  recipientBankCode: '058',
  reason: 'Office supplies',
} as const;

/** An example of each event: shown in the documentation, and sent by the test of an endpoint. */
export const EXAMPLES: { readonly [Name in EventName]: EventData[Name] } = {
  'wallet.funded': {
    walletId: EXAMPLE_ATTEMPT.walletId,
    amountCredited: 5_000_000,
    newBalance: 7_500_000,
    currency: 'NGN',
    fundedAt: '2026-11-21T06:30:00.000Z',
  },
  'payment.approved': { ...EXAMPLE_ATTEMPT, approvedAt: '2026-11-21T06:31:00.000Z' },
  'payment.blocked': {
    ...EXAMPLE_ATTEMPT,
    blockReason: 'MERCHANT_NOT_ALLOWED',
    message: 'The merchant Jumia is not on the allowlist of this wallet.',
    blockedAt: '2026-11-21T06:31:00.000Z',
  },
  'payment.settled': {
    transactionId: EXAMPLE_ATTEMPT.transactionId,
    walletId: EXAMPLE_ATTEMPT.walletId,
    amount: EXAMPLE_ATTEMPT.amount,
    currency: 'NGN',
    settledAt: '2026-11-21T06:31:02.000Z',
  },
  'payment.refunded': {
    transactionId: EXAMPLE_ATTEMPT.transactionId,
    walletId: EXAMPLE_ATTEMPT.walletId,
    amountRefunded: EXAMPLE_ATTEMPT.amount,
    newBalance: 7_500_000,
    currency: 'NGN',
    refundedAt: '2026-11-21T06:31:05.000Z',
  },
  'wallet.low_balance': {
    walletId: EXAMPLE_ATTEMPT.walletId,
    threshold: 1_000_000,
    newBalance: 900_000,
    currency: 'NGN',
    transactionId: EXAMPLE_ATTEMPT.transactionId,
    reachedAt: '2026-11-21T06:31:00.000Z',
  },
};

/** The whole body of a delivery, as it is stored, signed and sent. */
export function bodyOf<Name extends EventName>(event: Name, data: EventData[Name]): string {
  return JSON.stringify({ event, data });
}

/** Whether a balance that falls by `amount` to `after` crosses the threshold: from at or above it to below. */
export function crosses(threshold: number, amount: number, after: number): boolean {
  return after < threshold && after + amount >= threshold;
}

// --- Addresses ---------------------------------------------------------------------------------------------

export const URL_LENGTH_MAX = 2_048;

/** Why nothing may be sent to `url`, whatever its name resolves to; null when that is all right. */
export function urlProblem(text: string, httpsOnly: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url) return 'must be an absolute URL';
  if (text.length > URL_LENGTH_MAX) return `must have at most ${URL_LENGTH_MAX} characters`;
  if (httpsOnly && url.protocol !== 'https:') return 'must begin with https://';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with http:// or https://';
  if (url.username || url.password) return 'must not hold a user name or password';
  const port = url.port === '' ? 443 : Number(url.port);
  if (port < 1_024 && port !== 80 && port !== 443) return 'must use port 80, 443, or one from 1024 up';
  return null;
}

// --- Attempts ----------------------------------------------------------------------------------------------

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
}

/** Where a delivery stands after an attempt. */
export type Verdict =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly why: string }
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
  const why = error ?? `answered ${statusCode ?? 'nothing'}`;
  const delay = schedule[tries - 1];
  if (isGone(attempt) || delay === undefined) return { status: 'failed', why };
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

/** Reads a `Retry-After` header: seconds or an HTTP date; null for anything else. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1_000);
}

// --- Secrets -----------------------------------------------------------------------------------------------

/** A signing secret as stored: encrypted, with the time from which it signs no more (ISO 8601). */
export interface SealedSecret {
  readonly sealed: string;
  readonly expiresAt: string | null;
}

export const ACTIVE_SECRETS_MAX = 5;

/** A new signing secret: 32 random bytes in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The secrets that sign at `now`, newest first. */
export function activeSecrets(secrets: readonly SealedSecret[], now: Date): SealedSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now.getTime());
}

/**
 * The secrets after a rotation to `sealed`: those before sign until `oldSignUntil`, or no longer at all when it is
 * null; one that was to end sooner still does.
 */
export function rotated(
  secrets: readonly SealedSecret[],
  sealed: string,
  oldSignUntil: Date | null,
  now: Date,
): SealedSecret[] {
  const until = oldSignUntil?.toISOString() ?? null;
  const old = until === null ? [] : activeSecrets(secrets, now);
  return [
    { sealed, expiresAt: null },
    ...old.map((secret) => ({ sealed: secret.sealed, expiresAt: secret.expiresAt ?? until })),
  ];
}

// --- The queue -----------------------------------------------------------------------------------------------

/** A delivery whose next attempt is up to whoever claimed it, and where it goes. */
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

/** The deliveries that are to be made, as whoever makes them sees them. Any number of replicas share it. */
export interface DeliveryQueue {
  /** The endpoints with something due. */
  due(): Promise<string[]>;

  /** Claims up to `availableSlots` due deliveries of each endpoint for `leaseMs`: nobody else gets them meanwhile. */
  claim(
    wanted: readonly { readonly endpointId: string; readonly availableSlots: number }[],
    claim: string,
    leaseMs: number,
  ): Promise<Claimed[]>;

  /** Puts attempts on record and moves their deliveries on; answers the endpoints that have failed for too long. */
  record(finished: readonly Finished[]): Promise<string[]>;

  /** Gives up what is still to be sent to an endpoint, but for what other claims hold. */
  cancelPending(endpointId: string, why: string, claim: string): Promise<void>;

  /** Disables an endpoint (`url` given: while it has this URL) and gives up its deliveries. Answers whether it did. */
  disableEndpoint(endpointId: string, reason: string, url: string | null): Promise<boolean>;

  /** Deletes up to `max` finished deliveries whose ids are below `id`; answers how many. */
  forgetBefore(id: string, max: number): Promise<number>;
}
