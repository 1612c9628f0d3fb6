import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { AppError, validationError } from '../../../kernel/errors.js';
import { KOBO_MAX } from '../../../kernel/money.js';
import { codePoints, isUuid, storageProblem, withoutIgnorable } from '../../../kernel/text.js';
import { parseInstant, parseRequestInstant } from '../../../kernel/time.js';

export type Query = Readonly<Record<string, unknown>>;

class Unreadable {
  constructor(readonly problem: string | undefined) {}
}

/** A member of a query class, read by one of the functions below. Give it its default as initial value. */
export const Parameter = (read: (query: Query, field: string) => unknown, options: ApiPropertyOptions) =>
  applyDecorators(
    Transform(({ obj, key }: { obj: Query; key: string }) => {
      try {
        return read(obj, key);
      } catch (error) {
        if (error instanceof AppError) return new Unreadable(error.detail.fields?.[0]?.message);
        throw error;
      }
    }),
    ValidateBy({
      name: 'parameter',
      validator: {
        validate: (value) => !(value instanceof Unreadable),
        defaultMessage: (args) => `$property ${(args?.value as Unreadable).problem}`,
      },
    }),
    ApiProperty({ required: false, ...options } as ApiPropertyOptions),
  );

export const WordParameter = <Word extends string>(
  words: readonly Word[],
  description: string,
  fallback?: Word,
) =>
  Parameter((query, field) => wordOf(query, field, words), {
    description,
    type: 'string',
    enum: words,
    ...(fallback && { default: fallback }),
  });

export const TextParameter = (max: number, description: string, read = textOf) =>
  Parameter((query, field) => read(query, field, max), {
    description,
    type: 'string',
    minLength: 1,
    maxLength: max,
  });

export const CountParameter = (max: number, description: string, fallback?: number) =>
  Parameter((query, field) => positiveIntegerOf(query, field, max), {
    description,
    type: 'integer',
    minimum: 1,
    maximum: max,
    ...(fallback && { default: fallback }),
  });

/** Throws `VALIDATION_ERROR`. */
export function positiveIntegerOf(query: Query, field: string, max = Infinity): number {
  const value = query[field];
  if (typeof value !== 'string' || !/^0*[1-9]\d*$/.test(value)) {
    throw validationError({ field, message: 'must be a positive whole number' });
  }
  if (Number(value) > max) throw validationError({ field, message: `must be at most ${max}` });
  return Number(value);
}

/** Trimmed, 1 to `max` visible characters; null if absent. Throws `VALIDATION_ERROR`. */
export function textOf(query: Query, field: string, max: number): string | null {
  const value = given(query, field);
  if (value === undefined) return null;
  const text = value.trim();
  const length = codePoints(text);
  let problem = storageProblem(text);
  if (length < 1 || length > max) problem ??= `must be text of 1 to ${max} characters`;
  // Invisible text would match everything.
  else if (withoutIgnorable(text) === '') problem ??= 'contains no visible character';
  if (problem === null) return text;
  throw validationError({ field, message: problem });
}

/** Null if absent. Throws `VALIDATION_ERROR`. */
export function wordOf<Word extends string>(
  query: Query,
  field: string,
  words: readonly Word[],
): Word | null {
  const value = query[field];
  if (value === undefined) return null;
  if (words.includes(value as Word)) return value as Word;
  throw validationError({ field, message: `must be one of ${words.join(', ')}` });
}

/** Comma-separated; null if absent. Throws `VALIDATION_ERROR`. */
export function wordsOf<Word extends string>(
  query: Query,
  field: string,
  words: readonly Word[],
): ReadonlySet<Word> | null {
  const value = given(query, field);
  if (value === undefined) return null;
  const chosen = value.split(',').map((each) => each.trim());
  if (chosen.every((each) => words.includes(each as Word))) return new Set(chosen as Word[]);
  throw validationError({ field, message: `must be of ${words.join(', ')}, with commas between them` });
}

/** Lower-cased; null if absent. Throws `VALIDATION_ERROR`. */
export function uuidOf(query: Query, field: string): string | null {
  const value = given(query, field);
  if (value === undefined) return null;
  if (isUuid(value)) return value.toLowerCase();
  throw validationError({ field, message: 'must be one UUID' });
}

/** 1 to `max`, comma-separated; null if absent. Throws `VALIDATION_ERROR`. */
export function uuidsOf(query: Query, field: string, max: number): readonly string[] | null {
  const value = given(query, field);
  if (value === undefined) return null;
  const ids = new Set(value.split(',').map((each) => each.trim().toLowerCase()));
  if (ids.size <= max && [...ids].every(isUuid)) return [...ids];
  throw validationError({ field, message: `must be 1 to ${max} UUIDs, with commas between them` });
}

/** Null if absent. Throws `VALIDATION_ERROR`. */
export function koboOf(query: Query, field: string): number | null {
  const value = given(query, field);
  if (value === undefined) return null;
  const amount = /^\d{1,20}$/.test(value) ? Number(value) : NaN;
  if (amount <= KOBO_MAX) return amount;
  throw validationError({ field, message: `must be a whole number of kobo from 0 to ${KOBO_MAX}` });
}

/** RFC 3339; null if absent. Throws `VALIDATION_ERROR`. */
export function instantOf(query: Query, field: string): Date | null {
  const value = given(query, field);
  if (value === undefined) return null;
  const instant = parseRequestInstant(value);
  if (instant) return instant;
  throw validationError({
    field,
    message: 'must be an RFC 3339 date and time from 1970 to 9999, such as 2027-03-01T00:00:00Z',
  });
}

export function dayOf(query: Query, field: string): string | null {
  const value = given(query, field);
  if (value === undefined) return null;
  if (/^(?:19[7-9]|[2-9]\d\d)\d-\d{2}-\d{2}$/.test(value) && parseInstant(value)) return value;
  throw validationError({ field, message: 'must be a day from 1970 on, such as 2026-11-21' });
}

export function monthOf(query: Query, field: string): string {
  const value = given(query, field);
  if (value !== undefined && /^20\d{2}-(?:0[1-9]|1[0-2])$/.test(value)) return value;
  throw validationError({ field, message: 'must be a month such as 2026-11' });
}

/** Moment with microseconds, id, and a number for ids with several rows. */
export interface CursorPlace {
  readonly at: string;
  readonly id: string;
  readonly seq: number;
}

/** Opaque to clients. */
export function encodeCursor({ at, id, seq }: CursorPlace): string {
  return Buffer.from(`${at} ${id} ${seq}`).toString('base64url');
}

/** Null if absent. Throws `VALIDATION_ERROR` for a foreign cursor. */
export function cursorOf(query: Query): CursorPlace | null {
  const value = given(query, 'cursor');
  if (value === undefined) return null;
  const text = value.length <= 200 ? Buffer.from(value, 'base64url').toString() : '';
  const [, at = '', id = '', seq = ''] =
    // PostgreSQL has no year 0.
    /^((?!0000)\d{4}-\S{11}:\d{2}\.\d{6}Z) (\S{36}) (\d{1,16})$/.exec(text) ?? [];
  if (parseInstant(at) && isUuid(id) && Number(seq) <= Number.MAX_SAFE_INTEGER) {
    return { at, id, seq: Number(seq) };
  }
  throw validationError({ field: 'cursor', message: 'must be the nextCursor of an earlier page' });
}

/** Throws `VALIDATION_ERROR` if given twice. */
function given(query: Query, field: string): string | undefined {
  const value = query[field];
  if (value === undefined || typeof value === 'string') return value;
  throw validationError({ field, message: 'must be given once' });
}
