import { describe, expect, it } from '@jest/globals';
import { changedLimits, heldInPeriod, limitsInAddress, limitsTyped, typedLimits } from './wallet-limits.js';

const LIMITS = {
  spendLimitPerTx: 500_000,
  spendLimitPeriod: 2_000_000,
  periodWindowDays: 30,
  expiry: '2099-03-01T08:00:00.000Z',
  useAllowlist: true,
  merchantAllowlist: ['Shoprite'],
};

describe('the limits of a wallet', () => {
  it('come back as they were when nothing is typed', () => {
    expect(limitsTyped(typedLimits(LIMITS), LIMITS)).toEqual(LIMITS);
    expect(changedLimits(LIMITS, { ...LIMITS, merchantAllowlist: ['Shoprite'] })).toEqual({});
  });

  it('differ by what was typed alone, and keep what can’t be read', () => {
    const typed = { ...typedLimits(LIMITS), spendLimitPerTx: '3,000', spendLimitPeriod: 'a lot' };
    expect(changedLimits(limitsTyped(typed, LIMITS), LIMITS)).toEqual({ spendLimitPerTx: 300_000 });
  });

  it('are typed in naira, whole days and the day of the expiry', () => {
    const expiry = new Date(2099, 2, 1, 8).toISOString();
    expect(typedLimits({ ...LIMITS, expiry })).toMatchObject({
      spendLimitPerTx: '5,000.00',
      spendLimitPeriod: '20,000.00',
      periodWindowDays: '30',
      expiry: '2099-03-01',
    });
  });

  it('name no merchant once the list of merchants is not used any more', () => {
    const typed = { ...typedLimits(LIMITS), useAllowlist: false };
    expect(changedLimits(limitsTyped(typed, LIMITS), LIMITS)).toEqual({
      useAllowlist: false,
      merchantAllowlist: [],
    });
  });

  it('have a period of ten years at most in an address', () => {
    expect(limitsInAddress('{"periodWindowDays":3650}')).toEqual({ periodWindowDays: 3_650 });
    expect(limitsInAddress('{"periodWindowDays":3651}')).toEqual({});
  });

  it('are read from an address as far as they are limits', () => {
    expect(limitsInAddress('{"spendLimitPerTx":300000,"periodWindowDays":0,"expiry":"soon","x":1}')).toEqual({
      spendLimitPerTx: 300_000,
    });
    expect(limitsInAddress('{"merchantAllowlist":["Shoprite",1]}')).toEqual({});
    expect(limitsInAddress('nothing')).toBeNull();
    expect(limitsInAddress('null')).toEqual({});
    expect(limitsInAddress(null)).toBeNull();
  });
});

it('what is held of the limit of a period is what is neither spent nor left, also past a limit that was lowered', () => {
  const held = (spendLimitPeriod: number, spentThisPeriod: number, remainingAllowance: number) =>
    heldInPeriod({ spendLimitPeriod, spentThisPeriod, remainingAllowance });
  expect([held(1_000, 400, 600), held(1_000, 400, 450), held(300, 400, -250)]).toEqual([0, 150, 150]);
});
