import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { at, lockedWallet, NOW, paymentOf } from '../../../test/support/payment-samples.js';
import { kobo, KOBO_MAX } from '../../kernel/money.js';
import type { LockedWallet, SpendWindow } from '../wallet/wallet.port.js';
import { isWindowCurrent, SpendingWallet } from './spending-wallet.domain.js';

const WALLET = lockedWallet();
const INTENT = paymentOf();
const walletOf = (fields: Partial<LockedWallet> = {}, spent = 0) =>
  new SpendingWallet(
    lockedWallet({ totals: { ...WALLET.totals, window: { days: 30, spent, from: null } }, ...fields }),
  );

describe('a wallet that is spent from', () => {
  it('lets the next intent of the same transaction see what the one before it took', () => {
    const wallet = walletOf({ balance: kobo(250) });
    const outcomes = [100, 100, 51, 50, 1].map((amount) =>
      wallet.authorise({ ...INTENT, amount }, { onAllowlist: false }),
    );
    expect(outcomes.map(({ blockReason }) => blockReason)).toEqual([
      null,
      null,
      'INSUFFICIENT_FUNDS',
      null,
      'INSUFFICIENT_FUNDS',
    ]);
    expect(outcomes.map(({ facts }) => [facts.balance, facts.spent])).toEqual([
      [250, 0],
      [150, 100],
      [50, 200],
      [50, 200],
      [0, 250],
    ]);
  });

  it('gives each attempt its place in the history, and what it leaves', () => {
    const wallet = walletOf({ balance: kobo(250) });
    const decisions = [100, 300, 50].map((amount) =>
      wallet.authorise({ ...INTENT, amount }, { onAllowlist: false }),
    );
    expect(decisions.map(({ seq, blockedTotal, balanceAfter }) => [seq, blockedTotal, balanceAfter])).toEqual(
      [
        [8, 2, 150],
        [9, 3, 150],
        [10, 3, 100],
      ],
    );
    expect(decisions.map(({ spentTotal }) => spentTotal - 2n ** 63n)).toEqual([100n, 100n, 150n]);
  });

  it('leaves its numbers, totals and window where the attempts moved them', () => {
    const wallet = walletOf({ balance: kobo(250) });
    for (const amount of [100, 300, 50]) wallet.authorise({ ...INTENT, amount }, { onAllowlist: false });
    expect({ ...wallet.outcome() }).toEqual({
      walletId: WALLET.id,
      approved: 2,
      spent: 150,
      balanceAfter: 100,
      held: 0,
      heldCount: 0,
      at: NOW,
      totals: {
        attemptCount: 10,
        blockedCount: 3,
        spentTotal: 2n ** 63n + 150n,
        window: { days: 30, spent: 150, from: NOW },
      },
    });
  });

  it('is quoted what it would be answered, and stays as it was', () => {
    const wallet = walletOf({ balance: kobo(250) });
    const intent = { ...INTENT, amount: 200 };
    const quotes = [1, 2].map(() => wallet.quote(intent, { onAllowlist: true }));
    const {
      seq: _,
      spentTotal: __,
      blockedTotal: ___,
      ...decision
    } = wallet.authorise(intent, { onAllowlist: true });
    expect(quotes).toEqual([decision, decision]);
    expect(wallet.quote(intent, { onAllowlist: true }).blockReason).toBe('INSUFFICIENT_FUNDS');
  });

  it('never pays more than its balance, its limit of a payment and its limit of the period', () => {
    const amount = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(
        fc.array(amount, { maxLength: 40 }),
        amount,
        fc.nat({ max: 300 }),
        fc.nat({ max: 300 }),
        (amounts, perTx, more, balance) => {
          const wallet = walletOf({
            spendLimitPerTx: kobo(perTx),
            spendLimitPeriod: kobo(perTx + more),
            balance: kobo(balance),
          });
          const paid = amounts.filter(
            (each) => !wallet.authorise({ ...INTENT, amount: each }, { onAllowlist: false }).blockReason,
          );
          const total = paid.reduce((sum, each) => sum + each, 0);
          expect(total).toBeLessThanOrEqual(Math.min(balance, perTx + more));
          expect(Math.max(0, ...paid)).toBeLessThanOrEqual(perTx);
        },
      ),
    );
  });
});

describe('the window that a wallet carries', () => {
  const carrying = (window: SpendWindow | null) => ({ ...WALLET, totals: { ...WALLET.totals, window } });
  const DAYS_MS = 30 * 24 * 60 * 60_000;

  it.each<[string, SpendWindow | null, boolean]>([
    ['holds for ever while nothing is in it', { days: 30, spent: 0, from: null }, true],
    [
      'holds to the last millisecond before its first attempt leaves',
      { days: 30, spent: 5, from: at(1 - DAYS_MS) },
      true,
    ],
    ['holds no longer once its first attempt has left', { days: 30, spent: 5, from: at(-DAYS_MS) }, false],
    ['does not hold for a window of another length', { days: 31, spent: 5, from: NOW }, false],
    ['does not hold when it has to be read again', null, false],
  ])('%s', (_, window, isCurrent) => {
    const wallet = carrying(window);
    expect(isWindowCurrent(wallet, wallet.now)).toBe(isCurrent);
    if (isCurrent)
      expect(new SpendingWallet(wallet).quote(INTENT, { onAllowlist: false }).facts.spent).toBe(
        window?.spent,
      );
    else expect(() => new SpendingWallet(wallet)).toThrow('was not read');
  });

  it('is the one that was read where the carried one does not hold, decided at the time of the reading', () => {
    const reading = { walletId: WALLET.id, days: 30, spent: 601, from: at(-5), now: at(0.5) };
    const wallet = new SpendingWallet(carrying(null), reading);
    expect(wallet.authorise(INTENT, { onAllowlist: false }).blockReason).toBe(
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    );
    expect(wallet.outcome().totals.window).toEqual({ days: 30, spent: 601, from: at(-5) });
  });

  it('is judged at the time at which a key’s usage was read, as is every decision', () => {
    const usage = { spentTotal: 0n, paymentCount: 0, spent: 0, payments: 0, spentInPeriod: 0 };
    const read = { ...usage, walletId: WALLET.id, keyId: 'a', days: 0, now: at(1) };
    const ending = (ms: number) => carrying({ days: 30, spent: 5, from: at(ms - DAYS_MS) });
    expect(new SpendingWallet(ending(2), undefined, [read]).now).toEqual(at(1));
    expect(() => new SpendingWallet(ending(1), undefined, [read])).toThrow('was not read');
    expect(new SpendingWallet(ending(2), undefined, [{ ...read, now: at(-1) }]).now).toEqual(NOW);
  });

  it('counts no further than any limit can reach', () => {
    const wallet = walletOf(
      { balance: kobo(1_000), spendLimitPeriod: KOBO_MAX, spendLimitPerTx: KOBO_MAX },
      KOBO_MAX - 1,
    );
    expect(wallet.authorise({ ...INTENT, amount: 1 }, { onAllowlist: false }).blockReason).toBeNull();
    expect(wallet.authorise({ ...INTENT, amount: 1 }, { onAllowlist: false }).blockReason).toBe(
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    );
  });
});
