import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type FieldError, validationError } from '../../../kernel/errors.js';
import { GuardErrors } from './operation.js';
import { memberNames } from './validation.pipe.js';

export function unknownField(field: string, known: readonly string[]): FieldError {
  const names = known.toSorted().join(', ');
  return { field, message: names ? `is none of the parameters ${names}` : 'is no parameter' };
}

/** Runs behind the guards. */
class StrictQueryInterceptor implements NestInterceptor {
  constructor(private readonly known: readonly string[]) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const unknown = Object.keys(query as object).filter((name) => !this.known.includes(name));
    if (unknown.length > 0) throw validationError(...unknown.map((field) => unknownField(field, this.known)));
    return next.handle();
  }
}

/** Refuses parameters that the class does not have: a misspelt filter would answer everything. */
export const StrictQuery = (query?: Type) =>
  applyDecorators(
    UseInterceptors(new StrictQueryInterceptor(query ? memberNames(query) : [])),
    GuardErrors('query', 'VALIDATION_ERROR'),
  );
