import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import { nextPage } from '../../batching/pages.js';

/**
 * Holds one page in memory. The first page is read before this returns; a later error breaks the transfer
 * off.
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
