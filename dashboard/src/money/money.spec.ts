import { describe, expect, it } from '@jest/globals';
import { grouped, koboTyped, naira, plainNaira, shortNaira, spendable } from './money.js';

describe('naira that a person reads', () => {
  it.each([
    [0, '₦0.00'],
    [5, '₦0.05'],
    [125_050, '₦1,250.50'],
    [100_000_000, '₦1,000,000.00'],
    [-2_000, '−₦20.00'],
    [Number.MAX_SAFE_INTEGER, '₦90,071,992,547,409.91'],
  ])('shows %d kobo as %s', (kobo, text) => {
    expect(naira(kobo)).toBe(text);
  });

  it('leaves empty kobo out of sentences', () => {
    expect([500_000, 500_050, 500_005].map(plainNaira)).toEqual(['₦5,000', '₦5,000.50', '₦5,000.05']);
  });
});

it('what payments hold that wait for approval can not leave a wallet', () => {
  expect(spendable({ balance: 5_000, available: 3_000 })).toBe(3_000);
  expect(spendable({ balance: 5_000, available: 0 })).toBe(0);
  expect(spendable({ balance: 5_000 })).toBe(5_000);
});

describe('numbers put together by hand', () => {
  const amounts = [
    0, 5, 100, 250, 99_994, 99_995, 99_999, 100_000, 125_000, 1_250_000, 9_999_499, 9_999_500, 99_994_999,
    99_995_000, 100_000_000, 250_000_000, 99_995_000_000, 3_000_000_000_000, 27_000_000_000_000_000,
  ];
  it.each(amounts)('shows %d kobo in short as the browser would', (kobo) => {
    const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
    expect(shortNaira(kobo)).toBe(`₦${compact.format(kobo / 100)}`);
  });

  it.each([0, 7, 999, 1_000, 12_345, 1_234_567])('groups %d as the browser would', (count) => {
    expect(grouped(count)).toBe(count.toLocaleString('en-US'));
  });
});

describe('naira that a person types', () => {
  it.each([
    ['1,250.50', 125_050],
    ['1250.5', 125_050],
    ['₦1,250', 125_000],
    [' NGN 20 ', 2_000],
    ['0.01', 1],
    ['1.10', 110],
    ['4.35', 435],
    ['90071992547409.91', Number.MAX_SAFE_INTEGER],
  ])('reads %j as %d kobo', (text, kobo) => {
    expect(koboTyped(text)).toBe(kobo);
  });

  it.each(['', '0', '0.00', '-5', '1.234', '1,25', '12,3456', '1e3', 'abc', '5 000', '90071992547409.92'])(
    'does not read %j',
    (text) => {
      expect(koboTyped(text)).toBeNull();
    },
  );
});
