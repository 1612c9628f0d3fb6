import { shareStream } from '../live/shared-stream.js';
import type { Told } from '../live/stream.js';
import type { Membership } from '../api/types.js';

/*
 * Reads the first screen's data while its scripts load. The event stream opens first: data read after its `ready`
 * needs no second read.
 */

/** Milliseconds that the first reads wait for the events at most. */
const STREAM_WAIT_MS = 500;
/** Milliseconds after which an answer that no screen took is too old for one. */
const KEPT_MS = 10_000;
const TOLD_MAX = 200;
const READY: Told = { type: 'ready' };
/** Messages that report no change. */
const QUIET: ReadonlySet<Told['type']> = new Set(['alive', 'live', 'up', 'down', 'refused', 'ready']);

/** Requests that Home waits for: test/browser/live fails where it sends others, as for those of a wallet below. */
const HOME = [
  '/v1/stats/total',
  '/v1/wallets/names',
  '/v1/home',
  '/v1/approvals?page=1&pageSize=20&status=pending&sort=expiresAt',
  '/v1/webhook-endpoints?page=1&pageSize=100',
  '/v1/transactions?limit=20',
  '/api/ledger?page=1&pageSize=50&expand=counterparty',
  '/v1/wallets?page=1&pageSize=10&sort=-createdAt',
];

function readsOf(path: string): string[] {
  // Reading Home is a visit.
  if (path === '/') return document.visibilityState === 'visible' ? HOME : [];
  const [, walletId] = /^\/wallets\/([0-9a-f-]{36})$/.exec(path) ?? [];
  if (!walletId) return [];
  const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const reads = [
    `/api/wallets/${walletId}`,
    `/v1/wallets/${walletId}/stats`,
    `/v1/transactions?walletId=${walletId}&limit=20`,
    `/v1/wallets/${walletId}/spend-by-day?days=56&timeZone=${zone}`,
  ];
  return window.location.search === '' ? reads : reads.slice(0, 2);
}

interface Asked {
  readonly at: number;
  readonly answer: Promise<Response>;
}

const asked = new Map<string, Asked>();

function ask(path: string): Promise<Response> {
  const answer = fetch(path, { credentials: 'same-origin', headers: { accept: 'application/json' } });
  answer.catch(() => undefined);
  asked.set(path, { at: performance.now(), answer });
  return answer;
}

/** The answer to a request that was sent already; each is given once. */
export function takeEarly({ method, url }: Request): Promise<Response> | undefined {
  // Early answers may be older than this change.
  if (method !== 'GET') asked.clear();
  const path = url.slice(window.location.origin.length);
  const early = asked.get(path);
  if (!early) return undefined;
  asked.delete(path);
  return performance.now() - early.at < KEPT_MS ? early.answer : undefined;
}

/** Changes that were heard before the app began to listen. */
interface EarlyEvents {
  readonly userId: string;
  readonly told: Told[];
  hear: (told: Told) => void;
  readonly end: () => void;
}

let early: EarlyEvents | undefined;

/** Listens to the user's events, which the page may have opened already. Answers what ends it. */
export function listen(userId: string, hear: (told: Told) => void): () => void {
  const opened = early;
  early = undefined;
  if (opened?.userId !== userId) {
    opened?.end();
    return shareStream(userId, hear);
  }
  opened.hear = hear;
  (opened.told.length < TOLD_MAX ? opened.told : [...opened.told.slice(0, 1), READY]).forEach(hear);
  return opened.end;
}

/**
 * Resolves once events are heard, or that takes too long. Calls `read` then, unless the app listens already: it reads
 * by itself.
 */
function openStream(userId: string, read: () => void): Promise<void> {
  return new Promise((proceed) => {
    const told: Told[] = [];
    let isBegun = false;
    const begin = () => {
      if (!isBegun && early === opened) read();
      isBegun = true;
      proceed();
    };
    const keep = (one: Told) => {
      // Nothing was read yet: nothing needs to be read again.
      if (told.length < TOLD_MAX) told.push(one.type === 'ready' && !isBegun ? { type: 'live' } : one);
      if (one.type === 'ready' || one.type === 'live') begin();
    };
    const tell = (one: Told) => {
      // Early answers may be older than the change.
      if (!QUIET.has(one.type)) asked.clear();
      opened.hear(one);
    };
    const opened: EarlyEvents = { userId, told, hear: keep, end: shareStream(userId, tell) };
    early = opened;
    setTimeout(begin, STREAM_WAIT_MS);
  });
}

interface SessionAnswer {
  readonly data: { readonly user: { readonly id: string }; readonly membership: Membership };
}

/** Reads the session, then the data of the screen at `path`. Resolves to false without a session. */
export async function askEarly(path: string): Promise<boolean> {
  const answer = await ask('/v1/auth/session');
  if (!answer.ok) return false;
  const { user, membership } = ((await answer.clone().json()) as SessionAnswer).data;
  if (membership.mustSetUpTwoFactor) return true;
  // Before the scripts of the screen, which would keep all six connections.
  await openStream(user.id, () => {
    for (const each of readsOf(path)) void ask(each);
  });
  return true;
}
