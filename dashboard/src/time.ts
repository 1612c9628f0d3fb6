/** Times are shown in the viewer's zone; the exact instant is what the API said. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY_OF_YEAR_AND_TIME = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const LONG_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

/** `Today, 14:05`; else the date and the time, without the year when it is this one. */
export function dayAndTime(iso: string, now = new Date()): string {
  const at = new Date(iso);
  if (at.toDateString() === now.toDateString()) return `Today, ${TIME.format(at)}`;
  const isThisYear = at.getFullYear() === now.getFullYear();
  return (isThisYear ? DAY_OF_YEAR_AND_TIME : DAY_AND_TIME).format(at);
}

export function day(iso: string): string {
  return DAY.format(new Date(iso));
}

/** `1 March 2027`, for a sentence. */
export function longDay(at: Date): string {
  return LONG_DAY.format(at);
}

/** A day of a chart, `2026-11-21`, as `21 Nov`. It is a date, in no zone. */
export function chartDay(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
}

/** The value of a date input, `days` from now. */
export function dateInput(days: number, now = new Date()): string {
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The end of the day that a date input names, in the viewer's zone; null for none. */
export function endOfDay(value: string): Date | null {
  const parts = /^(\d{4,6})-(\d{2})-(\d{2})$/.exec(value);
  if (!parts) return null;
  const at = new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]), 23, 59, 59, 0);
  return Number.isNaN(at.getTime()) ? null : at;
}
