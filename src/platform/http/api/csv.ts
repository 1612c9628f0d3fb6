import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { localTimes } from '../../../kernel/time.js';
import { nextPage } from '../../batching/pages.js';
import { BYTE_ORDER_MARK, type Cell, csvLines } from '../../csv-lines.js';
import { Download, within } from '../../database/download.js';

export interface Column<Row> {
  readonly name: string;
  readonly isTime?: true;
  of(row: Row): Cell;
}

export const CSV_FORM =
  'In UTF-8 with a byte order mark; times are in the zone that their name says. Account numbers, bank codes and other digits that are no amount are ' +
  'written as `="044"`, so that a spreadsheet keeps their zeros; text that it would run gets an apostrophe in front.';

export const CSV_TYPE = 'text/csv; charset=utf-8';

/** Milliseconds. */
export const LAG_HEADER = 'x-read-lag-ms';

/**
 * The first page is read before this returns, so early errors are answered. `pages` may read a replica: check
 * access before.
 */
export function csvDownload<Row>(
  reply: FastifyReply,
  name: string,
  columns: readonly Column<Row>[],
  pages: AsyncIterator<readonly Row[], void>,
  timeZone = 'UTC',
): Promise<StreamableFile> {
  const headings = columns.map(({ name, isTime }) => (isTime ? `${name} (${timeZone})` : name));
  const names = BYTE_ORDER_MARK + csvLines([headings]);
  const local = localTimes(timeZone);
  const textOf = (rows: readonly Row[]) =>
    csvLines(
      rows.map((row) => columns.map((column) => column.of(row))),
      local,
    );
  return fileDownload(reply, { name, type: CSV_TYPE }, pages, textOf, names);
}

export function inPieces(pieces: AsyncIterator<readonly Buffer[], void>): Readable {
  async function* parts(): AsyncGenerator<Buffer> {
    for (let page = await nextPage(pieces); !page.done; page = await nextPage(pieces)) yield* page.value;
  }
  return Readable.from(parts(), { objectMode: false });
}

export async function fileDownload<Part>(
  reply: FastifyReply,
  { name, type }: { readonly name: string; readonly type: string },
  pages: AsyncIterator<readonly Part[], void>,
  bytesOf: (page: readonly Part[]) => string | Uint8Array,
  head?: string,
): Promise<StreamableFile> {
  const download = new Download();
  const copied = { next: () => within(download, () => pages.next()) };
  const first = await nextPage(copied);
  if (download.lagMs !== undefined) void reply.header(LAG_HEADER, Math.ceil(download.lagMs));
  async function* parts(): AsyncGenerator<string | Uint8Array> {
    if (head !== undefined) yield head;
    for (let page = first; !page.done; page = await nextPage(copied)) yield bytesOf(page.value);
  }
  return new StreamableFile(Readable.from(parts(), { objectMode: false }), {
    type,
    disposition: `attachment; filename="${name.replace(/[^\w.-]+/g, '-')}"`,
  });
}
