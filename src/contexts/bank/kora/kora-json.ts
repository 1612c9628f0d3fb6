import { storable } from '../../../kernel/text.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Exact bytes of a member's value, or null. `json` must parse. As in JSON.parse the last of equal names
 * counts.
 */
export function memberBytes(json: Buffer, name: string): Buffer | null {
  let at = skipSpace(json, 0);
  if (json[at] !== OPEN_BRACE) return null;
  let found: Buffer | null = null;
  at = skipSpace(json, at + 1);
  while (json[at] === QUOTE) {
    const keyEnd = endOfString(json, at);
    const key: unknown = JSON.parse(json.toString('utf8', at, keyEnd));
    const colon = skipSpace(json, keyEnd);
    if (json[colon] !== COLON) return null;
    const start = skipSpace(json, colon + 1);
    const end = endOfValue(json, start);
    if (key === name) found = json.subarray(start, end);
    at = skipSpace(json, end);
    if (json[at] !== COMMA) break;
    at = skipSpace(json, at + 1);
  }
  return found;
}

function skipSpace(json: Buffer, at: number): number {
  while (isSpace(json[at])) at += 1;
  return at;
}

function endOfString(json: Buffer, at: number): number {
  at += 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function endOfValue(json: Buffer, at: number): number {
  let depth = 0;
  while (at < json.length) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfString(json, at);
      if (depth === 0) return at;
      continue;
    }
    if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)))
      return at;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
    at += 1;
  }
  return at;
}

/** Printed by JSON.stringify as exactly this number, without a float. */
export function exactNumber(text: string): object {
  return (JSON as unknown as { rawJSON(text: string): object }).rawJSON(text);
}

/** Parses numbers as their source text, and texts so that they can be stored. Undefined if malformed. */
export function parseExact(text: string): unknown {
  const asText = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value === 'string') return storable(value);
    return typeof value === 'number' ? context?.source : value;
  };
  try {
    return JSON.parse(text, asText);
  } catch {
    return undefined;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null unless a non-empty string. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
