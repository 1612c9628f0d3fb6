import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** A column of a CSV file: its name in the first line, and what it holds of a row. */
export interface Column<Row> {
  readonly name: string;
  of(row: Row): string | number | Date | null;
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
    yield line(columns.map((column) => column.name));
    for (let page = first; !page.done; page = await pages.next()) {
      yield page.value.map((row) => line(columns.map((column) => cell(column.of(row))))).join('');
    }
  }
  return new StreamableFile(Readable.from(lines(), { objectMode: false }), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${name.replace(/[^\w.-]+/g, '-')}"`,
  });
}

function line(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

/**
 * Text that a spreadsheet would run as a formula gets an apostrophe in front, since whoever names a merchant or
 * sends a transfer chooses that text.
 */
export function cell(value: string | number | Date | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = value instanceof Date ? value.toISOString() : value;
  const safe = /^\s*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
