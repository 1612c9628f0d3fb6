import type { Kobo } from './money.js';

/** Larger requests count as this. */
export const PAGE_SIZE_MAX = 100;

/** The rest is left out and marked. */
export const LIST_BYTES_MAX = 1_048_576;

/** `page` from 1. */
export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

export interface StatusTotal<Status extends string> {
  readonly status: Status;
  readonly count: number;
  readonly amount: Kobo;
}

/** Null `totals`: too many rows. */
export interface TotalledPage<Row, Status extends string> extends Page<Row> {
  readonly totals: readonly StatusTotal<Status>[] | null;
}

/** `seq` range of a page, newest first. */
export function seqRange({ page, pageSize }: PageRequest, total: number): { after: number; upTo: number } {
  const upTo = total - (page - 1) * pageSize;
  return { after: Math.max(0, upTo - pageSize), upTo: Math.max(0, upTo) };
}
