/** ASCII words with single spaces between them: nothing of them is normalised, trimmed or folded. */
const PLAIN_WORDS = /^[!-~]+(?: [!-~]+)*$/;

/**
 * The form in which merchants are compared (decisions, "merchant identity"): Unicode NFKC, trimmed, runs of
 * white space folded to one space, lower-cased without a locale. Letters that only look alike stay different.
 * Lower case can compose where capitals can't (J̌ has no single code point, ǰ has), so it is normalised again.
 */
export function merchantIdentity(name: string): string {
  if (PLAIN_WORDS.test(name)) return name.toLowerCase();
  return name.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase().normalize('NFKC');
}

/** Text that PostgreSQL and UTF-8 can hold: no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The same text where it is {@link isStorable}; else with a replacement character for each NUL and lone surrogate. */
export function storable(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

/** Length as a person counts it: in code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether `value` is a UUID of any version, in either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}
