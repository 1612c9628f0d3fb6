import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cappedSum, kobo, KOBO_MAX, koboFromNaira, nairaFromKobo } from './money.js';

describe('kobo', () => {
  it.each([0, 1, 2_147_483_647, 2_147_483_648, KOBO_MAX - 1, KOBO_MAX])('takes %d', (value) => {
    expect(kobo(value)).toBe(value);
  });

  it.each([-1, -0.5, 0.5, 1.5, KOBO_MAX + 1, 1e21, NaN, Infinity, -Infinity])('refuses %d', (value) => {
    expect(() => kobo(value)).toThrow(RangeError);
  });
});

describe('a sum of two amounts', () => {
  it.each([
    [KOBO_MAX - 3, 2, KOBO_MAX - 1],
    [KOBO_MAX - 2, 2, KOBO_MAX],
    [KOBO_MAX - 1, 2, KOBO_MAX],
    [KOBO_MAX - 1, 3, KOBO_MAX],
    [KOBO_MAX, KOBO_MAX, KOBO_MAX],
  ])('of %d and %d is %d', (one, other, sum) => {
    expect(cappedSum(one, other)).toBe(sum);
  });
});

describe('naira as decimal text', () => {
  it.each([
    ['0.01', 1],
    ['0.1', 10],
    ['1', 100],
    ['1.0', 100],
    ['19.99', 1999],
    ['4.35', 435],
    ['1050.55', 105_055],
    ['1050.50', 105_050],
    ['10.500', 1050],
    ['10.5000000000000000000000000000', 1050],
    ['1e2', 10_000],
    ['1E2', 10_000],
    ['1e+2', 10_000],
    ['1.055e1', 1055],
    ['1e-2', 1],
    ['100e-2', 100],
    ['0.0001e2', 1],
    ['70368744177664.01', 7_036_874_417_766_401],
    ['7.036874417766401e13', 7_036_874_417_766_401],
    ['90071992547409.90', KOBO_MAX - 1],
    ['90071992547409.91', KOBO_MAX],
  ])('reads %s exactly', (text, expected) => {
    expect(koboFromNaira(text)).toBe(expected);
  });

  it.each([
    '0',
    '0.00',
    '0e5',
    '-0',
    '-0.01',
    '-5',
    '0.001',
    '0.009',
    '10.505',
    '1050.555',
    '1e-3',
    '1e-7',
    '90071992547409.92',
    '9007199254740993',
    '1e308',
    '1e400',
    '1e99',
    '1e-99',
    '',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '1,000',
    '0x10',
    'NaN',
    'Infinity',
    '₦5',
    '١',
  ])('refuses %j', (text) => {
    expect(koboFromNaira(text)).toBeNull();
  });

  it('reads back every amount that it writes', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (amount) => {
        fc.pre(amount > 0);
        expect(koboFromNaira(nairaFromKobo(kobo(amount)))).toBe(amount);
      }),
    );
  });

  it('means the same with zeros at the end and with its point moved by an exponent', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),
        fc.nat({ max: 10 }),
        fc.integer({ min: 0, max: 15 }),
        (amount, zeros, shift) => {
          fc.pre(amount > 0);
          const text = nairaFromKobo(kobo(amount));
          expect(koboFromNaira(text + '0'.repeat(zeros))).toBe(amount);
          expect(
            koboFromNaira(`${amount}${'0'.repeat(shift > 4 ? 4 : shift)}e-${2 + (shift > 4 ? 4 : shift)}`),
          ).toBe(amount);
        },
      ),
    );
  });

  it('refuses every amount with a digit other than zero past the second place', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat({ max: 99 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat({ max: 8 }),
        (whole, cents, digit, zeros) => {
          const text = `${whole}.${String(cents).padStart(2, '0')}${'0'.repeat(zeros)}${digit}`;
          expect(koboFromNaira(text)).toBeNull();
        },
      ),
    );
  });

  it('is written with two places', () => {
    expect([1, 10, 100, 105_055, KOBO_MAX].map((amount) => nairaFromKobo(kobo(amount)))).toEqual([
      '0.01',
      '0.10',
      '1.00',
      '1050.55',
      '90071992547409.91',
    ]);
  });
});
