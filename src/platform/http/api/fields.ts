import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  isEmail,
  IsIn,
  IsOptional,
  ValidateBy,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { KOBO_MAX } from '../../../kernel/money.js';
import { codePoints, isUuid, nameProblem, proseProblem, storageProblem } from '../../../kernel/text.js';
import { isTimeZone, parseRequestInstant } from '../../../kernel/time.js';

function rule(
  name: string,
  message: string | ((value: unknown) => string),
  holds: (value: unknown) => boolean,
  options?: ValidationOptions,
) {
  const messageFor = typeof message === 'string' ? () => message : message;
  return ValidateBy(
    {
      name,
      validator: { validate: holds, defaultMessage: (args) => `$property ${messageFor(args?.value)}` },
    },
    options,
  );
}

const without = (name: string, problemOf: (value: unknown) => string | null) =>
  rule(
    name,
    (value) => problemOf(value) ?? '',
    (value) => problemOf(value) === null,
  );

const Trimmed = () =>
  Transform(({ value }: { value: unknown }) => {
    if (Array.isArray(value))
      return value.map((each: unknown) => (typeof each === 'string' ? each.trim() : each));
    return typeof value === 'string' ? value.trim() : value;
  });

function textProblem(
  value: unknown,
  min: number,
  max: number,
  problemOf: (text: string) => string | null = storageProblem,
): string | null {
  if (typeof value !== 'string') return `must be text of ${lengths(min, max)}`;
  return problemOf(value) ?? (hasLength(value, min, max) ? null : `must be text of ${lengths(min, max)}`);
}

/** First wrong entry and its problem. Other types are left to another rule. */
function listProblem(value: unknown, min: number, max: number): string | null {
  if (!Array.isArray(value)) return null;
  for (const [i, entry] of value.entries()) {
    const problem = textProblem(entry, min, max, nameProblem);
    if (problem !== null) return `entry ${i + 1} ${problem}`;
  }
  return null;
}

function hasLength(text: string, min: number, max: number): boolean {
  if (text.length >= 2 * min && text.length <= max) return true;
  const length = codePoints(text);
  return length >= min && length <= max;
}

function lengths(min: number, max: number): string {
  if (min === max) return `${max} characters`;
  return min > 0 ? `${min} to ${max} characters` : `at most ${max} characters`;
}

/** Place between `@Optional()` and the rule. */
export const ApiField = (description: string, example: unknown, options: { default?: unknown } = {}) =>
  ApiProperty({ description, example, ...options });

/** Null means absent. Place above the rule. */
export const Optional = () => applyDecorators(IsOptional(), ApiProperty({ required: false, nullable: true }));

/** Trimmed, then `min` to `max` code points. */
export const Text = (min: number, max: number) =>
  applyDecorators(
    Trimmed(),
    without('text', (value) => textProblem(value, min, max)),
    ApiProperty({ type: 'string', minLength: min, maxLength: max }),
  );

/** A visible {@link Text} without control characters. */
export const Name = (min: number, max: number, problemOf = nameProblem) =>
  applyDecorators(
    Trimmed(),
    without('name', (value) => textProblem(value, min, max, problemOf)),
    ApiProperty({ type: 'string', minLength: min, maxLength: max }),
  );

/** With line breaks and tabs. */
export const Prose = (min: number, max: number) => Name(min, max, proseProblem);

/** At most `entriesMax` {@link Name}s. */
export const NameList = (min: number, max: number, entriesMax: number) =>
  applyDecorators(
    Trimmed(),
    IsArray({ message: '$property must be a list' }),
    ArrayMaxSize(entriesMax, { message: `$property must have at most ${entriesMax} entries` }),
    without('names', (value) => listProblem(value, min, max)),
    ApiProperty({
      type: 'array',
      items: { type: 'string', minLength: min, maxLength: max },
      maxItems: entriesMax,
    }),
  );

/** Untrimmed, `min` to `max` code points. */
export const ExactText = (min: number, max: number) =>
  applyDecorators(
    without('exactText', (value) =>
      min === 0 && value == null ? 'is required' : textProblem(value, min, max),
    ),
    ApiProperty({ type: 'string', minLength: min, maxLength: max }),
  );

/** 6 to 200 code points in NFC. */
export const NewPassword = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? value.normalize('NFC') : value,
    ),
    ExactText(6, 200),
  );

export const AnyText = () =>
  applyDecorators(
    rule('anyText', 'must be text', (value) => typeof value === 'string'),
    ApiProperty({ type: 'string' }),
  );

/** The part before the @ names the business. */
function isAddress(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    hasLength(value, 3, 254) &&
    // Malformed text would make the address check throw.
    value.split('@').every((part) => nameProblem(part) === null) &&
    isEmail(value)
  );
}

/** The schema's `email` is ASCII only; any script is accepted. */
export const EMAIL_FORMAT = 'idn-email';

/** Trimmed, lower case, NFC. */
export const Email = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? value.trim().toLowerCase().normalize('NFC') : value,
    ),
    rule('email', 'must be a valid e-mail address', isAddress),
    ApiProperty({ type: 'string', format: EMAIL_FORMAT, minLength: 3, maxLength: 254 }),
  );

/** Kobo. */
export const Amount = () =>
  applyDecorators(
    rule(
      'amount',
      `must be a whole number of kobo from 1 to ${KOBO_MAX}`,
      (value) => Number.isSafeInteger(value) && (value as number) > 0,
    ),
    ApiProperty({ type: 'integer', format: 'int64', minimum: 1, maximum: KOBO_MAX }),
  );

/** Kobo, or `all`. */
export const AmountOrAll = () =>
  applyDecorators(
    rule(
      'amountOrAll',
      `must be a whole number of kobo from 1 to ${KOBO_MAX}, or "all"`,
      (value) => value === 'all' || (Number.isSafeInteger(value) && (value as number) > 0),
    ),
    ApiProperty({
      oneOf: [
        { type: 'integer', format: 'int64', minimum: 1, maximum: KOBO_MAX },
        { type: 'string', enum: ['all'] },
      ],
    }),
  );

export const Nested = (type: new () => object) =>
  applyDecorators(
    Reflect.metadata(NESTED, type),
    Type(() => type),
    rule('nested', 'must be an object', (value) => value instanceof type),
    ValidateNested({ message: '$property must be an object' }),
    ApiProperty({ type }),
  );

export const NESTED = Symbol('class of the object within a body');

export const IntegerField = (min: number, max: number) =>
  applyDecorators(
    rule(
      'whole',
      `must be a whole number from ${min} to ${max}`,
      (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
    ),
    ApiProperty({ type: 'integer', minimum: min, maximum: max }),
  );

export function Digits(count: number) {
  const pattern = `^[0-9]{${count}}$`;
  const expression = new RegExp(pattern);
  return applyDecorators(
    rule(
      'digits',
      `must be exactly ${count} digits`,
      (value) => typeof value === 'string' && expression.test(value),
    ),
    ApiProperty({ type: 'string', pattern }),
  );
}

/** Optional; anything but NGN is refused, as it would be paid in naira. */
export const NairaAlone = () =>
  applyDecorators(
    Optional(),
    ApiField('Amounts are in naira; any other currency is refused.', 'NGN'),
    EnumField('NGN'),
  );

export const BooleanField = () =>
  applyDecorators(
    IsBoolean({ message: '$property must be true or false' }),
    ApiProperty({ type: 'boolean' }),
  );

export const EnumField = (...words: string[]) =>
  applyDecorators(
    IsIn(words, { message: `$property must be ${words.join(' or ')}` }),
    ApiProperty({ type: 'string', enum: words }),
  );

export const Uuid = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    rule('uuid', 'must be a UUID', isUuid),
    ApiProperty({ type: 'string', format: 'uuid' }),
  );

export const Uuids = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      Array.isArray(value)
        ? value.map((each: unknown) => (typeof each === 'string' ? each.toLowerCase() : each))
        : value,
    ),
    rule('uuids', 'must be a list of UUIDs', isUuid, { each: true }),
  );

export const Month = () => {
  const pattern = '^20[0-9]{2}-(0[1-9]|1[0-2])$';
  const expression = new RegExp(pattern);
  return applyDecorators(
    rule(
      'month',
      'must be a month such as 2026-11',
      (value) => typeof value === 'string' && expression.test(value),
    ),
    ApiProperty({ type: 'string', pattern }),
  );
};

export const TimeZone = () =>
  applyDecorators(
    rule('timeZone', 'must be the name of a time zone, such as Africa/Lagos', isTimeZone),
    ApiProperty({ type: 'string' }),
  );

/** RFC 3339, UTC without an offset; becomes a Date. */
export const Instant = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (parseRequestInstant(value) ?? value) : value,
    ),
    rule(
      'instant',
      'must be an RFC 3339 date and time from 1970 to 9999, such as 2027-03-01T00:00:00Z',
      (value) => value instanceof Date,
    ),
    ApiProperty({ type: 'string' }),
  );
