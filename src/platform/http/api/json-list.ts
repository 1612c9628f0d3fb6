import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { nextPage } from '../../batching/pages.js';

/**
 * A bare JSON array, sent row by row, so that its size does not matter; a client that reads slowly holds no more than
 * one page. The first page is read before this returns: what goes wrong there is answered as an error, what goes
 * wrong later breaks the transfer off, so that a part is never taken for the whole.
 */
export async function jsonList<Row>(pages: AsyncIterator<readonly Row[], void>): Promise<StreamableFile> {
  const first = await nextPage(pages);
  async function* json(): AsyncGenerator<string> {
    let before = '[';
    for (let page = first; !page.done; page = await nextPage(pages)) {
      for (const row of page.value) {
        yield before + JSON.stringify(row);
        before = ',';
      }
    }
    yield before === '[' ? '[]' : ']';
  }
  return new StreamableFile(Readable.from(json(), { objectMode: false }), {
    type: 'application/json; charset=utf-8',
  });
}
