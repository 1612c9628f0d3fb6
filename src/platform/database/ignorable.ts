/** Default-ignorable characters as a class for PostgreSQL's regular expressions. */
export const IGNORABLE_CLASS = String.raw`[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]`;

export function sqlWithoutIgnorable(text: string): string {
  return `regexp_replace(${text}, '${IGNORABLE_CLASS}', '', 'g')`;
}
