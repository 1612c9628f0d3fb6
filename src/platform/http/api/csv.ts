import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply } from 'fastify';
import { nextPage } from '../../batching/pages.js';
import { Download, within } from '../../database/download.js';

export type Cell = string | number | Date | null;

export interface Column<Row> {
  readonly name: string;
  of(row: Row): Cell;
}

export const CSV_FORM =
  'In UTF-8 with a byte order mark; times are UTC. Account numbers, bank codes and other digits that are no amount are ' +
  'written as `="044"`, so that a spreadsheet keeps their zeros; text that it would run gets an apostrophe in front.';

/** Milliseconds. */
export const LAG_HEADER = 'x-read-lag-ms';

/** Excel would otherwise guess the encoding. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * RFC 4180, one page in memory. The first page is read before this returns, so early errors are answered; a
 * later one breaks the transfer off. `pages` may read a replica: check access before; {@link LAG_HEADER} has
 * the lag.
 */
export async function csvDownload<Row>(
  reply: FastifyReply,
  name: string,
  columns: readonly Column<Row>[],
  pages: AsyncIterator<readonly Row[], void>,
): Promise<StreamableFile> {
  const download = new Download();
  const copied = { next: () => within(download, () => pages.next()) };
  const first = await nextPage(copied);
  if (download.lagMs !== undefined) void reply.header(LAG_HEADER, Math.ceil(download.lagMs));
  async function* lines(): AsyncGenerator<string> {
    yield BYTE_ORDER_MARK + csvLines([columns.map((column) => column.name)]);
    for (let page = first; !page.done; page = await nextPage(copied)) {
      yield csvLines(page.value.map((row) => columns.map((column) => column.of(row))));
    }
  }
  return new StreamableFile(Readable.from(lines(), { objectMode: false }), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${name.replace(/[^\w.-]+/g, '-')}"`,
  });
}

/** Null is an empty cell; instants are in UTC as spreadsheets read them. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return stringify(rows as Cell[][], {
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    cast: { string: asText, date: (at) => at.toISOString().slice(0, 19).replace('T', ' ') },
  });
}

/** Text that a spreadsheet would read as a number, dropping zeros and digits. */
const NUMBER = /^\d+(?:e\d+)?$/i;

/** Beginning of a formula, also behind invisible or full-width characters. */
const FORMULA = /^[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@\u2212]|^[\t\r]/u;

/**
 * Keeps text as text: digits as `="044"`, formulas behind an apostrophe. Agents and senders choose this text.
 */
function asText(text: string): string {
  if (NUMBER.test(text)) return `="${text}"`;
  return FORMULA.test(text.normalize('NFKC')) ? `'${text}` : text;
}
