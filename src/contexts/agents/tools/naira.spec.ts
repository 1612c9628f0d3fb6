import { describe, expect, it } from '@jest/globals';
import { naira } from '../../../kernel/money.js';
import { money } from './naira.js';

describe('an amount in the words of a tool', () => {
  it.each([
    [0, '₦0.00'],
    [5, '₦0.05'],
    [-5, '-₦0.05'],
    [99_999, '₦999.99'],
    [100_000, '₦1,000.00'],
    [-123_456_789, '-₦1,234,567.89'],
    [Number.MAX_SAFE_INTEGER, '₦90,071,992,547,409.91'],
  ])('of %d kobo is %s', (kobo, text) => {
    expect(naira(kobo)).toBe(text);
    expect(money(kobo)).toEqual({ kobo, naira: text });
  });
});
