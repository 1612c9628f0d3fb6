import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiQuery } from '@nestjs/swagger';
import { validationError } from '../../../kernel/errors.js';
import { type Page, PAGE_SIZE_MAX, type PageRequest } from '../../../kernel/page.js';
import { ApiConstantProperty, ApiIntegerProperty } from './response-properties.js';

const PAGE_MAX = 2_147_483_647;
const PAGE_SIZE_DEFAULT = 10;

/** Example of a list's failing field. */
export const INVALID_PAGE = { field: 'page', message: 'must be a positive whole number' };

export class Pagination implements PageRequest {
  @ApiIntegerProperty('The page, from 1.', 1, { minimum: 1 })
  page: number;

  @ApiIntegerProperty('The most rows a page has.', PAGE_SIZE_DEFAULT, { minimum: 1, maximum: PAGE_SIZE_MAX })
  pageSize: number;

  @ApiIntegerProperty('All rows of the list.', 2, { minimum: 0 })
  totalCount: number;

  @ApiIntegerProperty('All pages of the list; 0 when it is empty.', 1, { minimum: 0 })
  totalPages: number;
}

export function PageOf<T extends object>(row: Type<T>) {
  class Answer {
    @ApiConstantProperty(true)
    success: true;

    @ApiProperty({ type: [row], description: 'Newest first.' })
    data: readonly T[];

    @ApiProperty({ type: Pagination })
    pagination: Pagination;
  }
  return Answer;
}

export const Paged = () =>
  applyDecorators(
    ApiQuery({
      name: 'page',
      required: false,
      description: 'Which page, from 1.',
      schema: { type: 'integer', minimum: 1, maximum: PAGE_MAX, default: 1 },
    }),
    ApiQuery({
      name: 'pageSize',
      required: false,
      description: `Rows on a page; more than ${PAGE_SIZE_MAX} counts as ${PAGE_SIZE_MAX}.`,
      schema: { type: 'integer', minimum: 1, default: PAGE_SIZE_DEFAULT },
    }),
  );

/** Throws `VALIDATION_ERROR`. */
export function positiveInteger(query: Record<string, unknown>, field: string, fallback: number): number {
  const value = query[field];
  if (value === undefined) return fallback;
  if (typeof value !== 'string' || !/^0*[1-9]\d*$/.test(value)) {
    throw validationError({ ...INVALID_PAGE, field });
  }
  return Number(value);
}

/** Defaults are 1 and 10. Throws `VALIDATION_ERROR`. */
export function pageRequest(query: Record<string, unknown>): PageRequest {
  const page = positiveInteger(query, 'page', 1);
  if (page > PAGE_MAX) throw validationError({ field: 'page', message: `must be at most ${PAGE_MAX}` });
  return { page, pageSize: Math.min(positiveInteger(query, 'pageSize', PAGE_SIZE_DEFAULT), PAGE_SIZE_MAX) };
}

/** An empty list has 0 pages. */
export function paginated<Row>(
  { page, pageSize }: PageRequest,
  { rows, total }: Page<Row>,
): { success: true; data: readonly Row[]; pagination: Pagination } {
  const totalPages = Math.ceil(total / pageSize);
  return { success: true, data: rows, pagination: { page, pageSize, totalCount: total, totalPages } };
}
