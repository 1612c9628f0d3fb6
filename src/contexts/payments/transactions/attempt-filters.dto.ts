import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { validationError } from '../../../kernel/errors.js';
import { instantOf, type Query } from '../../../platform/http/api/query.js';
import { DECISIONS } from '../payments.dto.js';
import type { DecisionFilter } from './attempt-pages.js';

const INSTANT = '2026-11-21T06:30:00Z';

export const FilteredByDecision = () =>
  ApiQuery({
    name: 'decision',
    required: false,
    description: 'Only these attempts; the totals are theirs.',
    schema: { type: 'string', enum: [...DECISIONS] },
  });

export const FilteredByTime = () =>
  applyDecorators(
    ApiQuery({
      name: 'from',
      required: false,
      description: 'Only attempts of this time or later; without a zone it is UTC.',
      schema: { type: 'string', format: 'date-time' },
      example: INSTANT,
    }),
    ApiQuery({
      name: 'to',
      required: false,
      description: 'Only attempts before this time; without a zone it is UTC.',
      schema: { type: 'string', format: 'date-time' },
      example: INSTANT,
    }),
  );

/** Throws `VALIDATION_ERROR` for an unknown decision. */
export function decisionAsked({ decision }: Record<string, unknown>): DecisionFilter | undefined {
  const known = DECISIONS.find((each) => each === decision);
  if (decision === undefined || known) return known;
  throw validationError({ field: 'decision', message: `must be ${DECISIONS.join(' or ')}` });
}

/** Throws `VALIDATION_ERROR` for an invalid instant. */
export function timeAsked(query: Query): { from: Date | null; to: Date | null } {
  return { from: instantOf(query, 'from'), to: instantOf(query, 'to') };
}
