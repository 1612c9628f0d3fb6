/*
 * Money is a whole number of kobo everywhere; naira are only what a person reads and types. No amount passes
 * through a fraction.
 */

const KOBO_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** The parts of an amount: −125050 → `−`, `1,250` and `.50`. Every other form is made of them. */
export function nairaParts(kobo: number): { minus: string; whole: string; fraction: string } {
  const amount = Math.abs(kobo);
  const rest = amount % 100;
  return {
    minus: kobo < 0 ? '−' : '',
    whole: grouped((amount - rest) / 100),
    fraction: `.${String(rest).padStart(2, '0')}`,
  };
}

/** 125050 → `₦1,250.50`. */
export function naira(kobo: number): string {
  const { minus, whole, fraction } = nairaParts(kobo);
  return `${minus}₦${whole}${fraction}`;
}

/** The text of an amount field, which {@link koboTyped} reads back; undefined and null: empty. */
export function typedNaira(kobo: number | null | undefined): string {
  return kobo == null ? '' : naira(kobo).slice(1);
}

const SHORT = ['', 'K', 'M', 'B', 'T'] as const;
const tenths = (value: number) => Math.round(value * 10) / 10;

/** Short form for charts: `₦12.5K`. By hand, as the first `Intl` formatter blocks for 20 ms. */
export function shortNaira(kobo: number): string {
  let [value, size] = [kobo / 100, 0];
  for (; tenths(value) >= 1_000 && size < SHORT.length - 1; size += 1) value /= 1_000;
  const [whole = '', fraction] = String(tenths(value)).split('.');
  return `₦${grouped(Number(whole))}${fraction ? `.${fraction}` : ''}${SHORT[size]}`;
}

/** As {@link naira}, without kobo when there are none: for sentences. */
export function plainNaira(kobo: number): string {
  return naira(kobo).replace(/\.00$/, '');
}

/** A whole number as a person reads it: 1204 → `1,204`. */
export function grouped(whole: number): string {
  return String(whole).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** What a person typed (`1,250.50`, `₦1250.5`) in kobo; null for what is no positive amount of naira. */
export function koboTyped(text: string): number | null {
  const parts = /^(?:₦|NGN|N)?\s*(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{0,2}))?$/i.exec(text.trim());
  if (!parts) return null;
  const [, whole = '', fraction = ''] = parts;
  const kobo = BigInt(whole.replaceAll(',', '')) * 100n + BigInt(fraction.padEnd(2, '0'));
  return kobo > 0n && kobo <= KOBO_MAX ? Number(kobo) : null;
}

/** Said at a field whose text is no amount. */
export const NAIRA_PROBLEM = 'An amount in naira, such as 1,250.50';

/** What of a wallet can leave it now: what payments hold that wait for approval can not. */
export const spendable = ({ balance, available }: { balance: number; available?: number }): number =>
  available ?? balance;
