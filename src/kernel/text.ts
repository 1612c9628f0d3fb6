/** ASCII words with single spaces between them: nothing of them is normalised, trimmed or folded. */
const PLAIN_WORDS = /^[!-~]+(?: [!-~]+)*$/;

/** Characters that show nothing by themselves, such as a zero width space, a joiner or a variation selector. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu;

/** The text without default-ignorable characters, which comparisons of names pass over. */
export function withoutIgnorable(text: string): string {
  return PLAIN_WORDS.test(text) ? text : text.replace(IGNORABLE, '');
}

/**
 * The form in which merchants are compared (decisions, "merchant identity"): without default-ignorable characters, in
 * Unicode NFKC, trimmed, runs of white space folded to one space, lower-cased without a locale. Letters that only look
 * alike stay different. Lower case can compose where capitals can't (J̌ has no single code point, ǰ has), so it is
 * normalised again.
 */
export function merchantIdentity(name: string): string {
  if (PLAIN_WORDS.test(name)) return name.toLowerCase();
  const shown = name.replace(IGNORABLE, '').normalize('NFKC');
  return shown.trim().replace(/\s+/gu, ' ').toLowerCase().normalize('NFKC');
}

/** Also line breaks, and what overrides or isolates the direction of text: a name with them reads as another one. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const INVISIBLE = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** What keeps a text from being a name, to stand behind the name of its field; null: nothing. */
export function nameProblem(text: string): string | null {
  if (PLAIN_WORDS.test(text) || text === '') return null;
  const [control] = CONTROL.exec(text) ?? [];
  if (control !== undefined) return `contains a control character (${codePointOf(control)})`;
  return storageProblem(text) ?? (INVISIBLE.test(text) ? 'contains no visible character' : null);
}

/** What keeps a text from being stored, as {@link nameProblem} puts it. */
export function storageProblem(text: string): string | null {
  if (isStorable(text)) return null;
  const [character = ''] = /[\0\p{Cs}]/u.exec(text) ?? [];
  const what = character === '\0' ? 'a NUL character' : 'half of a surrogate pair';
  return `contains ${what} (${codePointOf(character)}), which can't be stored`;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
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
