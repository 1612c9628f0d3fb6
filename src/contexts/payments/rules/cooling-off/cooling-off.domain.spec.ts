import { describe, expect, it } from '@jest/globals';
import {
  factsOf as sampleFacts,
  lockedWallet,
  NOW,
  paymentOf,
} from '../../../../../test/support/payment-samples.js';
import { kobo } from '../../../../kernel/money.js';
import type { LockedWallet } from '../../../wallet/wallet.port.js';
import type { CoolingOff } from '../../../wallet/wallet.events.js';
import { COOLING_OFF, CoolingState } from './cooling-off.domain.js';
import type { CoolingOffFacts, Facts, Intent } from '../../checks/facts.port.js';

const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number, ms = 0) => new Date(NOW.getTime() - hours * HOUR_MS + ms);

const wallet = (coolingOff?: CoolingOff): LockedWallet =>
  lockedWallet({ id: 'w1', ...(coolingOff && { controls: { coolingOff } }) });
const intent = (amount: number, recipientAccountNo = '0000000001'): Intent =>
  paymentOf({ amount, recipientAccountNo });
const factsOf = (coolingOff?: CoolingOffFacts): Facts => sampleFacts(coolingOff && { coolingOff });
const KEYS: CoolingOff = { newKeyHours: 24, newKeyCap: kobo(100) };
const PAYEES: CoolingOff = { newPayeeHours: 12, newPayeeCap: kobo(50) };
const book = ({ key = hoursAgo(1), keySpent = 0, payee = null as Date | null, payeeSpent = 0 } = {}) =>
  new CoolingState({
    coolingKeys: [{ walletId: 'w1', keyId: 'k1', since: key, coolingSpent: kobo(keySpent) }],
    coolingAccounts: ['0000000001', '0000000002'].map((accountNumber) => ({
      walletId: 'w1',
      accountNumber,
      bankCode: '058',
      since: payee,
      coolingSpent: kobo(payeeSpent),
    })),
  });
const passes = (from: CoolingState, rule: CoolingOff, amount: number): boolean => {
  const facts = factsOf(from.factsOf(wallet(rule), intent(amount), 'k1', NOW));
  return !COOLING_OFF.applies(facts) || COOLING_OFF.passes(facts, intent(amount));
};

describe('cooling off', () => {
  it('is not asked of a wallet without it, nor of a key and a payee that have cooled off', () => {
    expect(book().factsOf(wallet(), intent(1), 'k1', NOW)).toBeUndefined();
    const old = book({ key: hoursAgo(48), payee: hoursAgo(48) });
    expect(old.factsOf(wallet({ ...KEYS, ...PAYEES }), intent(1_000), 'k1', NOW)).toBeUndefined();
    expect(COOLING_OFF.applies(factsOf())).toBe(false);
  });

  it('lets a new key pay up to its cap, and not a kobo more', () => {
    expect(passes(book(), KEYS, 99)).toBe(true);
    expect(passes(book(), KEYS, 100)).toBe(true);
    expect(passes(book(), KEYS, 101)).toBe(false);
    expect(passes(book({ keySpent: 60 }), KEYS, 40)).toBe(true);
    expect(passes(book({ keySpent: 60 }), KEYS, 41)).toBe(false);
  });

  it('ends for a key at the very instant at which its hours have passed', () => {
    expect(passes(book({ key: hoursAgo(24, 1) }), KEYS, 101)).toBe(false);
    expect(passes(book({ key: hoursAgo(24) }), KEYS, 101)).toBe(true);
  });

  it('lets a new payee be paid up to its cap, and ends at the very instant too', () => {
    expect(passes(book(), PAYEES, 50)).toBe(true);
    expect(passes(book(), PAYEES, 51)).toBe(false);
    expect(passes(book({ payee: hoursAgo(12, 1), payeeSpent: 20 }), PAYEES, 30)).toBe(true);
    expect(passes(book({ payee: hoursAgo(12, 1), payeeSpent: 20 }), PAYEES, 31)).toBe(false);
    expect(passes(book({ payee: hoursAgo(12), payeeSpent: 20 }), PAYEES, 31)).toBe(true);
  });

  it('says how much would pass now, and when the amount would', () => {
    const both = { ...KEYS, ...PAYEES };
    const from = book({ keySpent: 30, payee: hoursAgo(6), payeeSpent: 10 });
    const facts = factsOf(from.factsOf(wallet(both), intent(1), 'k1', NOW));
    const keyUntil = new Date(NOW.getTime() + 23 * HOUR_MS).toISOString();
    const payeeUntil = new Date(NOW.getTime() + 6 * HOUR_MS).toISOString();
    expect(COOLING_OFF.compared(facts, intent(40))).toEqual({
      limit: 40,
      actual: 40,
      coolingOff: 'key, payee',
    });
    expect(COOLING_OFF.compared(facts, intent(41))).toEqual({
      limit: 40,
      actual: 41,
      coolingOff: 'payee',
      earliestPassAt: payeeUntil,
    });
    expect(COOLING_OFF.compared(facts, intent(71))).toEqual({
      limit: 40,
      actual: 71,
      coolingOff: 'key, payee',
      earliestPassAt: keyUntil,
    });
    expect(COOLING_OFF.message(facts, intent(41))).toBe(
      `The amount 41 is more than may be paid while the payee cools off: 40 kobo until ${payeeUntil}.`,
    );
    expect(COOLING_OFF.message(facts, intent(71))).toBe(
      `The amount 71 is more than may be paid while the key and the payee cool off: 40 kobo until ${keyUntil}.`,
    );
  });

  it('does not end by itself for a payee that was never paid', () => {
    const facts = factsOf(book({ payeeSpent: 20 }).factsOf(wallet(PAYEES), intent(1), 'k1', NOW));
    const later = { ...facts, now: new Date(NOW.getTime() + 100 * HOUR_MS).toISOString() };
    for (const each of [facts, later]) {
      expect([30, 31].map((amount) => COOLING_OFF.passes(each, intent(amount)))).toEqual([true, false]);
    }
    expect(COOLING_OFF.passesWhen?.(facts, intent(31))).toBeNull();
    expect(COOLING_OFF.compared(facts, intent(31))).toEqual({ limit: 30, actual: 31, coolingOff: 'payee' });
    expect(COOLING_OFF.message(facts, intent(31))).toBe(
      'The amount 31 is more than may be paid while the payee cools off: 30 kobo until 12 hours after its first payment.',
    );
  });

  it('allows nothing more when the cap was lowered below what is spent', () => {
    const facts = factsOf(book({ keySpent: 130 }).factsOf(wallet(KEYS), intent(1), 'k1', NOW));
    expect(COOLING_OFF.passes(facts, intent(1))).toBe(false);
    expect(COOLING_OFF.compared(facts, intent(1))).toMatchObject({ limit: 0 });
  });

  it('counts what was approved before in the same batch, by key and by payee', () => {
    const from = book();
    const both = wallet({ ...KEYS, ...PAYEES });
    for (const account of ['0000000001', '0000000002']) {
      const one = intent(45, account);
      from.approve(one, 'k1', factsOf(from.factsOf(both, one, 'k1', NOW)), NOW);
    }
    const { key, payee } = from.factsOf(both, intent(1), 'k1', NOW)!;
    expect([key?.spent, payee?.spent]).toEqual([90, 45]);
    expect(payee?.until).toBe(new Date(NOW.getTime() + 12 * HOUR_MS).toISOString());
  });
});
