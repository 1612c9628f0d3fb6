import { createHmac, timingSafeEqual } from 'node:crypto';
import { DecimalText } from '../../../kernel/money.js';
import type { ReadWebhook } from '../bank.port.js';
import { isObject, memberBytes } from './kora-json.js';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Verifies the signature by any of `secrets`, if given, then flattens the body. Without secrets, undefined
 * for a body that is no JSON.
 */
export function readKoraWebhook(
  received: Buffer,
  signature: string | undefined,
  secrets: readonly string[],
): ReadWebhook {
  const raw = received.indexOf(BYTE_ORDER_MARK) === 0 ? received.subarray(BYTE_ORDER_MARK.length) : received;
  if (secrets.length > 0 && !verifySignature(raw, signature, secrets)) return { kind: 'bad-signature' };
  return { kind: 'ok', body: flatten(parseWebhook(raw)) };
}

/**
 * Hex HMAC-SHA256 of `data` alone, as received or printed again. The event's name is unsigned: `data.status`
 * may contradict it.
 */
export function verifySignature(
  raw: Buffer,
  signature: string | undefined,
  secrets: readonly string[],
): boolean {
  if (!signature || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  const body = parseJson(raw);
  if (!isObject(body) || body.data === undefined) return false;
  const claimed = Buffer.from(signature, 'hex');
  const matches = (data: Buffer | string) =>
    secrets.some((secret) => timingSafeEqual(createHmac('sha256', secret).update(data).digest(), claimed));
  const received = memberBytes(raw, 'data');
  return (received !== null && matches(received)) || matches(JSON.stringify(body.data));
}

/** `data.amount` becomes {@link DecimalText} if it is a JSON number. */
export function parseWebhook(raw: Buffer): unknown {
  const body = parseJson(raw);
  if (!isObject(body) || !isObject(body.data) || typeof body.data.amount !== 'number') return body;
  const data = memberBytes(raw, 'data');
  const amount = data && memberBytes(data, 'amount');
  return amount ? { ...body, data: { ...body.data, amount: new DecimalText(amount.toString()) } } : body;
}

/** Flattens `data.virtual_bank_account_details`. Flat fields stay; null counts as absent. */
export function flatten(body: unknown): unknown {
  if (!isObject(body) || !isObject(body.data) || !isObject(body.data.virtual_bank_account_details))
    return body;
  const { virtual_bank_account_details: nested, ...data } = body.data;
  const flat = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
  return { ...body, data: { ...nested, ...flat } };
}

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
