import { ApiProperty } from '@nestjs/swagger';
import type { Column } from '../../platform/http/api/csv.js';
import { PageNumber, PageOf, PageSize, PAGE_SIZE_DEFAULT } from '../../platform/http/api/pagination.js';
import { instantOf, Parameter, textOf, uuidOf } from '../../platform/http/api/query.js';
import {
  ApiIdProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
} from '../../platform/http/api/response-properties.js';
import type { Activity } from './activity.entity.js';
import type { ActivityFilter } from './activity.store.js';

const ACT_MAX = 50;
const INSTANT = { type: 'string', format: 'date-time', example: '2026-11-21T06:30:00Z' } as const;
const FIELDS = { type: 'object', additionalProperties: true, nullable: true } as const;

export class ActivityFilterQuery implements ActivityFilter {
  @Parameter(uuidOf, { description: 'Only what this user did.', type: 'string', format: 'uuid' })
  readonly userId: string | null = null;

  @Parameter((query, field) => textOf(query, field, ACT_MAX), {
    description: 'Only this act, such as `key.created`, or all of a kind: `key`.',
    type: 'string',
  })
  readonly act: string | null = null;

  @Parameter(instantOf, {
    description: 'Only acts of this time or later; without a zone it is UTC.',
    ...INSTANT,
  })
  readonly from: Date | null = null;

  @Parameter(instantOf, { description: 'Only acts before this time; without a zone it is UTC.', ...INSTANT })
  readonly to: Date | null = null;
}

export class ActivityQuery extends ActivityFilterQuery {
  @PageNumber()
  readonly page: number = 1;

  @PageSize()
  readonly pageSize: number = PAGE_SIZE_DEFAULT;
}

export class ActivityView {
  @ApiIdProperty('The line.')
  id: string;

  @ApiTimeProperty('When it was done.')
  at: Date;

  @ApiIdProperty('Who did it; null for an operator of the service.', OR_NULL)
  userId: string | null;

  @ApiTextProperty('The e-mail that the user had then, or `operator`.', 'ada@example.ng', OR_NULL)
  actor: string | null;

  @ApiTextProperty('What was done.', 'key.created')
  act: string;

  @ApiTextProperty('What it was done to: an id, or the name of a file.', 'payments.csv', OR_NULL)
  subject: string | null;

  @ApiProperty({ ...FIELDS, description: 'The fields that changed, as they were.' })
  before: object | null;

  @ApiProperty({ ...FIELDS, description: 'The same fields, as they became.' })
  after: object | null;

  @ApiTextProperty('The address that it was done from.', '203.0.113.7', OR_NULL)
  address: string | null;

  @ApiTextProperty('Of the request, as in the logs.', 'a1b2c3-1f', OR_NULL)
  requestId: string | null;
}

export class ActivityResponse extends PageOf(ActivityView) {}

export function presentActivity({ accountId: _, ...line }: Activity): ActivityView {
  return line;
}

const json = (fields: object | null) => (fields ? JSON.stringify(fields) : null);

export const ACTIVITY_CSV: readonly Column<Activity>[] = [
  { name: 'at', isTime: true, of: ({ at }) => at },
  { name: 'actor', of: ({ actor }) => actor },
  { name: 'user_id', of: ({ userId }) => userId },
  { name: 'act', of: ({ act }) => act },
  { name: 'subject', of: ({ subject }) => subject },
  { name: 'before', of: ({ before }) => json(before) },
  { name: 'after', of: ({ after }) => json(after) },
  { name: 'address', of: ({ address }) => address },
  { name: 'request_id', of: ({ requestId }) => requestId },
];
