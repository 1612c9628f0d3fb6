import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Expose, plainToInstance, Transform, Type } from 'class-transformer';
import { IsDate, IsIn, ValidateIf, validateSync } from 'class-validator';
import fc from 'fast-check';
import { AppError } from '../../../kernel/errors.js';
import { Amount, Digits, Email, ExactText, Name, NameList, Nested, Optional, Uuid } from './fields.js';
import { validateDto } from './validation.pipe.js';

class Plain {
  @Amount()
  amount: number;

  @Name(3, 5)
  name: string;

  @Digits(3)
  code: string;

  @Optional()
  @ExactText(0, 4)
  note?: string | null;

  @Optional()
  @Uuid()
  id?: string | null;

  @IsIn(['a', 'b'])
  kind: string;
}

class Inner {
  @Amount()
  amount: number;
}

class Mixed extends Plain {
  @NameList(1, 3, 2)
  list: string[];

  @ValidateIf(({ amount }: Mixed) => amount === 1)
  @Email()
  email: string;

  @Nested(Inner)
  inner: Inner;
}

const GOOD = {
  amount: 1,
  name: 'abc',
  code: '058',
  kind: 'a',
  list: ['a'],
  email: 'a@b.ng',
  inner: { amount: 1 },
};
const either = (...values: unknown[]) => fc.constantFrom(...values);
const members = {
  amount: either(1, 2, 0, -1, 1.5, '1', null, undefined, NaN, 2 ** 53),
  name: either('abc', ' abcde ', 'ab', 'abcdef', '', null, 3, [], {}),
  code: either('058', '58', '0588', 58, null, '05x'),
  note: either('', 'four', 'fives', null, undefined, 4),
  id: either('019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f', 'no', null, undefined),
  kind: either('a', 'b', 'c', null),
  list: either(['a'], ['a', 'b'], ['a', 'b', 'c'], [''], 'a', null, [1]),
  email: either('a@b.ng', 'no', null),
  inner: either({ amount: 1 }, { amount: 0 }, {}, 'x', null),
  other: either(1),
};
type Member = keyof typeof members;
const bodies = fc
  .tuple(fc.record(members), fc.subarray(Object.keys(members) as Member[], { maxLength: 3 }))
  .map(([random, names]) => ({
    ...GOOD,
    ...Object.fromEntries(names.map((name) => [name, random[name]])),
  }));

function refusedBy(dto: new () => object, body: object): readonly [ours: string[], theirs: string[]] {
  const found = validateSync(plainToInstance(dto, body), { forbidUnknownValues: false });
  const theirs = found.map(({ property }) => property).sort();
  try {
    validateDto(dto, body);
    return [[], theirs];
  } catch (error) {
    const { fields = [] } = (error as AppError).detail;
    return [[...new Set(fields.map(({ field }) => field.replace(/\..*/, '')))].sort(), theirs];
  }
}

describe('a request body', () => {
  it.each([
    ['plain rules alone', Plain],
    ['rules of every kind', Mixed],
  ])('is judged as class-validator judges it, in a class with %s', (_, dto) => {
    const verdicts = { passed: 0, refused: 0 };
    fc.assert(
      fc.property(bodies, (body) => {
        const [ours, theirs] = refusedBy(dto, body);
        verdicts[ours.length === 0 ? 'passed' : 'refused'] += 1;
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 500 },
    );
    expect(verdicts.passed).toBeGreaterThan(100);
    expect(verdicts.refused).toBeGreaterThan(100);
  });

  it.each([
    ['plain rules alone', Plain],
    ['rules of every kind', Mixed],
  ])('becomes what class-transformer makes of it, in a class with %s', (_, dto) => {
    let passed = 0;
    fc.assert(
      fc.property(bodies, (body) => {
        fc.pre(refusedBy(dto, body)[0].length === 0);
        passed += 1;
        const members = Object.keys(new dto());
        const known = Object.fromEntries(Object.entries(body).filter(([name]) => members.includes(name)));
        expect(validateDto(dto, body)).toStrictEqual(plainToInstance(dto, known));
      }),
      { numRuns: 300 },
    );
    expect(passed).toBeGreaterThan(100);
  });

  it('is given to the functions of its class as class-transformer gives it, one after the other', () => {
    class Changed {
      @Transform(({ value, key, obj, type }) => JSON.stringify([value, key, obj, type]))
      @Transform(({ value }) => `${String(value)}!`)
      @ExactText(0, 200)
      name: string;

      @Optional()
      @Transform(() => 'always')
      @ExactText(0, 200)
      note?: string;
    }
    for (const body of [{ name: 'abc' }, { name: 'abc', note: 'x' }]) {
      expect(validateDto(Changed, body)).toStrictEqual(plainToInstance(Changed, body));
    }
  });

  it('shows the functions of its class what the class names, and nothing of what stands in the place of a value', () => {
    class Looking {
      @Transform(({ obj }) => JSON.stringify(obj))
      @ExactText(0, 200)
      name: string;

      @Optional()
      @Transform(() => undefined)
      @ExactText(0, 200)
      note?: string;
    }
    const { name } = validateDto(Looking, { name: 'abc', other: 1, note: { other: 1 } });
    expect(name).toBe('{"name":"abc","note":{}}');
    class Given {
      @Transform(({ value }) => JSON.stringify(value))
      @ExactText(0, 200)
      name: string;
    }
    expect(validateDto(Given, { name: { other: 1 } }).name).toBe('{}');
  });

  it('is left to class-transformer where its class says more than what becomes of a value', () => {
    class Stored {
      @Transform(() => 'for the store alone', { toPlainOnly: true })
      @ExactText(0, 200)
      name: string;
    }
    class Renamed {
      @Expose({ name: 'called' })
      @ExactText(0, 200)
      name: string;
    }
    class Typed {
      @Type(() => Date)
      @IsDate()
      at: Date;
    }
    expect(validateDto(Stored, { name: 'abc' }).name).toBe('abc');
    expect(validateDto(Typed, { at: '2026-01-01T00:00:00Z' }).at).toEqual(new Date('2026-01-01T00:00:00Z'));
    expect(() => validateDto(Renamed, { name: 'abc' })).toThrow(AppError);
  });

  it('becomes an object of its class, with what the class says and nothing else', () => {
    const value = validateDto(Plain, { ...GOOD, name: ' abc ', other: 1 });
    expect(value).toBeInstanceOf(Plain);
    expect({ ...value }).toMatchObject({ amount: 1, name: 'abc', code: '058', kind: 'a' });
    expect(value).not.toHaveProperty('other');
  });
});
