const OFFERED = 36;

const format = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `2026-11` as `November 2026`. */
export function monthInWords(month: string): string {
  return format.format(new Date(`${month}-01T00:00:00Z`));
}

/** This month in the zone and those before it, newest first. */
export function monthsUntil(now: Date, timeZone: string): string[] {
  const [year = 0, month = 1] = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
  })
    .format(now)
    .split('-')
    .map(Number);
  return Array.from({ length: OFFERED }, (_, i) => {
    const at = new Date(Date.UTC(year, month - 1 - i, 1));
    return at.toISOString().slice(0, 7);
  });
}
