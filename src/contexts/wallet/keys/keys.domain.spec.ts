import { describe, expect, it } from '@jest/globals';
import { AppError, type FieldError } from '../../../kernel/errors.js';
import { kobo } from '../../../kernel/money.js';
import { type KeyLimitsRequest, leftOf, narrowed } from './keys.domain.js';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const EXPIRY = new Date('2026-07-01T00:00:00.000Z');
const at = (time: Date, ms: number) => new Date(time.getTime() + ms);
const WALLET = {
  spendLimitPerTx: kobo(500),
  spendLimitPeriod: kobo(700),
  periodWindowDays: 30,
  expiry: EXPIRY,
  useAllowlist: true,
  merchantAllowlist: ['Acme', 'Jumia'],
};

function faults(request: KeyLimitsRequest, wallet = WALLET): string[] {
  return problems(request, wallet).map(({ field }) => field);
}

function problems(request: KeyLimitsRequest, wallet = WALLET): readonly FieldError[] {
  try {
    narrowed(request, wallet, NOW);
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error;
    return error.detail.fields ?? [];
  }
}

describe('the limits of a new key', () => {
  it.each<[string, KeyLimitsRequest, string[]]>([
    ['may be the limit of one payment of the wallet', { spendLimitPerTx: kobo(500) }, []],
    ['may not be one kobo wider', { spendLimitPerTx: kobo(501) }, ['limits.spendLimitPerTx']],
    ['may be the limit of the period of the wallet', { spendLimitPeriod: kobo(700) }, []],
    ['may not be one kobo wider in the period', { spendLimitPeriod: kobo(701) }, ['limits.spendLimitPeriod']],
    ['may have a window of their own', { spendLimitPeriod: kobo(700), periodWindowDays: 1 }, []],
    ['have no window without a limit in it', { periodWindowDays: 1 }, ['limits.periodWindowDays']],
    ['may name merchants of the allowlist, however they are spelled', { allowedMerchants: [' jumia '] }, []],
    ['may not name another merchant', { allowedMerchants: ['Jumia', 'Other'] }, ['limits.allowedMerchants']],
    ['name a merchant at least', { allowedMerchants: [] }, ['limits.allowedMerchants']],
    ['may end with the wallet', { expiry: EXPIRY }, []],
    ['may not end after it', { expiry: at(EXPIRY, 1) }, ['limits.expiry']],
    ['may end in a millisecond', { expiry: at(NOW, 1) }, []],
    ['may not have ended', { expiry: NOW }, ['limits.expiry']],
    [
      'are complained of all at once',
      { spendLimitPerTx: kobo(501), spendLimitPeriod: kobo(701), expiry: NOW },
      ['limits.spendLimitPerTx', 'limits.spendLimitPeriod', 'limits.expiry'],
    ],
  ])('%s', (_, request, expected) => {
    expect(faults(request)).toEqual(expected);
  });

  it('are complained of with the limit of the wallet, in kobo', () => {
    const wider = { spendLimitPerTx: kobo(501), spendLimitPeriod: kobo(701) };
    expect(problems(wider).map(({ message }) => message)).toEqual([
      'must be at most that of the wallet (500 kobo)',
      'must be at most that of the wallet (700 kobo)',
    ]);
  });

  it('may name any merchant where the wallet pays any', () => {
    expect(faults({ allowedMerchants: ['Other'] }, { ...WALLET, useAllowlist: false })).toEqual([]);
  });

  it('are kept without what is absent, the window of the wallet with a limit that has none', () => {
    const request = { spendLimitPeriod: kobo(5), totalCap: null, allowedMerchants: ['Acme', ' ACME '] };
    expect(narrowed(request, WALLET, NOW)).toEqual({
      spendLimitPeriod: 5,
      periodWindowDays: 30,
      allowedMerchants: ['Acme'],
    });
    expect(narrowed({ totalCap: null }, WALLET, NOW)).toBeNull();
    expect(narrowed(null, WALLET, NOW)).toBeNull();
  });
});

describe('what is left of the limits of a key', () => {
  const usage = { spentTotal: 900n, paymentCount: 9, spent: 600, payments: 6, spentInPeriod: 150 };

  it('is named after them, of those that payments use up', () => {
    const limits = {
      spendLimitPerTx: kobo(1),
      spendLimitPeriod: kobo(200),
      periodWindowDays: 7,
      totalCap: kobo(1_000),
      maxPayments: 7,
    };
    expect(leftOf(limits, usage)).toEqual({ spendLimitPeriod: 50, totalCap: 400, maxPayments: 1 });
    expect(leftOf({ spendLimitPerTx: kobo(1) }, usage)).toEqual({});
  });

  it('is nothing at least', () => {
    expect(leftOf({ totalCap: kobo(599), maxPayments: 5 }, usage)).toEqual({ totalCap: 0, maxPayments: 0 });
  });
});
