import { describe, expect, it } from '@jest/globals';
import type { Kobo } from '../../kernel/money.js';
import type { Facts, KeyFacts } from '../payments/checks/facts.port.js';
import type { BlockReason } from '../../kernel/errors.js';
import { Backtest, type OtherRules, type RecordedAttempt } from './backtest.domain.js';
import { firstFailed } from '../payments/checks/decide.domain.js';

const START = Date.parse('2027-03-01T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60_000;
const STRICTER = { spendLimitPerTx: 800 };

function attempt(
  ms: number,
  amount: number,
  facts: Partial<Facts>,
  blockReason: BlockReason | null = null,
  refundedMs: number | null = null,
): RecordedAttempt {
  const createdAt = new Date(START + ms);
  return {
    amount,
    merchant: 'acme',
    merchantName: 'Acme',
    recipientAccountNo: '0123456789',
    recipientBankCode: '058',
    reason: null,
    blockReason,
    createdAt,
    spentInWindow: null,
    refundedAt: refundedMs === null ? null : new Date(START + refundedMs),
    facts: {
      status: 'ACTIVE',
      expiry: '2030-01-01T00:00:00.000Z',
      now: createdAt.toISOString(),
      spendLimitPerTx: 1_000,
      spendLimitPeriod: 1_000,
      periodWindowDays: 1,
      spent: 0,
      balance: 100_000,
      useAllowlist: false,
      onAllowlist: false,
      ...facts,
    },
  } as unknown as RecordedAttempt;
}

const PERIOD = 'SPEND_LIMIT_PER_PERIOD_EXCEEDED';
const KEY = 'KEY_LIMIT_EXCEEDED';

const backtestOf = (rules: OtherRules) => new Backtest(rules, { firstFailed });

describe('what other rules did not spend', () => {
  it('is missing until it came back, and from that moment on is no difference', () => {
    const backtest = backtestOf(STRICTER);
    expect(backtest.decide(attempt(0, 900, {}, null, 1_000))).toBe('SPEND_LIMIT_PER_TX_EXCEEDED');
    expect(backtest.decide(attempt(999, 700, { spent: 1_200 }, PERIOD))).toBeNull();
    const refunded = backtestOf(STRICTER);
    refunded.decide(attempt(0, 900, {}, null, 1_000));
    expect(refunded.decide(attempt(1_000, 701, { spent: 300 }, PERIOD))).toBe(PERIOD);
  });

  it('leaves the window with the payment that it is of', () => {
    const backtest = backtestOf(STRICTER);
    backtest.decide(attempt(0, 900, {}));
    expect(backtest.decide(attempt(DAY_MS, 600, { spent: 500 }, PERIOD))).toBe(PERIOD);
    const earlier = backtestOf(STRICTER);
    earlier.decide(attempt(0, 900, {}));
    expect(earlier.decide(attempt(DAY_MS - 1, 600, { spent: 900 }, PERIOD))).toBeNull();
  });

  it('counts for the key that paid, its payments and its period, and for no other key', () => {
    const limits = { maxPayments: 1, spendLimitPeriod: 1_000 as Kobo, periodWindowDays: 1 };
    const key = (id: string, used: Partial<KeyFacts>): { key: KeyFacts } => ({
      key: { id, limits, spent: 0, payments: 0, spentInPeriod: 0, ...used },
    });
    const decided = (...next: Parameters<typeof attempt>) => {
      const backtest = backtestOf(STRICTER);
      backtest.decide(attempt(0, 900, key('one', {})));
      return backtest.decide(attempt(...next));
    };
    const used = { spent: 900, payments: 1, spentInPeriod: 900 };
    expect(decided(1, 100, { spent: 900, ...key('one', used) }, KEY)).toBeNull();
    expect(decided(1, 100, { spent: 900, ...key('other', used) }, KEY)).toBe(KEY);
    const inPeriod = { ...used, payments: 0 };
    expect(decided(1, 101, { spent: 900, ...key('one', inPeriod) }, KEY)).toBeNull();
    expect(decided(DAY_MS, 101, { ...key('one', inPeriod) }, KEY)).toBe(KEY);
  });
});
