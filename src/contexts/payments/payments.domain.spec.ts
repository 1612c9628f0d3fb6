import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { kobo, KOBO_MAX } from '../../kernel/money.js';
import type { LockedWallet, SpendWindow } from '../wallet/wallet.port.js';
import { blockMessage, CHECKS, checkEvents, compactReason, type Intent } from './payments.domain.js';
import { isWindowCurrent, SpendingWallet } from './spending-wallet.domain.js';

type BlockReason = (typeof CHECKS)[number]['blockedAs'];

const NOW = new Date('2026-06-01T12:00:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);

const WALLET: LockedWallet = {
  id: '01a1fd71-ec35-77c2-9900-6d901138ea6a',
  status: 'ACTIVE',
  expiry: at(1),
  balance: kobo(1_000),
  held: kobo(0),
  heldCount: 0,
  spendLimitPerTx: kobo(500),
  spendLimitPeriod: kobo(700),
  periodWindowDays: 30,
  useAllowlist: false,
  now: NOW,
  totals: {
    attemptCount: 7,
    blockedCount: 2,
    spentTotal: 2n ** 63n,
    window: { days: 30, spent: 0, from: null },
  },
};
const INTENT: Intent = {
  amount: 100,
  merchant: 'acme',
  merchantName: 'Acme',
  recipientAccountNo: '0123456789',
  recipientBankCode: '058',
  reason: null,
};

interface Case {
  readonly wallet?: Partial<LockedWallet>;
  readonly amount?: number;
  readonly spent?: number;
  readonly onAllowlist?: boolean;
}

const walletOf = (wallet: Partial<LockedWallet> = {}, spent = 0) =>
  new SpendingWallet({
    ...WALLET,
    totals: { ...WALLET.totals, window: { days: 30, spent, from: null } },
    ...wallet,
  });

function decide({ wallet, amount = 100, spent = 0, onAllowlist = false }: Case) {
  return walletOf(wallet, spent).authorise({ ...INTENT, amount }, { onAllowlist });
}

/** What makes each check fail, and nothing else that was sound before. */
const FAULTS: Readonly<Record<BlockReason, Case>> = {
  WALLET_INACTIVE: { wallet: { status: 'SUSPENDED' } },
  WALLET_EXPIRED: { wallet: { expiry: NOW } },
  SPEND_LIMIT_PER_TX_EXCEEDED: { wallet: { spendLimitPerTx: kobo(99) } },
  SPEND_LIMIT_PER_PERIOD_EXCEEDED: { spent: 601 },
  MERCHANT_NOT_ALLOWED: { wallet: { useAllowlist: true } },
  INSUFFICIENT_FUNDS: { wallet: { balance: kobo(99) } },
};
const ORDER: readonly BlockReason[] = [
  'WALLET_INACTIVE',
  'WALLET_EXPIRED',
  'SPEND_LIMIT_PER_TX_EXCEEDED',
  'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
  'MERCHANT_NOT_ALLOWED',
  'INSUFFICIENT_FUNDS',
];
const withFaults = (faults: readonly BlockReason[]): Case =>
  faults
    .map((fault) => FAULTS[fault])
    .reduce((all, one) => ({ ...all, ...one, wallet: { ...all.wallet, ...one.wallet } }), {});

describe('the six checks', () => {
  it('are those of the specification, in its order', () => {
    expect(CHECKS.map(({ blockedAs }) => blockedAs)).toEqual(ORDER);
  });

  it.each<[string, Case, BlockReason | null]>([
    ['a wallet that is ACTIVE passes', { wallet: { status: 'ACTIVE' } }, null],
    ['a suspended wallet does not', { wallet: { status: 'SUSPENDED' } }, 'WALLET_INACTIVE'],
    ['a status in another case does not', { wallet: { status: 'active' } }, 'WALLET_INACTIVE'],
    ['one millisecond before the expiry passes', { wallet: { expiry: at(1) } }, null],
    ['the instant of the expiry does not', { wallet: { expiry: at(0) } }, 'WALLET_EXPIRED'],
    ['one millisecond after the expiry does not', { wallet: { expiry: at(-1) } }, 'WALLET_EXPIRED'],
    ['one kobo below the limit of a payment passes', { amount: 499 }, null],
    ['exactly the limit of a payment passes', { amount: 500 }, null],
    ['one kobo above the limit of a payment does not', { amount: 501 }, 'SPEND_LIMIT_PER_TX_EXCEEDED'],
    ['one kobo below the limit of the period passes', { spent: 599 }, null],
    ['exactly the limit of the period passes', { spent: 600 }, null],
    ['one kobo above the limit of the period does not', { spent: 601 }, 'SPEND_LIMIT_PER_PERIOD_EXCEEDED'],
    ['a period that is spent leaves nothing', { amount: 1, spent: 700 }, 'SPEND_LIMIT_PER_PERIOD_EXCEEDED'],
    ['a merchant off the list passes when no list is used', { onAllowlist: false }, null],
    ['a merchant on the list passes', { wallet: { useAllowlist: true }, onAllowlist: true }, null],
    ['a merchant off the list does not', { wallet: { useAllowlist: true } }, 'MERCHANT_NOT_ALLOWED'],
    ['one kobo below the balance passes', { wallet: { balance: kobo(101) } }, null],
    ['exactly the balance passes', { wallet: { balance: kobo(100) } }, null],
    ['one kobo above the balance does not', { wallet: { balance: kobo(99) } }, 'INSUFFICIENT_FUNDS'],
    ['an empty wallet pays nothing', { amount: 1, wallet: { balance: kobo(0) } }, 'INSUFFICIENT_FUNDS'],
  ])('%s', (_, given, expected) => {
    expect(decide(given).blockReason).toBe(expected);
  });

  it('are exact where the sum of two amounts is past what a number holds', () => {
    const wallet = { balance: KOBO_MAX, spendLimitPerTx: KOBO_MAX, spendLimitPeriod: KOBO_MAX };
    expect(decide({ wallet, amount: KOBO_MAX }).blockReason).toBeNull();
    expect(decide({ wallet, amount: KOBO_MAX, spent: 1 }).blockReason).toBe(
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    );
    expect(decide({ wallet, amount: KOBO_MAX - 1, spent: 1 }).blockReason).toBeNull();
    expect(decide({ wallet, amount: 2, spent: KOBO_MAX - 1 }).blockReason).toBe(
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    );
  });

  it.each(
    Array.from({ length: 64 }, (_, bits) => ORDER.filter((__, i) => bits & (1 << i))).map(
      (failing) => [failing.join(', ') || 'none', failing] as const,
    ),
  )('let the first that fails win when these fail: %s', (_, failing) => {
    expect(decide(withFaults(failing)).blockReason).toBe(failing[0] ?? null);
  });
});

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

describe('the record of an attempt', () => {
  it('holds six passed checks when it was approved, also that of an allowlist which is off', () => {
    const { facts, blockReason } = decide({});
    const events = checkEvents(facts, INTENT, blockReason);
    expect(events.map(({ type, detail }) => [type, detail['check']])).toEqual(
      ORDER.map((check) => ['check.passed', check]),
    );
    expect(new Set(events.map((event) => event.at))).toEqual(new Set([NOW.toISOString()]));
  });

  it.each(ORDER.map((reason, i) => [reason, i] as const))('ends with the failed check %s', (reason, i) => {
    const { facts, blockReason } = decide(FAULTS[reason]);
    const events = checkEvents(facts, INTENT, blockReason);
    expect(events.map(({ type }) => type)).toEqual([
      ...Array<string>(i).fill('check.passed'),
      'check.failed',
    ]);
    expect(events.at(-1)?.detail['check']).toBe(reason);
  });

  it('holds the numbers that were compared', () => {
    const { facts } = decide({ spent: 601 });
    expect(checkEvents(facts, INTENT, 'SPEND_LIMIT_PER_PERIOD_EXCEEDED').at(-1)?.detail).toEqual({
      check: 'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
      limit: 700,
      actual: 701,
    });
  });

  it.each([
    ['WALLET_INACTIVE', 'wallet_inactive'],
    ['WALLET_EXPIRED', 'wallet_expired'],
    ['SPEND_LIMIT_PER_TX_EXCEEDED', 'exceeds_per_tx_limit'],
    ['SPEND_LIMIT_PER_PERIOD_EXCEEDED', 'exceeds_period_limit'],
    ['MERCHANT_NOT_ALLOWED', 'merchant_not_in_allowlist'],
    ['INSUFFICIENT_FUNDS', 'insufficient_funds'],
  ] as const)('names %s in the compact list %s, and says why in words', (reason, compact) => {
    expect(compactReason(reason)).toBe(compact);
    const { facts } = decide(FAULTS[reason]);
    expect(blockMessage(facts, INTENT, reason)).toMatch(/^The .+\.$/);
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
    expect(isWindowCurrent(wallet)).toBe(isCurrent);
    if (isCurrent)
      expect(new SpendingWallet(wallet).quote(INTENT, { onAllowlist: false }).facts.spent).toBe(
        window?.spent,
      );
    else expect(() => new SpendingWallet(wallet)).toThrow('was not read');
  });

  it('is the one that was read where the carried one does not hold, decided at the time of the reading', () => {
    const reading = { days: 30, spent: 601, from: at(-5), now: at(0.5) };
    const wallet = new SpendingWallet(carrying(null), reading);
    expect(wallet.authorise(INTENT, { onAllowlist: false }).blockReason).toBe(
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    );
    expect(wallet.outcome().totals.window).toEqual({ days: 30, spent: 601, from: at(-5) });
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
