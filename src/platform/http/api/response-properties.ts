import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { KOBO_MAX } from '../../../kernel/money.js';

/*
 * Properties of answers in the OpenAPI document, each with description and example. Every property is always
 * present; null where the options say so.
 */

type Options = Omit<ApiPropertyOptions, 'type' | 'description' | 'example' | 'enum'>;

const property = (schema: object, description: string, example: unknown, options: Options = {}) =>
  ApiProperty({ ...schema, description, example, ...options } as ApiPropertyOptions);

const ID = '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f';
const INSTANT = '2026-11-21T06:30:00.000Z';

export const OR_NULL = { nullable: true } as const;

export const ApiIdProperty = (description: string, options?: Options) =>
  property({ type: 'string', format: 'uuid' }, description, ID, options);

export const ApiTimeProperty = (description: string, options?: Options) =>
  property({ type: 'string', format: 'date-time' }, `${description} UTC, ISO 8601.`, INSTANT, options);

export const ApiTextProperty = (description: string, example: string, options?: Options) =>
  property({ type: 'string' }, description, example, options);

/** In kobo, not negative. */
export const ApiKoboProperty = (description: string, example: number, options?: Options) =>
  property(
    { type: 'integer', format: 'int64', minimum: 0, maximum: KOBO_MAX },
    `${description} In kobo.`,
    example,
    options,
  );

export const ApiIntegerProperty = (description: string, example: number, options?: Options) =>
  property({ type: 'integer' }, description, example, options);

export const ApiBooleanProperty = (description: string, example: boolean, options?: Options) =>
  property({ type: 'boolean' }, description, example, options);

export const ApiConstantProperty = (value: string | boolean) =>
  ApiProperty({
    type: typeof value === 'string' ? 'string' : 'boolean',
    enum: [value],
    example: value,
  });

export const ApiEnumProperty = (words: readonly string[], description: string, options?: Options) =>
  property({ type: 'string', enum: [...words] }, description, options?.nullable ? null : words[0], options);

export const ApiObjectProperty = (type: Type, description: string, options?: Options) =>
  ApiProperty({ type, description, ...options } as ApiPropertyOptions);

export const ApiListProperty = (type: Type, description: string, options?: Options) =>
  ApiProperty({ type, isArray: true, description, ...options } as ApiPropertyOptions);

export const ApiStringsProperty = (description: string, example: readonly string[]) =>
  property({ type: 'array', items: { type: 'string' } }, description, example);

export function StatusSuccess<T extends object>(data: Type<T>) {
  class Answer {
    @ApiConstantProperty('success')
    status: 'success';

    @ApiProperty({ type: data })
    data: T;
  }
  return Answer;
}

export function Success<T extends object>(data: Type<T>, description?: string) {
  class Answer {
    @ApiConstantProperty(true)
    success: true;

    @ApiProperty({ type: data, ...(description && { description }) })
    data: T;
  }
  return Answer;
}

export function ListOf<T extends object>(row: Type<T>, description: string) {
  class Answer {
    @ApiConstantProperty(true)
    success: true;

    @ApiListProperty(row, description)
    data: readonly T[];
  }
  return Answer;
}

export class DoneResponse {
  @ApiConstantProperty(true)
  success: true;
}

export class StatusResponse {
  @ApiConstantProperty('success')
  status: 'success';

  @ApiTextProperty('What was done, for people.', 'You are logged out.')
  message: string;
}
