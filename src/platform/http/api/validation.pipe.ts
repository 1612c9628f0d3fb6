import { type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import { plainToInstance, type TransformFnParams, TransformationType } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, validateSync, type ValidationError, ValidationTypes } from 'class-validator';
import { type FieldError, validationError } from '../../../kernel/errors.js';
import { NESTED } from './fields.js';

type Dto<T extends object> = new () => T;

/**
 * Drops unknown members; converts only what the class says. Throws `VALIDATION_ERROR` with an entry per
 * field.
 */
export function validateDto<T extends object>(dto: Dto<T>, body: unknown): T {
  assertObject(body);
  const value = instanceOf(dto, body);
  if (keepsPlainRules(dto, value)) return value;
  const errors = validateSync(value, { stopAtFirstError: true, forbidUnknownValues: false });
  if (errors.length > 0) throw validationError(...errors.flatMap((error) => fieldErrors(error, '')));
  return value;
}

function assertObject(body: unknown): asserts body is Json {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw validationError({ field: 'body', message: 'must be a JSON object' });
  }
}

const mayBeAbsent = new WeakSet<object>();

export const OptionalBody = (): ClassDecorator => (dto) => void mayBeAbsent.add(dto);

interface PlainMember {
  readonly name: string;
  readonly transforms: readonly ((params: TransformFnParams) => unknown)[];
}

const plainMembersOf = new WeakMap<object, readonly PlainMember[] | null>();

/** class-transformer's result in a fifth of the time, for classes with plain members. */
function instanceOf<T extends object>(dto: Dto<T>, body: Json): T {
  let plain = plainMembersOf.get(dto);
  if (plain === undefined) plainMembersOf.set(dto, (plain = plainMembers(dto)));
  if (plain === null) return plainToInstance(dto, knownMembers(dto, body));
  const instance = new dto();
  for (const { name, transforms } of plain) {
    if (!Object.hasOwn(body, name)) continue;
    let value = flattened(body[name]);
    for (const transform of transforms) value = transform(new TransformParams(value, name, dto, body));
    (instance as Record<string, unknown>)[name] = value;
  }
  return instance;
}

class TransformParams implements TransformFnParams {
  readonly type = TransformationType.PLAIN_TO_CLASS;
  readonly options = {};

  constructor(
    readonly value: unknown,
    readonly key: string,
    private readonly dto: Dto<object>,
    private readonly body: Json,
  ) {}

  /** Only built if a transform reads it. */
  get obj(): Json {
    return knownMembers(this.dto, this.body);
  }
}

/** Null: needs class-transformer. */
function plainMembers(dto: Dto<object>): readonly PlainMember[] | null {
  const records = defaultMetadataStorage;
  if (records.getStrategy(dto) !== 'none' || records.getExposedMetadatas(dto).length > 0) return null;
  const members: PlainMember[] = [];
  for (const { name } of knownMembersOf(dto)) {
    const found = records.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
    // The library's types deny undefined.
    const type = records.findTypeMetadata(dto, name) as object | undefined;
    if (type || found.some(({ options }) => Object.keys(options).length > 0)) return null;
    members.push({ name, transforms: found.map(({ transformFn }) => transformFn) });
  }
  return members;
}

interface PlainRule {
  readonly name: string;
  /** Optional members may be missing. */
  readonly applies: readonly ((value: object, member: unknown) => boolean)[];
  readonly holds: (value: object, member: unknown) => boolean;
}

const plainRulesOf = new WeakMap<object, readonly PlainRule[] | null>();

/**
 * True if all plain rules pass, in a third of class-validator's time. False decides nothing: class-validator
 * then judges.
 */
function keepsPlainRules<T extends object>(dto: Dto<T>, value: T): boolean {
  let rules = plainRulesOf.get(dto);
  if (rules === undefined) plainRulesOf.set(dto, (rules = plainRules(dto)));
  if (rules === null) return false;
  for (const { name, applies, holds } of rules) {
    const member = (value as Json)[name];
    if (applies.every((asked) => asked(value, member)) && !holds(value, member)) return false;
  }
  return true;
}

/** Null: some rules are not plain. */
function plainRules(dto: Dto<object>): readonly PlainRule[] | null {
  const storage = getMetadataStorage();
  const all = storage.getTargetValidationMetadatas(dto, '', false, false);
  const conditions = all.filter(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
  const rules: PlainRule[] = [];
  for (const rule of all) {
    const { type, propertyName: name, each, validateIf, constraintCls, constraints } = rule;
    if (type === ValidationTypes.CONDITIONAL_VALIDATION) continue;
    if (type !== ValidationTypes.CUSTOM_VALIDATION || each || validateIf) return null;
    const applies = conditions
      .filter(({ propertyName }) => propertyName === name)
      .map((condition) => condition.constraints[0] as PlainRule['applies'][number]);
    for (const { async, instance } of storage.getTargetValidatorConstraints(constraintCls)) {
      if (async) return null;
      const holds: PlainRule['holds'] = (object, value) =>
        instance.validate(value, { targetName: dto.name, property: name, object, value, constraints }) ===
        true;
      rules.push({ name, applies, holds });
    }
  }
  return rules;
}

type Json = Readonly<Record<string, unknown>>;

/** `nested`: class of the member's object. */
interface Member {
  readonly name: string;
  readonly nested: Dto<object> | undefined;
}

const membersOf = new WeakMap<object, readonly Member[]>();

function knownMembersOf(dto: Dto<object>): readonly Member[] {
  let members = membersOf.get(dto);
  if (!members) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
    members = [...new Set(rules.map(({ propertyName }) => propertyName))].map((name) => ({
      name,
      nested: Reflect.getMetadata(NESTED, dto.prototype as object, name) as Dto<object> | undefined,
    }));
    membersOf.set(dto, members);
  }
  return members;
}

function knownMembers(dto: Dto<object>, body: Json): Json {
  const known: Record<string, unknown> = {};
  for (const { name, nested } of knownMembersOf(dto)) {
    if (!Object.hasOwn(body, name)) continue;
    const value = body[name];
    const isNested = nested !== undefined && isObject(value) && !Array.isArray(value);
    known[name] = isNested ? knownMembers(nested, value as Json) : flattened(value);
  }
  return known;
}

/** Objects in place of values are refused unread; see `Nested`. */
function flattened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => (isObject(each) ? {} : (each as unknown)));
  return isObject(value) ? {} : value;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

function fieldErrors({ property, constraints, children }: ValidationError, prefix: string): FieldError[] {
  const field = prefix + property;
  const nested = (children ?? []).flatMap((child) => fieldErrors(child, `${field}.`));
  const [message] = Object.values(constraints ?? {});
  if (message === undefined) return nested;
  return [{ field, message: message.replace(new RegExp(`^(each value in )?${property} `), '$1') }, ...nested];
}

export const memberNames = (dto: Dto<object>): string[] => knownMembersOf(dto).map(({ name }) => name);

@Injectable()
export class RequestPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      stopAtFirstError: true,
      forbidUnknownValues: false,
      exceptionFactory: (errors) => validationError(...errors.flatMap((error) => fieldErrors(error, ''))),
    });
  }

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (!this.toValidate(metadata)) return Promise.resolve(value);
    const dto = metadata.metatype as Dto<object>;
    const given = value === undefined && mayBeAbsent.has(dto) ? {} : value;
    if (metadata.type === 'body') assertObject(given);
    // class-transformer would call what a body names `constructor`.
    return super.transform(knownMembers(dto, given as Json), metadata);
  }
}
