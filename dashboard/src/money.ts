/*
 * Money is a whole number of kobo everywhere; naira are only what a person reads and types. No amount passes
 * through a fraction.
 */

const KOBO_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** Kobo as a person reads them: 125050 → `₦1,250.50`. */
export function naira(kobo: number): string {
  const amount = Math.abs(kobo);
  const rest = amount % 100;
  return `${kobo < 0 ? '−' : ''}₦${grouped((amount - rest) / 100)}.${String(rest).padStart(2, '0')}`;
}

/** The same, short, for the axis of a chart: `₦12.5k`. */
export function shortNaira(kobo: number): string {
  return `₦${new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(kobo / 100)}`;
}

/** As {@link naira}, without kobo when there are none: for sentences. */
export function plainNaira(kobo: number): string {
  return naira(kobo).replace(/\.00$/, '');
}

function grouped(whole: number): string {
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
