import { describe, expect, it } from '@jest/globals';
import { kobo } from '../../../kernel/money.js';
import type { WalletControls } from '../wallet.events.js';
import { isWeakened, type Safeguards } from './weakening.domain.js';

const BEFORE: Safeguards = {
  spendLimitPerTx: kobo(50_000),
  spendLimitPeriod: kobo(120_000),
  periodWindowDays: 30,
  expiry: new Date('2027-03-01T00:00:00.000Z'),
  useAllowlist: true,
  merchantAllowlist: ['Shoprite', 'Jumia'],
  controls: {
    approvalThreshold: kobo(40_000),
    approvalTtlMinutes: 60,
    duplicateGuardMinutes: 10,
    payeePolicy: 'first_use',
    verifyRecipient: true,
    coolingOff: { newKeyHours: 24, newKeyCap: kobo(9_000), newPayeeHours: 48, newPayeeCap: kobo(8_000) },
  },
};
const weakens = (change: Partial<Safeguards>, before = BEFORE) =>
  isWeakened(before, { ...before, ...change });
const controls = (change: WalletControls): Partial<Safeguards> => ({
  controls: { ...BEFORE.controls, ...change },
});
const without = (name: keyof WalletControls): Partial<Safeguards> => {
  const { [name]: _, ...rest } = BEFORE.controls!;
  return { controls: rest };
};
const coolingOff = (change: object) =>
  controls({ coolingOff: { ...BEFORE.controls!.coolingOff, ...change } });

describe('a change weakens the safeguards of a wallet', () => {
  it.each<[string, Partial<Safeguards>, boolean]>([
    ['a lower limit of a payment', { spendLimitPerTx: kobo(49_999) }, false],
    ['the same limit of a payment', { spendLimitPerTx: kobo(50_000) }, false],
    ['a higher limit of a payment', { spendLimitPerTx: kobo(50_001) }, true],
    ['a lower limit of the period', { spendLimitPeriod: kobo(119_999) }, false],
    ['the same limit of the period', { spendLimitPeriod: kobo(120_000) }, false],
    ['a higher limit of the period', { spendLimitPeriod: kobo(120_001) }, true],
    ['a longer window', { periodWindowDays: 31 }, false],
    ['the same window', { periodWindowDays: 30 }, false],
    ['a shorter window', { periodWindowDays: 29 }, true],
    ['a shorter window with a lower limit', { periodWindowDays: 29, spendLimitPeriod: kobo(50_000) }, true],
    ['an earlier expiry', { expiry: new Date('2027-02-28T23:59:59.999Z') }, false],
    ['the same expiry', { expiry: new Date('2027-03-01T00:00:00.000Z') }, false],
    ['a later expiry', { expiry: new Date('2027-03-01T00:00:00.001Z') }, true],
    ['a shorter allowlist', { merchantAllowlist: ['Jumia'] }, false],
    ['the same allowlist in another spelling', { merchantAllowlist: ['JUMIA', ' shoprite'] }, false],
    ['one merchant in the place of another', { merchantAllowlist: ['Shoprite', 'Konga'] }, true],
    ['one merchant more', { merchantAllowlist: ['Shoprite', 'Jumia', 'Konga'] }, true],
    ['no allowlist', { useAllowlist: false, merchantAllowlist: [] }, true],
    ['a lower approval threshold', controls({ approvalThreshold: kobo(39_999) }), false],
    ['a higher approval threshold', controls({ approvalThreshold: kobo(40_001) }), true],
    ['no approval threshold', without('approvalThreshold'), true],
    ['a longer wait for approval', controls({ approvalTtlMinutes: 120 }), false],
    ['no wait for approval of its own', without('approvalTtlMinutes'), false],
    ['a longer duplicate guard', controls({ duplicateGuardMinutes: 11 }), false],
    ['a shorter duplicate guard', controls({ duplicateGuardMinutes: 9 }), true],
    ['no duplicate guard', controls({ duplicateGuardMinutes: 0 }), true],
    ['a duplicate guard only where payments ask for it', without('duplicateGuardMinutes'), true],
    ['registered payees alone', controls({ payeePolicy: 'strict' }), false],
    ['the same payee policy', controls({ payeePolicy: 'first_use' }), false],
    ['a warning in the place of a block', controls({ payeePolicy: 'warn' }), true],
    ['a payee policy that is off', controls({ payeePolicy: 'off' }), true],
    ['no payee policy', without('payeePolicy'), true],
    ['recipients that the bank need not know', controls({ verifyRecipient: false }), true],
    ['no check of recipients', without('verifyRecipient'), true],
    ['a longer time for which keys are new', coolingOff({ newKeyHours: 25 }), false],
    ['a shorter time for which keys are new', coolingOff({ newKeyHours: 23 }), true],
    ['a lower cap of new keys', coolingOff({ newKeyCap: kobo(8_999) }), false],
    ['a higher cap of new keys', coolingOff({ newKeyCap: kobo(9_001) }), true],
    ['a longer time for which payees are new', coolingOff({ newPayeeHours: 49 }), false],
    ['a shorter time for which payees are new', coolingOff({ newPayeeHours: 47 }), true],
    ['a lower cap of new payees', coolingOff({ newPayeeCap: kobo(7_999) }), false],
    ['a higher cap of new payees', coolingOff({ newPayeeCap: kobo(8_001) }), true],
    ['no cooling-off of payees', controls({ coolingOff: { newKeyHours: 24, newKeyCap: kobo(9_000) } }), true],
    ['no cooling-off', without('coolingOff'), true],
    ['no controls', { controls: null }, true],
    ['nothing', {}, false],
  ])('%s', (_, change, weakened) => {
    expect(weakens(change)).toBe(weakened);
  });

  const BARE: Safeguards = { ...BEFORE, useAllowlist: false, merchantAllowlist: [], controls: null };
  it.each<[string, Partial<Safeguards>, boolean]>([
    ['an allowlist', { useAllowlist: true, merchantAllowlist: ['Konga'] }, false],
    ['all controls', { controls: BEFORE.controls }, false],
    ['a policy that only warns', { controls: { payeePolicy: 'warn' } }, false],
    ['a policy that is off', { controls: { payeePolicy: 'off' } }, false],
    ['a check of recipients that is off', { controls: { verifyRecipient: false } }, false],
    ['a duplicate guard that payments can not ask for', { controls: { duplicateGuardMinutes: 0 } }, true],
    ['a duplicate guard of a minute', { controls: { duplicateGuardMinutes: 1 } }, false],
  ])('of a wallet without any: %s', (_, change, weakened) => {
    expect(weakens(change, BARE)).toBe(weakened);
  });
});
