import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { type FieldError, validationError } from '../../kernel/errors.js';

type Dto<T extends object> = new () => T;

/**
 * Brings a body into the shape of `dto`: fields that the class does not name are dropped, nothing is converted
 * but what the class says. Throws `VALIDATION_ERROR` with one entry per failing field.
 */
export function validateDto<T extends object>(dto: Dto<T>, body: unknown): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw validationError({ field: 'body', message: 'must be a JSON object' });
  }
  const value = plainToInstance(dto, withoutConstructors(body) as object);
  const errors = validateSync(value, { whitelist: true, stopAtFirstError: true, forbidUnknownValues: false });
  if (errors.length > 0) throw validationError(...errors.flatMap((error) => fieldErrors(error, '')));
  return value;
}

/** class-transformer calls what an object within a body names `constructor`: no field of ours has that name. */
function withoutConstructors(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutConstructors);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'constructor')
      .map(([name, each]) => [name, withoutConstructors(each)]),
  );
}

function fieldErrors({ property, constraints, children }: ValidationError, prefix: string): FieldError[] {
  const field = prefix + property;
  const nested = (children ?? []).flatMap((child) => fieldErrors(child, `${field}.`));
  const [message] = Object.values(constraints ?? {});
  if (message === undefined) return nested;
  return [{ field, message: message.replace(new RegExp(`^(each value in )?${property} `), '$1') }, ...nested];
}

/** Shapes every `@Body()` by its class; other arguments pass as they are. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || !metatype || metatype === Object) return value;
    return validateDto(metatype as Dto<object>, value);
  }
}
