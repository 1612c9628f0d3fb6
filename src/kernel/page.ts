/** The most rows one page holds; a larger `pageSize` or `limit` counts as this. */
export const PAGE_SIZE_MAX = 100;

/** The most bytes of values as long as users make them that one answer holds; what is past it is left out, and the row says so. */
export const LIST_BYTES_MAX = 1_048_576;

/** Which page of a list is asked for: `page` from 1, `pageSize` from 1 to {@link PAGE_SIZE_MAX}. */
export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

/** One page of rows, and how many rows there are in all. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** The range of `seq` that a page covers when `total` rows are numbered 1, 2, 3 … and shown newest first. */
export function seqRange({ page, pageSize }: PageRequest, total: number): { after: number; upTo: number } {
  const upTo = total - (page - 1) * pageSize;
  return { after: Math.max(0, upTo - pageSize), upTo: Math.max(0, upTo) };
}
