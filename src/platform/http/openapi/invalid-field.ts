import type { Type } from '@nestjs/common';
import { AppError, type FieldError } from '../../../kernel/errors.js';
import { requestsOf } from '../api/operation.js';
import { unknownField } from '../api/strict-query.js';
import { memberNames, validateDto } from '../api/validation.pipe.js';

export function invalidFieldOf(operationId = ''): FieldError {
  const requests = requestsOf(operationId) as readonly Type<object>[];
  for (const request of requests) {
    const allOf = (value: unknown) => Object.fromEntries(memberNames(request).map((name) => [name, value]));
    for (const wrong of [{}, allOf(''), allOf({})]) {
      const found = problemOf(request, wrong);
      if (found) return found;
    }
  }
  return unknownField('colour', requests.flatMap(memberNames));
}

function problemOf(request: Type<object>, body: object): FieldError | undefined {
  try {
    validateDto(request, body);
  } catch (error) {
    if (error instanceof AppError) return error.detail.fields?.[0];
    throw error;
  }
  return undefined;
}
