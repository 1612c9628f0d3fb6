import pLimit from 'p-limit';
import { turn } from './turns.js';

/** Rows of a page of a download: few enough to be made into text in a millisecond or two. */
export const DOWNLOAD_PAGE_SIZE = 100;

/** Pages that all downloads of the process read at once; each download waits for one at most. */
const reading = pLimit(2);

/** Reads the next page of a download; what is made of it then has a turn of the event loop to itself. */
export async function nextPage<Row>(
  pages: AsyncIterator<readonly Row[], void>,
): Promise<IteratorResult<readonly Row[], void>> {
  const page = await reading(() => pages.next());
  await turn();
  return page;
}
