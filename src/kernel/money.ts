/** An amount of money: a whole number of kobo (100 kobo = ₦1), never a float. Made by {@link kobo} alone. */
export type Kobo = number & { readonly unit: 'kobo' };

/** The largest amount the service holds or moves, in kobo: the largest integer JSON carries exactly. */
export const KOBO_MAX = Number.MAX_SAFE_INTEGER as Kobo;

/** Checks that `value` is a whole number of kobo from 0 to {@link KOBO_MAX}; throws a RangeError otherwise. */
export function kobo(value: number): Kobo {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not an amount in kobo: ${value}`);
  return value as Kobo;
}

/**
 * Converts decimal naira, as text, to kobo exactly: no float takes part.
 * Answers null for what is no positive amount with at most two decimal places by value
 * (`10.500` is one, `10.505` is not), or is past {@link KOBO_MAX}.
 */
export function koboFromNaira(text: string): Kobo | null {
  const parts = /^(\d{1,20})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text);
  if (!parts) return null;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = BigInt(whole + fraction);
  const scale = 2 - fraction.length + Number(exponent);
  const divisor = 10n ** BigInt(Math.max(0, -scale));
  if (digits % divisor !== 0n) return null;
  const amount = scale >= 0 ? digits * 10n ** BigInt(scale) : digits / divisor;
  return amount > 0n && amount <= BigInt(KOBO_MAX) ? kobo(Number(amount)) : null;
}

/** Kobo as decimal naira with two places, e.g. 105055 → `1050.55`; by integer arithmetic. */
export function nairaFromKobo(amount: Kobo): string {
  return `${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
}

/** A JSON number kept as the text it was received in, so that no float stands between it and {@link koboFromNaira}. */
export class DecimalText {
  constructor(readonly text: string) {}
}
