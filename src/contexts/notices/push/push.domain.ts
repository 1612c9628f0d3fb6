import { createHash, ECDH } from 'node:crypto';
import type { NoticeKind } from '../notices.domain.js';
import { type Subject, wordsOf } from '../words.domain.js';

/** One more replaces the oldest. */
export const SUBSCRIPTIONS_MAX = 20;
/** Per user; the rest comes in one. */
export const PUSHES_PER_HOUR_MAX = 60;
export const RETRY_SECONDS: readonly number[] = [30, 120, 600, 1_800];
export const RETRY_AFTER_SECONDS_MAX = 3_600;

const LIVES_SECONDS_MAX = 24 * 3_600;
const TITLE_MAX = 120;
const BODY_MAX = 400;
const KEY_BYTES = 65;
const AUTH_BYTES = 16;
const CURVE = 'prime256v1';

type Urgency = 'low' | 'normal' | 'high';

export interface PushMessage {
  readonly payload: string;
  readonly ttlSeconds: number;
  readonly urgency: Urgency;
  readonly topic: string;
}

const URGENCY: Partial<Record<NoticeKind, Urgency>> = {
  'approval.requested': 'high',
  'approval.expiring': 'high',
  'payments.blocked': 'high',
  'session.started': 'high',
  'approval.decided': 'low',
  'payee.added': 'low',
};

export function messageOf(notices: readonly Subject[], now: Date, timeZone: string): PushMessage | null {
  const [first] = notices;
  if (!first) return null;
  if (notices.length > 1) return summaryOf(notices, timeZone);
  const ttlSeconds = secondsToLive(first, now);
  if (ttlSeconds <= 0) return null;
  const { title, text, path } = wordsOf(first, timeZone);
  const topic = topicOf(first);
  return {
    payload: payload({ title, body: text, path, topic }),
    ttlSeconds,
    urgency: URGENCY[first.kind] ?? 'normal',
    topic,
  };
}

function summaryOf(notices: readonly Subject[], timeZone: string): PushMessage {
  const title = `${notices.length} new notifications`;
  const body = notices.map((notice) => wordsOf(notice, timeZone).title).join('\n');
  const isUrgent = notices.some(({ kind }) => URGENCY[kind] === 'high');
  return {
    payload: payload({ title, body, path: '/notifications', topic: 'several' }),
    ttlSeconds: LIVES_SECONDS_MAX,
    urgency: isUrgent ? 'high' : 'normal',
    topic: 'several',
  };
}

function secondsToLive({ parts: { expiresAt } }: Subject, now: Date): number {
  if (expiresAt === undefined) return LIVES_SECONDS_MAX;
  return Math.min(LIVES_SECONDS_MAX, Math.floor((Date.parse(expiresAt) - now.getTime()) / 1_000));
}

/** Hashed: the push service reads it. */
function topicOf({ kind, walletId, subjectId }: Subject): string {
  const about = kind.startsWith('approval.') ? 'approval' : kind;
  const text = `${about} ${subjectId ?? walletId ?? ''}`;
  return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}

function payload({
  title,
  body,
  ...rest
}: {
  title: string;
  body: string;
  path: string;
  topic: string;
}): string {
  return JSON.stringify({ title: shortened(title, TITLE_MAX), body: shortened(body, BODY_MAX), ...rest });
}

function shortened(text: string, max: number): string {
  const points = [...text];
  return points.length <= max ? text : `${points.slice(0, max - 1).join('')}…`;
}

export function keyProblem(p256dh: string): string | null {
  const key = bytesOf(p256dh);
  try {
    if (key.length !== KEY_BYTES) throw new Error();
    ECDH.convertKey(key, CURVE);
    return null;
  } catch {
    return 'must be the p256dh key of a push subscription, in base64url';
  }
}

export function authProblem(auth: string): string | null {
  return bytesOf(auth).length === AUTH_BYTES
    ? null
    : 'must be the auth secret of a push subscription, in base64url';
}

function bytesOf(text: string): Buffer {
  return /^[\w-]+$/.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
}
