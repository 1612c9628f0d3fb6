import { describe, expect, it } from '@jest/globals';
import { at, factsOf, NOW, paymentOf } from '../../../../../test/support/payment-samples.js';
import {
  duplicateGuardFacts,
  guardMinutes,
  purchaseIdentity,
  purchaseText,
} from './duplicate-guard.domain.js';
import type { Facts, Intent } from '../../checks/facts.port.js';
import { blockDetails, blockMessage, checkEvents, firstFailed } from '../../checks/decide.domain.js';

const MINUTE_MS = 60_000;
const FIRST = '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f';
const ANOTHER = '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e60';
const INTENT = paymentOf();
const FACTS = factsOf({ periodWindowDays: 30 });
const paidAgo = (ms: number | null, confirmed?: string): Facts => ({
  ...FACTS,
  duplicateGuard: duplicateGuardFacts(
    10,
    ms === null ? undefined : { transactionId: FIRST, at: at(-ms), isPending: false },
    confirmed,
  ),
});

describe('the duplicate-purchase guard', () => {
  it.each<[string, Facts, string | null]>([
    ['lets the first purchase pass', paidAgo(null), null],
    ['blocks the same in the same millisecond', paidAgo(0), 'POSSIBLE_DUPLICATE'],
    [
      'blocks the same a millisecond before the minutes are over',
      paidAgo(10 * MINUTE_MS - 1),
      'POSSIBLE_DUPLICATE',
    ],
    ['lets the same pass when they are over', paidAgo(10 * MINUTE_MS), null],
    ['lets the same pass that names the first', paidAgo(1, FIRST), null],
    ['blocks the same that names another payment', paidAgo(1, ANOTHER), 'POSSIBLE_DUPLICATE'],
    ['minds no name where nothing was paid', paidAgo(null, ANOTHER), null],
    ['is silent where it is off', FACTS, null],
  ])('%s', (_, facts, expected) => {
    expect(firstFailed(facts, INTENT)).toBe(expected);
  });

  it('names the payment, and from when on the same passes', () => {
    const facts = paidAgo(MINUTE_MS);
    expect(blockDetails(facts, INTENT, 'POSSIBLE_DUPLICATE')).toEqual({
      duplicateOf: FIRST,
      limit: at(9 * MINUTE_MS).toISOString(),
      actual: NOW.toISOString(),
    });
    const message = blockMessage(facts, INTENT, 'POSSIBLE_DUPLICATE');
    expect(message).toContain(FIRST);
    expect(message).toContain(at(9 * MINUTE_MS).toISOString());
  });

  it('says of one that waits for approval that it waits, not that it was paid', () => {
    const last = { transactionId: FIRST, at: at(-MINUTE_MS), isPending: true };
    const facts = { ...FACTS, duplicateGuard: duplicateGuardFacts(10, last, null) };
    expect(firstFailed(facts, INTENT)).toBe('POSSIBLE_DUPLICATE');
    const message = blockMessage(facts, INTENT, 'POSSIBLE_DUPLICATE');
    expect(message).toContain(`waits for approval since ${last.at.toISOString()} (${FIRST})`);
    expect(message).not.toMatch(/was paid/);
    expect(blockMessage(paidAgo(MINUTE_MS), INTENT, 'POSSIBLE_DUPLICATE')).toContain('was paid');
  });

  it('comes last, and leaves a passed check behind', () => {
    expect(checkEvents(paidAgo(null), INTENT, null).at(-1)).toEqual({
      type: 'check.passed',
      at: NOW.toISOString(),
      detail: { check: 'POSSIBLE_DUPLICATE' },
    });
    expect(firstFailed({ ...paidAgo(1), balance: 99 }, INTENT)).toBe('INSUFFICIENT_FUNDS');
    expect(checkEvents(FACTS, INTENT, null)).toHaveLength(6);
  });

  it('is what the owner chose, also when that is none, else what the request asks for', () => {
    expect([guardMinutes(5, 10), guardMinutes(0, 10), guardMinutes(undefined, 10)]).toEqual([5, 0, 10]);
    expect(guardMinutes(undefined, undefined)).toBe(0);
  });

  it('takes payments for the same by key, account and amount, whatever else they say', () => {
    const text = (wallet: string, key: string, intent: Partial<Intent> = {}) =>
      purchaseText(purchaseIdentity(wallet, key, { ...INTENT, ...intent }));
    const same = text('w', 'k');
    expect(text('w', 'k', { merchant: 'other', merchantName: 'Other', reason: 'again' })).toBe(same);
    for (const other of [
      text('v', 'k'),
      text('w', 'j'),
      text('w', 'k', { amount: 101 }),
      text('w', 'k', { recipientAccountNo: '0123456780' }),
      text('w', 'k', { recipientBankCode: '044' }),
    ]) {
      expect(other).not.toBe(same);
    }
  });
});
