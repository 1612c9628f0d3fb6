import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, validationError } from '../../../kernel/errors.js';

export const JSON_DEPTH_MAX = 32;
/** Members of all objects of one body. */
export const JSON_MEMBERS_MAX = 1_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Signed bytes, without a byte order mark. */
    rawBody?: Buffer;
  }
}

/** Reads JSON in UTF-8 only. Nesting and members are bounded before parsing. */
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
  // Without a byte it is no body, also chunked; else it is refused.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body: Buffer, done) => {
    if (body.length === 0) done(null, undefined);
    else done(notJson());
  });
}

export function notJson(): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send JSON: Content-Type: application/json, in UTF-8.');
}

/** A POST without a body may name any media type, as axios does. */
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
  readonly depth: number;
  readonly members: number;
  readonly hasFractions: boolean;
}

/** Counts before parsing; stops at a bound. */
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
    // Neither occurs in `true` or `false`.
    else if (char === 0x2e || ((char | 0x20) === 0x65 && isDigit(text.charCodeAt(i - 1))))
      hasFractions = true;
  }
  return { depth, members, hasFractions };
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}

/** A number whole only by rounding becomes NaN, which every rule refuses. */
function withoutRounding(_: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value)) return value;
  return isWholeText(context?.source ?? '') ? value : NaN;
}

/** `1.0`, `1e2` and `1.50e1` are whole. */
export function isWholeText(source: string): boolean {
  const parts = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (!parts) return false;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  let trailingZeros = 0;
  while (digits.charCodeAt(digits.length - 1 - trailingZeros) === 0x30) trailingZeros += 1;
  return trailingZeros === digits.length || fraction.length - Number(exponent) <= trailingZeros;
}
