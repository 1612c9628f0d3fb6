import { describe, expect, it } from '@jest/globals';
import { paymentOf } from '../../../../../test/support/payment-samples.js';
import { kobo } from '../../../../kernel/money.js';
import type { LockedWallet } from '../../../wallet/wallet.port.js';
import { blockMessage } from '../../checks/decide.domain.js';
import { decisionOf } from '../../payments.domain.js';
import { SpendingWallet } from '../../spending-wallet.domain.js';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const WALLET: LockedWallet = {
  id: '01a1fd71-ec35-77c2-9900-6d901138ea6a',
  status: 'ACTIVE',
  expiry: new Date('2099-01-01'),
  balance: kobo(1_000),
  held: kobo(0),
  heldCount: 0,
  spendLimitPerTx: kobo(900),
  spendLimitPeriod: kobo(900),
  periodWindowDays: 30,
  useAllowlist: false,
  now: NOW,
  totals: {
    attemptCount: 7,
    blockedCount: 2,
    spentTotal: 50n,
    window: { days: 30, spent: 0, from: null },
  },
  controls: { approvalThreshold: kobo(100) },
};
const walletOf = (fields: Partial<LockedWallet> = {}) => new SpendingWallet({ ...WALLET, ...fields });
const authorise = (wallet: SpendingWallet, amount: number) =>
  wallet.authorise(paymentOf({ amount }), { onAllowlist: true });

describe('a wallet whose owner decides on large payments', () => {
  it.each([
    [99, 'approved'],
    [100, 'approved'],
    [101, 'pending'],
    [901, 'blocked'],
  ])('takes a payment of %d as %s', (amount, decision) => {
    expect(decisionOf(authorise(walletOf(), amount))).toBe(decision);
  });

  it('waits a day unless its owner says how long', () => {
    expect(authorise(walletOf(), 101).approvalExpiresAt).toEqual(new Date('2026-06-02T12:00:00.000Z'));
    const controls = { approvalThreshold: kobo(100), approvalTtlMinutes: 90 };
    const { approvalExpiresAt } = authorise(walletOf({ controls }), 101);
    expect(approvalExpiresAt).toEqual(new Date('2026-06-01T13:30:00.000Z'));
    expect(authorise(walletOf(), 100).approvalExpiresAt).toBeNull();
  });

  it('holds what waits: the next payment of the same transaction sees it in balance, period and running totals', () => {
    const wallet = walletOf();
    const first = authorise(wallet, 600);
    expect([first.balanceAfter, first.spentTotal, first.blockedTotal]).toEqual([1_000, 650n, 2]);
    expect(wallet.outcome()).toMatchObject({
      approved: 0,
      spent: 0,
      balanceAfter: 1_000,
      held: 600,
      heldCount: 1,
      totals: { attemptCount: 8, blockedCount: 2, spentTotal: 650n, window: { spent: 600, from: NOW } },
    });
    expect(authorise(wallet, 301).blockReason).toBe('SPEND_LIMIT_PER_PERIOD_EXCEEDED');
    expect(decisionOf(authorise(wallet, 300))).toBe('pending');
    expect(wallet.outcome()).toMatchObject({ held: 900, heldCount: 2, balanceAfter: 1_000 });
  });

  it('spends no kobo that is held, also once the owner is no longer asked', () => {
    for (const controls of [WALLET.controls, undefined]) {
      const { controls: _, ...rest } = WALLET;
      const wallet = new SpendingWallet({
        ...rest,
        held: kobo(950),
        heldCount: 3,
        ...(controls && { controls }),
      });
      const { blockReason, facts } = authorise(wallet, 51);
      expect(blockReason).toBe('INSUFFICIENT_FUNDS');
      expect(blockMessage(facts, paymentOf({ amount: 51 }), 'INSUFFICIENT_FUNDS')).toContain(
        '50 kobo; 950 are held',
      );
      expect(authorise(wallet, 50)).toMatchObject({ blockReason: null, balanceAfter: 950 });
      expect(authorise(wallet, 1).blockReason).toBe('INSUFFICIENT_FUNDS');
    }
  });

  it('has a hundred payments wait at most, and pays the small ones all the same', () => {
    const wallet = walletOf({
      balance: kobo(100_000),
      spendLimitPeriod: kobo(100_000),
      held: kobo(99),
      heldCount: 99,
    });
    expect(decisionOf(authorise(wallet, 101))).toBe('pending');
    const { blockReason, facts } = authorise(wallet, 101);
    expect(blockReason).toBe('APPROVAL_LIMIT_REACHED');
    expect(blockMessage(facts, paymentOf({ amount: 101 }), 'APPROVAL_LIMIT_REACHED')).toContain(
      '100 payments',
    );
    expect(decisionOf(authorise(wallet, 100))).toBe('approved');
  });

  it('keeps no fact of it where nothing is asked and nothing is held', () => {
    const { controls: _, ...plain } = WALLET;
    const { facts, approval } = authorise(new SpendingWallet(plain), 900);
    expect([approval, 'approval' in facts, 'held' in facts]).toEqual([null, false, false]);
  });
});
