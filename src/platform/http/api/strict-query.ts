import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { DECORATORS } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { validationError } from '../../../kernel/errors.js';

interface Parameter {
  readonly in: string;
  readonly name: string;
}

/** Runs behind the guards. */
@Injectable()
class StrictQueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const parameters = (Reflect.getMetadata(DECORATORS.API_PARAMETERS, context.getHandler()) ??
      []) as Parameter[];
    const known = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const unknown = Object.keys(query as object).filter((name) => !known.includes(name));
    if (unknown.length > 0) {
      const message =
        known.length > 0 ? `is none of the parameters ${known.toSorted().join(', ')}` : 'is no parameter';
      throw validationError(...unknown.map((field) => ({ field, message })));
    }
    return next.handle();
  }
}

/** Refuses unknown parameters: a misspelt filter would answer everything. */
export const StrictQuery = () => applyDecorators(UseInterceptors(StrictQueryInterceptor));
