import { createHmac, timingSafeEqual } from 'node:crypto';
import { DecimalText } from '../../../kernel/money.js';
import type { ReadWebhook } from '../bank.port.js';
import { isObject, memberBytes } from './kora-json.js';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Reads a webhook of Kora's: checks its signature when a secret is given, then brings its body into the flat form
 * of the specification, with `data.amount` as {@link DecimalText} where it is a JSON number (a JSON string stays a
 * string). A byte order mark is skipped. Bytes that are no JSON have no signature; where none is asked for their body is undefined.
 */
export function readKoraWebhook(
  received: Buffer,
  signature: string | undefined,
  secret: string | undefined,
): ReadWebhook {
  const raw = received.indexOf(BYTE_ORDER_MARK) === 0 ? received.subarray(BYTE_ORDER_MARK.length) : received;
  if (secret !== undefined && !verifySignature(raw, signature, secret)) return { kind: 'bad-signature' };
  return { kind: 'ok', body: flatten(parseWebhook(raw)) };
}

/**
 * Whether `signature` is the hex HMAC-SHA256 under `secret` of the body's `data` alone, as Kora signs it. Two byte
 * forms of `data` are accepted: as received, and parsed and printed again (`150.00` → `150`), since the received
 * text need not be the one that was signed. The event's name and the time are not covered: readers of the body
 * must not believe an event that `data.status` contradicts.
 */
export function verifySignature(raw: Buffer, signature: string | undefined, secret: string): boolean {
  if (!signature || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  const body = parseJson(raw);
  if (!isObject(body) || body.data === undefined) return false;
  const claimed = Buffer.from(signature, 'hex');
  const matches = (data: Buffer | string) =>
    timingSafeEqual(createHmac('sha256', secret).update(data).digest(), claimed);
  const received = memberBytes(raw, 'data');
  return (received !== null && matches(received)) || matches(JSON.stringify(body.data));
}

/** Parses a webhook's bytes; `data.amount` becomes {@link DecimalText} where it is a JSON number. */
export function parseWebhook(raw: Buffer): unknown {
  const body = parseJson(raw);
  if (!isObject(body) || !isObject(body.data) || typeof body.data.amount !== 'number') return body;
  const data = memberBytes(raw, 'data');
  const amount = data && memberBytes(data, 'amount');
  return amount ? { ...body, data: { ...body.data, amount: new DecimalText(amount.toString()) } } : body;
}

/**
 * Brings Kora's nested `data.virtual_bank_account_details` into the specification's flat `payer_bank_account` and
 * `virtual_bank_account`. Fields that are flat already stay as they are, null being the same as absent; any
 * other body passes unchanged.
 */
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
