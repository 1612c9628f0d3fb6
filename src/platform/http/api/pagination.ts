import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { type Page, PAGE_SIZE_MAX, type PageRequest } from '../../../kernel/page.js';
import { CountParameter, Parameter, positiveIntegerOf } from './query.js';
import { ApiConstantProperty, ApiIntegerProperty } from './response-properties.js';

const PAGE_MAX = 2_147_483_647;
export const PAGE_SIZE_DEFAULT = 10;

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

export const PageNumber = () => CountParameter(PAGE_MAX, 'Which page, from 1.', 1);

export const RowCount = (description: string, fallback: number) =>
  Parameter((query, field) => Math.min(positiveIntegerOf(query, field), PAGE_SIZE_MAX), {
    description: `${description}; more than ${PAGE_SIZE_MAX} counts as ${PAGE_SIZE_MAX}.`,
    type: 'integer',
    minimum: 1,
    default: fallback,
  });

export const PageSize = () => RowCount('Rows on a page', PAGE_SIZE_DEFAULT);

export class PageQuery implements PageRequest {
  @PageNumber()
  readonly page: number = 1;

  @PageSize()
  readonly pageSize: number = PAGE_SIZE_DEFAULT;
}

/** An empty list has 0 pages. */
export function paginated<Row>(
  { page, pageSize }: PageRequest,
  { rows, total }: Page<Row>,
): { success: true; data: readonly Row[]; pagination: Pagination } {
  const totalPages = Math.ceil(total / pageSize);
  return { success: true, data: rows, pagination: { page, pageSize, totalCount: total, totalPages } };
}
