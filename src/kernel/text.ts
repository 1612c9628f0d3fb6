/** Needs no normalising. */
const PLAIN_WORDS = /^[!-~]+(?: [!-~]+)*$/;

/** Invisible characters. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu;

export function withoutIgnorable(text: string): string {
  return PLAIN_WORDS.test(text) ? text : text.replace(IGNORABLE, '');
}

/**
 * Visible characters, NFKC, single spaces, lower case. Normalised twice, as lower case can compose.
 * Look-alikes stay different.
 */
export function merchantIdentity(name: string): string {
  if (PLAIN_WORDS.test(name)) return name.toLowerCase();
  const shown = name.replace(IGNORABLE, '').normalize('NFKC');
  return shown.trim().replace(/\s+/gu, ' ').toLowerCase().normalize('NFKC');
}

/** Includes line breaks and direction overrides. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const INVISIBLE = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Problem of a name, to follow its field's name; null: none. */
export function nameProblem(text: string): string | null {
  if (PLAIN_WORDS.test(text) || text === '') return null;
  const [control] = CONTROL.exec(text) ?? [];
  if (control !== undefined) return `contains a control character (${codePointOf(control)})`;
  return storageProblem(text) ?? (INVISIBLE.test(text) ? 'contains no visible character' : null);
}

export function proseProblem(text: string): string | null {
  return nameProblem(text.replace(/[\t\r\n]+/g, ' '));
}

/** Problem of a text to store, as {@link nameProblem}. */
export function storageProblem(text: string): string | null {
  if (isStorable(text)) return null;
  const [character = ''] = /[\0\p{Cs}]/u.exec(text) ?? [];
  const what = character === '\0' ? 'a NUL character' : 'half of a surrogate pair';
  return `contains ${what} (${codePointOf(character)}), which can't be stored`;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** No NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Replaces each NUL and lone surrogate. */
export function storable(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

/** In code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}
