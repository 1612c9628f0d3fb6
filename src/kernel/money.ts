/** Whole kobo (100 kobo = ₦1), never a float. Made by {@link kobo}. */
export type Kobo = number & { readonly unit: 'kobo' };

/** Largest amount, in kobo: the largest exact JSON integer. */
export const KOBO_MAX = Number.MAX_SAFE_INTEGER as Kobo;

const KOBO_DIGITS_MAX = String(KOBO_MAX).length;

/** Throws a RangeError unless a whole number from 0 to {@link KOBO_MAX}. */
export function kobo(value: number): Kobo {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not an amount in kobo: ${value}`);
  return value as Kobo;
}

/** Sum, at most {@link KOBO_MAX}; no limit lies above. */
export function cappedSum(one: number, other: number): number {
  return Math.min(one + other, KOBO_MAX);
}

/**
 * Converts decimal naira exactly. Null unless positive, at most two decimal places by value, and at most
 * {@link KOBO_MAX}.
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
  /** Below 0 there is a part of a kobo. */
  const scale = 2 - fraction.length + Number(exponent) + (written.length - to);
  if (!digits || scale < 0 || digits.length + scale > KOBO_DIGITS_MAX) return null;
  const amount = BigInt(digits) * 10n ** BigInt(scale);
  return amount <= BigInt(KOBO_MAX) ? kobo(Number(amount)) : null;
}

/** 105055 becomes `1050.55`, by integer arithmetic. */
export function nairaFromKobo(amount: Kobo): string {
  return `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
}

/** `320000` becomes `₦3,200.00`, by integer arithmetic; may be negative. */
export function naira(amount: number): string {
  const [whole = '', fraction = ''] = nairaFromKobo(kobo(Math.abs(amount))).split('.');
  return `${amount < 0 ? '-' : ''}₦${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction}`;
}

/** A JSON number as its source text, for {@link koboFromNaira}. */
export class DecimalText {
  constructor(readonly text: string) {}
}
