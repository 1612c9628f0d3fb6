import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

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

// --- Pace --------------------------------------------------------------------------------------------------

const WINDOW_START = 8;
const WINDOW_MIN = 2;
const WINDOW_MAX = 32;
const FAILURES_FREE = 4;
const PAUSE_MS_FIRST = 25;
const PAUSE_MS_MAX = 250;
const IDLE_MS = 10 * 60 * 1_000;

/**
 * How fast one endpoint is sent to: its window is how many attempts may be under way at once. It grows by one with
 * each success and is halved by a failure; failures in a row are followed by short pauses, so that an endpoint
 * which answers nothing costs next to nothing, and one that comes back is soon at full speed.
 */
export class Pace {
  inFlight = 0;
  private window = WINDOW_START;
  /** In a row; null before the first answer. */
  private failures: number | null = null;
  private pausedUntil = 0;
  private notedAt = 0;

  /** How many more attempts may start now (milliseconds of any steady clock). */
  room(now: number): number {
    return now < this.pausedUntil ? 0 : Math.max(0, this.window - this.inFlight);
  }

  /** At least half of the window is free: worth asking for more work. */
  get isHalfFree(): boolean {
    return this.inFlight <= this.window / 2;
  }

  /** The last attempt did not succeed, or there was none. */
  get isDoubtful(): boolean {
    return this.failures !== 0;
  }

  /** Nothing was heard for so long that what was learnt may be forgotten. */
  isIdle(now: number): boolean {
    return this.inFlight === 0 && now - this.notedAt > IDLE_MS;
  }

  note(succeeded: boolean, now: number): void {
    this.notedAt = now;
    if (succeeded) {
      this.failures = 0;
      this.pausedUntil = 0;
      this.window = Math.min(WINDOW_MAX, this.window + 1);
      return;
    }
    this.failures = (this.failures ?? 0) + 1;
    this.window = Math.max(WINDOW_MIN, Math.floor(this.window / 2));
    const excess = this.failures - FAILURES_FREE;
    if (excess > 0)
      this.pausedUntil = now + Math.min(PAUSE_MS_MAX, PAUSE_MS_FIRST * 2 ** Math.min(excess, 10));
  }
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

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts secrets for the database (AES-256-GCM), each bound to what it belongs to. */
export class SecretBox {
  private readonly key: Buffer;

  /** The key is derived from `master`, which may serve other ends as well. */
  constructor(master: string) {
    this.key = Buffer.from(hkdfSync('sha256', master, '', 'webhook endpoint secrets, v1', 32));
  }

  seal(secret: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(owner));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
  }

  /** Null when it was sealed under another key or for another owner, or was tampered with. */
  open(sealed: string, owner: string): string | null {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}
