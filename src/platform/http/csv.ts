import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | Date | null;

/** A column of a CSV file: its name in the first line, and what it holds of a row. */
export interface Column<Row> {
  readonly name: string;
  of(row: Row): Cell;
}

/**
 * A CSV download (RFC 4180), sent page by page, so that its size does not matter; a client that reads slowly holds
 * no more than one page. The first page is read before this returns: what goes wrong there is answered as an error,
 * what goes wrong later breaks the transfer off, so that a part is never taken for the whole.
 */
export async function csvDownload<Row>(
  name: string,
  columns: readonly Column<Row>[],
  pages: AsyncIterator<readonly Row[], void>,
): Promise<StreamableFile> {
  const first = await pages.next();
  async function* lines(): AsyncGenerator<string> {
    yield csvLines([columns.map((column) => column.name)]);
    for (let page = first; !page.done; page = await pages.next()) {
      yield csvLines(page.value.map((row) => columns.map((column) => column.of(row))));
    }
  }
  return new StreamableFile(Readable.from(lines(), { objectMode: false }), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${name.replace(/[^\w.-]+/g, '-')}"`,
  });
}

/** Rows as lines of CSV. Null is an empty cell, an instant is in ISO 8601. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return stringify(rows as Cell[][], {
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    cast: { string: withoutFormula, date: (at) => at.toISOString() },
  });
}

/** A sign that begins a formula, in ASCII or full width, behind any white space or invisible characters. */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/u;

/**
 * Text that a spreadsheet would run as a formula gets an apostrophe in front, since that text is chosen by others: by an
 * agent that names a merchant, or by the sender of a transfer.
 */
function withoutFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
