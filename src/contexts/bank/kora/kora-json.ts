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
 * The exact bytes of one member's value in a JSON object, or null where there is none. `json` must be JSON that
 * parses. Of members of the same name the last counts, as it does for JSON.parse.
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

/** What JSON.stringify prints as a JSON number of exactly this text: `1500.00`, with no float made of it. */
export function exactNumber(text: string): object {
  return (JSON as unknown as { rawJSON(text: string): object }).rawJSON(text);
}

/**
 * Parses JSON with every number as its source text, so that `1500.00` and `"1500.00"` read alike, and every text as one
 * that can be stored: what a bank says goes on record, and must not be kept from it by one character. Undefined if
 * malformed.
 */
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

/** A JSON object, nothing known of its members. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member's text when it is a string that is not empty, else null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
