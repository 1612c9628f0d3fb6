import { describe, expect, it } from '@jest/globals';
import {
  accountProblem,
  amountProblem,
  businessNameProblem,
  codeProblem,
  daysProblem,
  emailProblem,
  expiryProblem,
  newPasswordProblem,
  optionalExpiryProblem,
  periodLimitProblem,
  phoneProblem,
  webAddressProblem,
} from './validation.js';

type Field = readonly [
  name: string,
  problem: (value: string) => string | null,
  fine: string[],
  wrong: string[],
];

const FIELDS: readonly Field[] = [
  ['an email address', emailProblem, ['ada@example.com', ' a@b.ng '], ['', 'ada', 'ada@example', 'a b@c.ng']],
  ['a password', newPasswordProblem, ['x'.repeat(6), 'x'.repeat(200)], ['x'.repeat(5), 'x'.repeat(201)]],
  ['a business', businessNameProblem, ['ab', 'x'.repeat(200)], ['a ', 'x'.repeat(201)]],
  [
    'a phone number',
    phoneProblem,
    ['', '1234567', '+234 801 234 5678', '1'.repeat(15)],
    ['123456', '1'.repeat(16), '0801x2345678'],
  ],
  ['an amount', amountProblem, ['0.01', '1,250.50'], ['', '0', '-1', '1.234']],
  ['days', daysProblem, ['1', ' 30 ', '3650'], ['', '0', '3651', '1.5', '-1']],
  ['an account', accountProblem, ['0123456789', ' 0123456789 '], ['012345678', '01234567890', '012345678x']],
  ['a web address', webAddressProblem, ['https://a.ng/x', 'HTTP://a'], ['a.ng', 'ftp://a.ng', 'https://']],
  ['a code', codeProblem, ['123456', ' 123456 '], ['12345', '1234567', '12345x']],
];

describe.each(FIELDS)('the field of %s', (_, problem, fine, wrong) => {
  it('takes what the service takes, and says what is wrong with the rest', () => {
    expect(fine.map(problem)).toEqual(fine.map(() => null));
    for (const value of wrong) expect([value, problem(value)]).toEqual([value, expect.any(String)]);
  });
});

describe('the limit of a period', () => {
  it('is at least what one payment may be', () => {
    expect(periodLimitProblem('5,000', '5000.00')).toBeNull();
    expect(periodLimitProblem('4,999.99', '5,000')).toBe('Must be at least the per-payment limit');
    expect(periodLimitProblem('5,000', 'a lot')).toBeNull();
    expect(periodLimitProblem('a lot', '5,000')).toEqual(expect.any(String));
  });
});

describe('the day of an expiry', () => {
  it('may be today, and no day before', () => {
    const now = new Date(2026, 10, 21, 12);
    expect(expiryProblem('2026-11-21', now)).toBeNull();
    expect(expiryProblem('2026-11-20', now)).toBe('Choose a date in the future');
    expect(expiryProblem('', now)).toBe('Choose a date');
    expect([optionalExpiryProblem(''), optionalExpiryProblem('2020-01-01')]).toEqual([
      null,
      'Choose a date in the future',
    ]);
  });
});
