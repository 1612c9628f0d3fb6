import type { Page } from './types.js';

/**
 * A page of a list; past the last one, the last one. A page empties while it is shown, as by the decision on its only
 * approval, and the list is not empty for that.
 */
export async function pageOrLast<Found extends Page<unknown>>(
  page: number,
  read: (page: number) => Promise<Found>,
): Promise<Found> {
  const found = await read(page);
  const last = Math.max(found.pagination.totalPages, 1);
  return page > last ? pageOrLast(last, read) : found;
}
