import { applyDecorators, type Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { ApiExtension } from '@nestjs/swagger';
import type { ErrorCode, FieldError } from '../../../kernel/errors.js';

/** Named after its distinguishing member; the last two are those of JSON-RPC and of OAuth. */
export type Envelope = 'error' | 'status' | 'success' | 'json-rpc' | 'oauth';

export interface ErrorAnswers {
  /** `error` unless given. */
  readonly envelope?: Envelope;
  /** Statuses that differ from the usual. */
  readonly status?: Partial<Record<ErrorCode, number>>;
  readonly invalidField?: FieldError;
  readonly at?: readonly string[];
}

export const ANSWERS = 'x-answers';

const declared: { readonly controller: Type; readonly answers: ErrorAnswers }[] = [];
let byPrefix: (readonly [string, ErrorAnswers])[] | undefined;

/**
 * Declares how a controller answers errors, at every address below its path, served or not. On a method, only
 * documents.
 */
export const Answers = (answers: ErrorAnswers) =>
  applyDecorators(ApiExtension(ANSWERS, answers), (controller: object, method?: string | symbol) => {
    if (method !== undefined || !(answers.envelope ?? answers.status)) return;
    declared.push({ controller: controller as Type, answers });
    byPrefix = undefined;
  });

export function answersAt(path: string): ErrorAnswers {
  byPrefix ??= declared
    .flatMap(({ controller, answers }) => {
      const own = Reflect.getMetadata(PATH_METADATA, controller) as string | string[];
      return [answers.at ?? own].flat().map((prefix) => [`/${prefix}`, answers] as const);
    })
    .sort(([one], [other]) => other.length - one.length);
  return byPrefix.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? {};
}
