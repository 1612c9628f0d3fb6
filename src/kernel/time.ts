const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** ISO 8601, UTC without a zone. Null if invalid or not on the calendar. */
export function parseInstant(text: string): Date | null {
  const parts = INSTANT.exec(text);
  if (!parts) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = parts;
  const midnight = new Date(`${year}-${month}-${day}T00:00:00.000Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return null;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  const offset = sign ? `${sign}${hours}:${minutes ?? '00'}` : 'Z';
  const millis = fraction.slice(0, 3).padEnd(3, '0');
  const instant = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}${offset}`);
  return Number.isNaN(instant.getTime()) ? null : instant;
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

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;
const FIRST_INSTANT = Date.parse('1970-01-01T00:00:00.000Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * RFC 3339 instant, parts optional, UTC without an offset, 1970 to 9999, cut to milliseconds. Null if
 * invalid.
 */
export function parseRequestInstant(text: string): Date | null {
  const parts = RFC_3339.exec(text);
  if (!parts) return null;
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = 'Z'] = parts;
  const midnight = new Date(`${year}-${month}-${day}T00:00:00.000Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return null;
  const millis = fraction.slice(0, 3).padEnd(3, '0');
  const instant = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}${zone.toUpperCase()}`,
  );
  const at = instant.getTime();
  return at >= FIRST_INSTANT && at <= LAST_INSTANT ? instant : null;
}

export const TIME_ZONE_DEFAULT = 'Africa/Lagos';

/** IANA name; an offset such as +01:00 is none. */
export function isTimeZone(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[A-Za-z][\w+/-]{0,63}$/.test(value)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: value }));
  } catch {
    return false;
  }
}

/** Formats instants as `2026-11-21 06:30:00` in a zone. */
export function localTimes(timeZone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (at) => format.format(at);
}
