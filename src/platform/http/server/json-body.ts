import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, validationError } from '../../../kernel/errors.js';

export const JSON_DEPTH_MAX = 32;
/** The most members (`"name": value`) that the objects of one body may have in all. */
export const JSON_MEMBERS_MAX = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's bytes as received, without a byte order mark: what a signature was made over. */
    rawBody?: Buffer;
  }
}

/**
 * JSON in UTF-8 is the only body that is read. Its nesting and the number of its members are bounded before it is
 * parsed, so that no body costs more than its bytes do.
 */
export function readJsonOnly(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (!isPlainUtf8(request)) {
      done(new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send plain JSON in UTF-8, not compressed.'));
      return;
    }
    request.rawBody = hasByteOrderMark(body) ? body.subarray(3) : body;
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    let text: string;
    try {
      text = utf8.decode(body);
    } catch {
      done(bodyError('is not valid UTF-8'));
      return;
    }
    const { depth, members, hasFractions } = scanJson(text);
    if (depth > JSON_DEPTH_MAX) {
      done(bodyError(`is nested more than ${JSON_DEPTH_MAX} levels deep`));
      return;
    }
    if (members > JSON_MEMBERS_MAX) {
      done(bodyError(`has more than ${JSON_MEMBERS_MAX} members`));
      return;
    }
    void parse(request, text, (error, value: unknown) => {
      if (error) done(bodyError('malformed JSON'));
      else done(null, hasFractions ? JSON.parse(text, withoutRounding) : value);
    });
  });
  // Of any other type: without a byte it is no body (a chunked one says its length only by its end), else it is refused.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body: Buffer, done) => {
    if (body.length === 0) done(null, undefined);
    else done(notJson());
  });
}

/** A body that is no JSON. */
export function notJson(): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON: Content-Type: application/json, in UTF-8.');
}

/**
 * Forgets the media type of a request that has no body: axios sends each such POST as an empty form, and that there is
 * nothing to read is no reason to refuse it. A route that needs a body says so itself.
 */
export function dropTypeOfEmptyBody({ headers }: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  const isEmpty = (length === undefined || length === '0') && encoding === undefined;
  if (isEmpty && headers['content-type'] !== undefined) headers['content-type'] = undefined;
}

function bodyError(message: string): AppError {
  return validationError({ field: 'body', message });
}

function isPlainUtf8({ headers }: FastifyRequest): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding } = headers;
  const charset = type === 'application/json' ? null : /charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1];
  return (!charset || /^utf-?8$/i.test(charset)) && (!encoding || encoding === 'identity');
}

function hasByteOrderMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

export interface JsonScan {
  /** The deepest nesting. */
  readonly depth: number;
  /** The members of all objects together. */
  readonly members: number;
  /** A number is written with a fraction or an exponent. */
  readonly hasFractions: boolean;
}

/** What a JSON text will cost, counted before it is parsed; stops where a bound is passed. */
export function scanJson(text: string): JsonScan {
  let open = 0;
  let depth = 0;
  let members = 0;
  let hasFractions = false;
  let inString = false;
  for (let i = 0; i < text.length && depth <= JSON_DEPTH_MAX && members <= JSON_MEMBERS_MAX; i += 1) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i += 1;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) depth = Math.max(depth, (open += 1));
    else if (char === 0x7d || char === 0x5d) open -= 1;
    else if (char === 0x3a) members += 1;
    // `.`, and `e` or `E` behind a digit: neither stands in `true` or `false`.
    else if (char === 0x2e || ((char | 0x20) === 0x65 && isDigit(text.charCodeAt(i - 1))))
      hasFractions = true;
  }
  return { depth, members, hasFractions };
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}

/**
 * A number that became whole by rounding alone (`1000.00000000000000001`) is read as NaN, which no rule for a number
 * lets pass: what is judged is the text that was sent.
 */
function withoutRounding(_: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value)) return value;
  return isWholeText(context?.source ?? '') ? value : NaN;
}

/** Whether the text of a JSON number has a whole value: `1.0`, `1e2` and `1.50e1` have one. */
export function isWholeText(source: string): boolean {
  const parts = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (!parts) return false;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  let trailingZeros = 0;
  while (digits.charCodeAt(digits.length - 1 - trailingZeros) === 0x30) trailingZeros += 1;
  // All zeros: 0, whatever the exponent.
  return trailingZeros === digits.length || fraction.length - Number(exponent) <= trailingZeros;
}
