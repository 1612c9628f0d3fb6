import pLimit from 'p-limit';
import { turn } from './turns.js';

/** Rows of a page of a download; a page becomes text in 1 to 2 ms. */
export const DOWNLOAD_PAGE_SIZE = 100;

const PAGES_AT_ONCE = 2;
const reading = pLimit(PAGES_AT_ONCE);

/** Reads the next page of a download, then waits for a turn of the event loop. */
export async function nextPage<Row>(
  pages: AsyncIterator<readonly Row[], void>,
): Promise<IteratorResult<readonly Row[], void>> {
  const page = await reading(() => pages.next());
  await turn();
  return page;
}
