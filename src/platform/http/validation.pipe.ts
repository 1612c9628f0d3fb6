import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError, ValidationTypes } from 'class-validator';
import { type FieldError, validationError } from '../../kernel/errors.js';
import { NESTED } from './fields.js';

type Dto<T extends object> = new () => T;

/**
 * Brings a body into the shape of `dto`: members that the class does not name are dropped before anything looks at
 * them, and nothing is converted but what the class says. Throws `VALIDATION_ERROR` with one entry per failing field.
 */
export function validateDto<T extends object>(dto: Dto<T>, body: unknown): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw validationError({ field: 'body', message: 'must be a JSON object' });
  }
  const value = plainToInstance(dto, knownMembers(dto, body as Json));
  if (keepsPlainRules(dto, value)) return value;
  const errors = validateSync(value, { stopAtFirstError: true, forbidUnknownValues: false });
  if (errors.length > 0) throw validationError(...errors.flatMap((error) => fieldErrors(error, '')));
  return value;
}

rememberRules();

/**
 * class-validator gathers the rules of a class anew for each body, from those of all classes: what a payment costs would
 * grow with every request class there is. They stand once the class does.
 */
function rememberRules(): void {
  const storage = getMetadataStorage();
  const gather = storage.getTargetValidationMetadatas.bind(storage);
  const rulesOf = new WeakMap<object, ReturnType<typeof gather>>();
  storage.getTargetValidationMetadatas = (target, schema, always, strictGroups, groups) => {
    if (schema || always || strictGroups || groups)
      return gather(target, schema, always, strictGroups, groups);
    let rules = rulesOf.get(target);
    if (!rules) rulesOf.set(target, (rules = gather(target, schema, always, strictGroups, groups)));
    return rules;
  };
}

interface PlainRule {
  readonly name: string;
  /** Whether the rule is asked at all: what is optional may be missing. */
  readonly applies: readonly ((value: object, member: unknown) => boolean)[];
  readonly holds: (value: object, member: unknown) => boolean;
}

const plainRulesOf = new WeakMap<object, readonly PlainRule[] | null>();

/**
 * Whether `value` keeps all rules of its class, told in a third of the time that class-validator takes to find nothing:
 * every payment pays for it. False says nothing: what breaks a rule, and a class with a rule that is more than a question
 * about one member, are left to class-validator.
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

/** Null: not all rules of the class are of that kind. */
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

/** A member that a class has rules for; `nested`: the class of the object that it is. */
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

/**
 * What stands in the place of a value is refused whatever it holds; it is not looked into. An object within a body has
 * a class of its own: see `Nested`.
 */
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

/** Shapes every `@Body()` by its class; other arguments pass as they are. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || !metatype || metatype === Object) return value;
    return validateDto(metatype as Dto<object>, value);
  }
}
