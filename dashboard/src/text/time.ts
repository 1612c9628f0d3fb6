/*
 * Times are shown in the viewer's zone; the exact instant is what the API said. One format, whatever the browser's
 * language: `21 Nov 2026, 14:05`. Put together by hand: the first formatter of `Intl` holds the page for 20 ms.
 */

const { Temporal } = globalThis as { Temporal?: { readonly Now: { timeZoneId: () => string } } };

export const zone = () => Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

const two = (part: number) => String(part).padStart(2, '0');
const timeOf = (at: Date) => `${two(at.getHours())}:${two(at.getMinutes())}`;
const dayOfYear = (day: number, month: number) => `${day} ${MONTHS[month]}`;

/** `21 Nov, 14:05`; with the year when it is another one. */
export function dayAndTime(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const date = at.getFullYear() === now.getFullYear() ? dayOfYear(at.getDate(), at.getMonth()) : day(at);
  return `${date}, ${timeOf(at)}`;
}

/** `21 Nov 2026`. */
export function day(at: string | Date): string {
  const date = new Date(at);
  return `${dayOfYear(date.getDate(), date.getMonth())} ${date.getFullYear()}`;
}

/** As a day when it is the end of one, as the forms set it; else with the time. */
export function dayOrMoment(iso: string): string {
  const at = new Date(iso);
  return timeOf(at) === '23:59' ? day(at) : dayAndTime(iso);
}

/** A day of a chart, `2026-11-21`, as `21 Nov`. It is a date, in no zone. */
export function chartDay(date: string): string {
  const [, month = '1', day = '1'] = date.split('-');
  return dayOfYear(Number(day), Number(month) - 1);
}

/** Such as `Sat, 21 Nov`. */
export function chartWeekday(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  const at = new Date(Number(year), Number(month) - 1, Number(day));
  return `${WEEKDAYS[at.getDay()]?.slice(0, 3)}, ${chartDay(date)}`;
}

/** `Today`, `Yesterday`, `Sat, 21 Nov`; with the year when it is another one. */
export function dayOfList(iso: string, now = new Date()): string {
  const date = inputOf(new Date(iso));
  if (date === inputOf(now)) return 'Today';
  if (date === dateInput(-1, now)) return 'Yesterday';
  return chartWeekday(date) + (date.startsWith(String(now.getFullYear())) ? '' : ` ${date.slice(0, 4)}`);
}

/** The value of a date input, `days` from now. */
export function dateInput(days: number, now = new Date()): string {
  return inputOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
}

/** The value of a date input for the day of an instant, in the viewer's zone. */
export function inputOf(at: Date): string {
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The value of a date field in words: `29 Nov 2026`. */
export const dayInWords = (value: string): string => value && `${chartDay(value)} ${value.slice(0, 4)}`;

const MONTHS_IN_FULL =
  'january february march april may june july august september october november december'.split(' ');

/** The value of a date field for what was typed: `29 nov 2026`, `2026-11-29`, day first `29/11/2026`; null: no day. */
export function dayTyped(text: string): string | null {
  const typed = text.trim().toLowerCase();
  const iso = /^([1-9]\d{3})-(\d{1,2})-(\d{1,2})$/.exec(typed);
  const dayFirst = /^(\d{1,2})[ ./-]+(\d{1,2}|[a-z]{3,9})[ .,/-]+([1-9]\d{3})$/.exec(typed);
  const [day = '', name = '', year = ''] = iso?.slice(1).toReversed() ?? dayFirst?.slice(1) ?? [];
  const month = /^\d/.test(name)
    ? Number(name) - 1
    : MONTHS_IN_FULL.findIndex((full) => full.startsWith(name));
  const at = new Date(Number(year), month, Number(day));
  return day && at.getMonth() === month && at.getDate() === Number(day) ? inputOf(at) : null;
}

/** The day `months` later, or the last one of a shorter month. */
export function monthsLater(value: string, months: number): string {
  const [year = 0, month = 0, day = 0] = value.split('-').map(Number);
  const last = new Date(year, month + months, 0);
  return inputOf(new Date(last.getFullYear(), last.getMonth(), Math.min(day, last.getDate())));
}

/** The day `days` later. */
export function daysLater(value: string, days: number): string {
  const [year = 0, month = 0, day = 0] = value.split('-').map(Number);
  return inputOf(new Date(year, month - 1, day + days));
}

/** A moment instead of a day, as a link may hold it. */
export const isInstant = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value));

/** The start of the day that a date input names, in the viewer's zone, or a moment itself; null for none. */
export function startOfDay(value: string): Date | null {
  if (isInstant(value)) return new Date(value);
  const end = endOfDay(value);
  return end && new Date(end.getFullYear(), end.getMonth(), end.getDate());
}

/** The end of the day that a date input names, in the viewer's zone; null for none. */
export function endOfDay(value: string): Date | null {
  const parts = /^(\d{4,6})-(\d{2})-(\d{2})$/.exec(value);
  if (!parts) return null;
  const at = new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]), 23, 59, 59, 0);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** `40 s`, `42 min`, `3 h 12 min`, `2 days`. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} days`;
  const rest = minutes % 60;
  return hours >= 10 || rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** `14:05`, `yesterday, 14:05`, `Friday, 14:05`; longer ago `21 Nov, 14:05`. */
export function sinceInWords(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const start = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((start(now) - start(at)) / 86_400_000);
  if (days === 0) return timeOf(at);
  if (days > 6) return dayAndTime(iso, now);
  return `${days === 1 ? 'yesterday' : WEEKDAYS[at.getDay()]}, ${timeOf(at)}`;
}
