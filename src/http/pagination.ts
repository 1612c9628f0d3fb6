import { invalid } from '../shared/errors.js';
import { type Page, PAGE_SIZE_MAX, type PageRequest } from '../shared/page.js';

const PAGE_MAX = 2_147_483_647;
/** Where a page stands in its list. */
export interface Pagination extends PageRequest {
  readonly totalCount: number;
  readonly totalPages: number;
}

/** Reads a positive whole number from a query; throws `VALIDATION_ERROR` for anything else. */
export function positiveInteger(query: Record<string, unknown>, field: string, fallback: number): number {
  const value = query[field];
  if (value === undefined) return fallback;
  if (typeof value !== 'string' || !/^0*[1-9]\d*$/.test(value)) {
    throw invalid({ field, message: 'must be a positive whole number' });
  }
  return Number(value);
}

/** Reads `page` (default 1) and `pageSize` (default 10); throws `VALIDATION_ERROR`. */
export function pageRequest(query: Record<string, unknown>): PageRequest {
  const page = positiveInteger(query, 'page', 1);
  if (page > PAGE_MAX) throw invalid({ field: 'page', message: `must be at most ${PAGE_MAX}` });
  return { page, pageSize: Math.min(positiveInteger(query, 'pageSize', 10), PAGE_SIZE_MAX) };
}

/** The envelope of a paginated list; an empty list has 0 pages. */
export function paginated<Row>(
  { page, pageSize }: PageRequest,
  { rows, total }: Page<Row>,
): { success: true; data: readonly Row[]; pagination: Pagination } {
  const totalPages = Math.ceil(total / pageSize);
  return { success: true, data: rows, pagination: { page, pageSize, totalCount: total, totalPages } };
}
