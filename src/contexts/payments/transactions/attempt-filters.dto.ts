import { PageQuery } from '../../../platform/http/api/pagination.js';
import { validationError } from '../../../kernel/errors.js';
import { instantOf, Parameter } from '../../../platform/http/api/query.js';
import { DECISIONS } from '../payments.dto.js';
import type { DecisionFilter } from './attempt-pages.js';

const INSTANT = { type: 'string', format: 'date-time', example: '2026-11-21T06:30:00Z' } as const;

export class AttemptsQuery extends PageQuery {
  @Parameter(
    ({ decision }) => {
      if (DECISIONS.some((each) => each === decision)) return decision;
      throw validationError({ field: 'decision', message: `must be ${DECISIONS.join(' or ')}` });
    },
    { description: 'Only these attempts; the totals are theirs.', type: 'string', enum: DECISIONS },
  )
  readonly decision?: DecisionFilter;
}

export class AttemptsInTimeQuery extends AttemptsQuery {
  @Parameter(instantOf, {
    description: 'Only attempts of this time or later; without a zone it is UTC.',
    ...INSTANT,
  })
  readonly from: Date | null = null;

  @Parameter(instantOf, {
    description: 'Only attempts before this time; without a zone it is UTC.',
    ...INSTANT,
  })
  readonly to: Date | null = null;
}
