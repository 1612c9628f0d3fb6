const ISO_8601 =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:[Tt ](\d{2})(?::?(\d{2})(?::?(\d{2}))?)?(?:[.,](\d+))?\s?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)?)?$/;

/** Reads ISO 8601 of any precision, UTC without a zone. Null if invalid or not on the calendar. */
export function parseInstant(text: string): Date | null {
  const parts = ISO_8601.exec(text);
  if (!parts) return null;
  const part = (index: number) => Number(parts[index] ?? 0);
  const [month, day, hour, minute, second] = [part(3) - 1, part(4), part(5), part(6), part(7)];
  const instant = new Date(0);
  instant.setUTCFullYear(part(1), month, day);
  if (instant.getUTCMonth() !== month || instant.getUTCDate() !== day) return null;
  const isInDay = hour < 24 || (hour === 24 && minute === 0 && second === 0);
  if (!isInDay || minute > 59 || second > 60 || part(10) > 23 || part(11) > 59) return null;
  const unitMs = parts[7] ? 1_000 : parts[6] ? 60_000 : 3_600_000;
  const fractionMs = (Number((parts[8] ?? '').slice(0, 3).padEnd(3, '0')) * unitMs) / 1_000;
  const offsetMinutes = (part(10) * 60 + part(11)) * (parts[9] === '-' ? -1 : 1);
  instant.setUTCHours(hour, minute - offsetMinutes, second, fractionMs);
  return instant;
}

const RFC_3339 =
  /^\d{4}-\d\d-\d\d[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?$/;
const FIRST_INSTANT = Date.parse('1970-01-01T00:00:00.000Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** As {@link parseInstant}, but RFC 3339 with a time of day, 1970 to 9999. */
export function parseRequestInstant(text: string): Date | null {
  const instant = RFC_3339.test(text) ? parseInstant(text) : null;
  return instant && +instant >= FIRST_INSTANT && +instant <= LAST_INSTANT ? instant : null;
}

let lastMs = Number.NaN;
let lastText = '';

/** Cached for the payments of a batch. */
export function isoText(at: Date): string {
  const ms = at.getTime();
  if (ms !== lastMs) {
    lastText = at.toISOString();
    lastMs = ms;
  }
  return lastText;
}

/** Years 0 to 9999: such texts sort as times. */
const PLAIN_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/** Both as of `toISOString`. */
export function isBefore(time: string, other: string): boolean {
  if (time.length === PLAIN_LENGTH && other.length === PLAIN_LENGTH) return time < other;
  return Date.parse(time) < Date.parse(other);
}
