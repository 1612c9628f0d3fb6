/** An amount of money: a whole number of kobo (100 kobo = ₦1), never a float. Made by {@link kobo} alone. */
export type Kobo = number & { readonly unit: 'kobo' };

/** The largest amount the service holds or moves, in kobo: the largest integer JSON carries exactly. */
export const KOBO_MAX = Number.MAX_SAFE_INTEGER as Kobo;

const KOBO_DIGITS_MAX = String(KOBO_MAX).length;

/** Checks that `value` is a whole number of kobo from 0 to {@link KOBO_MAX}; throws a RangeError otherwise. */
export function kobo(value: number): Kobo {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not an amount in kobo: ${value}`);
  return value as Kobo;
}

/**
 * What two amounts come to, at most {@link KOBO_MAX}: a sum past it would be rounded, and no limit lies there, so that
 * the bound means the same.
 */
export function cappedSum(one: number, other: number): number {
  return Math.min(one + other, KOBO_MAX);
}

/**
 * Converts decimal naira, as text, to kobo exactly: no float takes part.
 * Answers null for what is no positive amount with at most two decimal places by value
 * (`10.500` is one, `10.505` is not), or is past {@link KOBO_MAX}.
 */
export function koboFromNaira(text: string): Kobo | null {
  const parts = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!parts) return null;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const written = whole + fraction;
  let [from, to] = [0, written.length];
  while (written[from] === '0') from += 1;
  while (to > from && written[to - 1] === '0') to -= 1;
  const digits = written.slice(from, to);
  /** Of `digits` in kobo, as a power of ten; the last digit is no zero, so below 0 there is a part of a kobo. */
  const scale = 2 - fraction.length + Number(exponent) + (written.length - to);
  if (!digits || scale < 0 || digits.length + scale > KOBO_DIGITS_MAX) return null;
  const amount = BigInt(digits) * 10n ** BigInt(scale);
  return amount <= BigInt(KOBO_MAX) ? kobo(Number(amount)) : null;
}

/** Kobo as decimal naira with two places, e.g. 105055 → `1050.55`; by integer arithmetic. */
export function nairaFromKobo(amount: Kobo): string {
  return `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
}

/** A JSON number kept as the text it was received in, so that no float stands between it and {@link koboFromNaira}. */
export class DecimalText {
  constructor(readonly text: string) {}
}
