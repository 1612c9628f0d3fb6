import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import { nextPage } from '../../batching/pages.js';

export type Cell = string | number | Date | null;

/** A column of a CSV file: its name in the first line, and what it holds of a row. */
export interface Column<Row> {
  readonly name: string;
  of(row: Row): Cell;
}

/** How the description of a download puts its form. */
export const CSV_FORM =
  'In UTF-8 with a byte order mark; times are UTC. Account numbers, bank codes and other digits that are no amount are ' +
  'written as `="044"`, so that a spreadsheet keeps their zeros; text that it would run gets an apostrophe in front.';

/** Excel reads a file without it in the encoding of its machine. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * A CSV download (RFC 4180) in UTF-8, sent page by page, so that its size does not matter; a client that reads slowly holds
 * no more than one page. The first page is read before this returns: what goes wrong there is answered as an error,
 * what goes wrong later breaks the transfer off, so that a part is never taken for the whole.
 */
export async function csvDownload<Row>(
  name: string,
  columns: readonly Column<Row>[],
  pages: AsyncIterator<readonly Row[], void>,
): Promise<StreamableFile> {
  const first = await nextPage(pages);
  async function* lines(): AsyncGenerator<string> {
    yield BYTE_ORDER_MARK + csvLines([columns.map((column) => column.name)]);
    for (let page = first; !page.done; page = await nextPage(pages)) {
      yield csvLines(page.value.map((row) => columns.map((column) => column.of(row))));
    }
  }
  return new StreamableFile(Readable.from(lines(), { objectMode: false }), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${name.replace(/[^\w.-]+/g, '-')}"`,
  });
}

/** Rows as lines of CSV. Null is an empty cell, an instant is in UTC as spreadsheets read it. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return stringify(rows as Cell[][], {
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    cast: { string: asText, date: (at) => at.toISOString().slice(0, 19).replace('T', ' ') },
  });
}

/** What a spreadsheet takes for a number: it would drop leading zeros, and round past 15 digits. */
const NUMBER = /^\d+(?:e\d+)?$/i;

/** A sign that begins a formula, behind whatever shows nothing. Judged in NFKC, where full width signs are plain ones. */
const FORMULA = /^[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@\u2212]|^[\t\r]/u;

/**
 * Text that stays text in a spreadsheet. Digits, such as an account number, are written as `="044"`: spreadsheets show
 * 044. What would run as a formula gets an apostrophe in front: that text is chosen by others, by an agent that names a
 * merchant, or by the sender of a transfer.
 */
function asText(text: string): string {
  if (NUMBER.test(text)) return `="${text}"`;
  return FORMULA.test(text.normalize('NFKC')) ? `'${text}` : text;
}
