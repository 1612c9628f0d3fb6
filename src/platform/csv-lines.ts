import { localTimes } from '../kernel/time.js';
import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | Date | null;

/** Excel would otherwise guess the encoding. */
export const BYTE_ORDER_MARK = '\ufeff';

export function csvLines(rows: readonly (readonly Cell[])[], local = localTimes('UTC')): string {
  return stringify(rows as Cell[][], {
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    cast: { string: asText, date: local },
  });
}

/** Digits stay as they are: for programs. */
export function plainCsvLines(rows: readonly (readonly (string | { readonly text: string })[])[]): string {
  const plain = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : unrun(cell.text))));
  return stringify(plain, { record_delimiter: 'windows' });
}

const NUMBER = /^\d+(?:e\d+)?$/i;

/** Beginning of a formula, also behind invisible or full-width characters. */
const FORMULA = /^[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@\u2212]|^[\t\r]/u;

/** Agents and senders choose this text. */
function asText(text: string): string {
  return NUMBER.test(text) ? `="${text}"` : unrun(text);
}

function unrun(text: string): string {
  return FORMULA.test(text.normalize('NFKC')) ? `'${text}` : text;
}
