import { describe, expect, it } from '@jest/globals';
import { paymentOf } from '../../../../test/support/payment-samples.js';
import type { Facts } from '../checks/facts.port.js';
import { hintOf, judgements, maxAmount, waitsFor } from './advice.domain.js';

const facts: Facts = {
  status: 'ACTIVE',
  expiry: '2030-01-01T00:00:00.000Z',
  now: '2027-03-01T12:04:00.000Z',
  spendLimitPerTx: 600_000,
  spendLimitPeriod: 1_000_000,
  periodWindowDays: 2,
  spent: 680_000,
  balance: 5_000_000,
  useAllowlist: false,
  onAllowlist: false,
};
const intent = paymentOf({ amount: 500_000 });
const bounds = { minPayout: 100, maxPayout: Number.MAX_SAFE_INTEGER };
const hint = (change: Partial<Facts>, maxAmountNow: number, earliestPassAt: string | null) =>
  hintOf({ ...facts, ...change }, intent, { maxAmountNow, earliestPassAt });

describe('the most that an intent could be', () => {
  it.each([
    ['what the period leaves', {}, 320_000],
    ['the limit of a payment', { spent: 0 }, 600_000],
    ['the balance', { balance: 299_999 }, 299_999],
    ['nothing of a wallet that is not active', { status: 'SUSPENDED' }, 0],
    ['nothing of an expired wallet', { expiry: facts.now }, 0],
    ['nothing for a merchant that is not allowed', { useAllowlist: true }, 0],
    ['nothing where the spend is past the limit', { spent: 1_000_001 }, 0],
    ['nothing below what the bank pays out', { balance: 99 }, 0],
    ['the least that the bank pays out', { balance: 100 }, 100],
    [
      'exact where numbers end',
      {
        spendLimitPerTx: Number.MAX_SAFE_INTEGER,
        spendLimitPeriod: Number.MAX_SAFE_INTEGER,
        spent: 0,
        balance: Number.MAX_SAFE_INTEGER,
      },
      Number.MAX_SAFE_INTEGER,
    ],
  ])('is %s', (_, change, most) => {
    expect(maxAmount({ ...facts, ...change }, intent, bounds)).toBe(most);
  });

  it('is at most what the bank pays out', () => {
    expect(maxAmount(facts, intent, { minPayout: 1, maxPayout: 5_000 })).toBe(5_000);
  });
});

describe('what an intent has to wait for', () => {
  it('is that the window lets go of what is too much', () => {
    expect(waitsFor(facts, intent)).toMatchObject([{ spendOf: 'wallet', days: 2, room: 500_000 }]);
  });

  it.each([
    ['it is more than the period takes', { spendLimitPeriod: 499_999 }],
    ['another check fails too, which time does not mend', { balance: 499_999 }],
    ['the days of the window are not known', { periodWindowDays: undefined }],
  ])('is nothing where %s', (_, { ...change }) => {
    expect(waitsFor({ ...facts, ...change }, intent)).toBeNull();
  });

  it('is nothing at all where it passes', () => {
    expect(waitsFor({ ...facts, spent: 500_000 }, intent)).toEqual([]);
  });
});

describe('a hint', () => {
  const later = '2027-03-01T13:05:00.000Z';

  it('says how much passes now, and when the rest does', () => {
    expect(hint({}, 320_000, later)).toBe('At most ₦3,200.00 now; ₦5,000.00 passes after 14:05 WAT.');
    expect(hint({}, 0, later)).toBe('₦5,000.00 passes after 14:05 WAT.');
  });

  it('names the next whole minute, and the day unless it is today in Lagos', () => {
    expect(hint({}, 0, '2027-03-01T13:04:00.001Z')).toContain('after 14:05 WAT');
    expect(hint({}, 0, '2027-03-01T22:59:00.000Z')).toContain('after 23:59 WAT');
    expect(hint({}, 0, '2027-03-01T22:59:00.001Z')).toContain('after 2 Mar 2027, 00:00 WAT');
  });

  it.each([
    [{ status: 'SUSPENDED' }, 0, 'Do not try again: the owner has to let the wallet pay again.'],
    [
      { spent: 0, spendLimitPerTx: 9 },
      9,
      'At most ₦0.09 now; for more the owner has to raise the limit of one payment.',
    ],
    [{ spent: 0, balance: 8_900 }, 8_900, 'At most ₦89.00 now; for more the wallet has to be topped up.'],
  ])('says who can help where waiting does not', (change, most, text) => {
    expect(hint(change, most, null)).toBe(text);
  });

  it.each<[string, Partial<Facts>, string]>([
    [
      'the balance below the limit of one payment',
      { spent: 0, spendLimitPerTx: 4_000, balance: 3_900 },
      'At most ₦39.00 now; for more the wallet has to be topped up.',
    ],
    [
      'the balance at that limit',
      { spent: 0, spendLimitPerTx: 3_900, balance: 3_900 },
      'At most ₦39.00 now; for more the owner has to raise the limit of one payment.',
    ],
    [
      'the balance above that limit',
      { spent: 0, spendLimitPerTx: 3_900, balance: 3_901 },
      'At most ₦39.00 now; for more the owner has to raise the limit of one payment.',
    ],
    [
      'the period below the balance',
      { spent: 996_100, spendLimitPerTx: 4_000, balance: 4_500 },
      'At most ₦39.00 now; for more the owner has to raise the limit of the period.',
    ],
    [
      'what a new key may pay',
      {
        spent: 0,
        spendLimitPerTx: 4_000,
        coolingOff: { key: { cap: 5_000, spent: 1_100, until: '2027-03-02T00:00:00.000Z' } },
      },
      'At most ₦39.00 now; for more the new key or payee has to cool off, which begins with its first payment, or the ' +
        'owner to allow more.',
    ],
  ])('names who can help with what binds: %s', (_, change, text) => {
    const most = maxAmount({ ...facts, ...change }, intent, bounds);
    expect(hint(change, most, null)).toBe(text);
  });

  it('does not take a payment of another amount for a repetition', () => {
    const duplicateGuard = { minutes: 60, last: { transactionId: 'a', at: facts.now } };
    expect(hint({ spent: 0, spendLimitPerTx: 4_000, balance: 3_900, duplicateGuard }, 3_900, null)).toBe(
      'At most ₦39.00 now; for more the wallet has to be topped up.',
    );
    expect(hint({ spent: 0, spendLimitPerTx: 4_000, duplicateGuard }, 3_000, null)).toBe(
      'At most ₦30.00 now; for more the owner has to raise the limit of one payment.',
    );
  });

  it('keeps to what failed where the bound is what the bank pays out', () => {
    const most = maxAmount({ ...facts, spent: 0, balance: 9_000 }, intent, {
      minPayout: 1,
      maxPayout: 5_000,
    });
    expect(hint({ spent: 0, balance: 9_000 }, most, null)).toBe(
      'At most ₦50.00 now; for more the wallet has to be topped up.',
    );
    expect(hint({ spent: 0, spendLimitPerTx: 9 }, 0, null)).toBe(
      'Do not try again: the owner has to raise the limit of one payment.',
    );
  });
});

it('every check is judged, whatever the ones before it say', () => {
  const failing = { ...facts, status: 'CLOSED', balance: 1 };
  expect(judgements(failing, intent).map(({ passed }) => passed)).toEqual([
    false,
    true,
    true,
    false,
    true,
    false,
  ]);
});
