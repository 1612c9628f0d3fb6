import { describe, expect, it } from '@jest/globals';
import { BLOCK_REASONS } from '../../../kernel/errors.js';
import { kobo, KOBO_MAX } from '../../../kernel/money.js';
import { at, lockedWallet, NOW, paymentOf } from '../../../../test/support/payment-samples.js';
import type { LockedWallet } from '../../wallet/wallet.port.js';
import { blockMessage, checkEvents, compactReason } from './decide.domain.js';
import { CHECKS } from './six-checks.domain.js';
import { SpendingWallet } from '../spending-wallet.domain.js';

type BlockReason = (typeof CHECKS)[number]['blockedAs'];

const INTENT = paymentOf();

interface Case {
  readonly wallet?: Partial<LockedWallet>;
  readonly amount?: number;
  readonly spent?: number;
  readonly onAllowlist?: boolean;
}

function decide({ wallet, amount = 100, spent = 0, onAllowlist = false }: Case) {
  const window = { days: 30, spent, from: null };
  const spending = new SpendingWallet(
    lockedWallet({ totals: { ...lockedWallet().totals, window }, ...wallet }),
  );
  return spending.authorise({ ...INTENT, amount }, { onAllowlist });
}

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

  it('block with the first reasons of those that payments are blocked with, in the same order', () => {
    expect(BLOCK_REASONS.slice(0, CHECKS.length)).toEqual(CHECKS.map(({ blockedAs }) => blockedAs));
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
    ['below', KOBO_MAX - 3, KOBO_MAX - 1],
    ['at', KOBO_MAX - 2, KOBO_MAX],
    ['above', KOBO_MAX - 1, KOBO_MAX],
  ])('holds no sum that is rounded: %s the largest amount', (_, spent, actual) => {
    const { facts } = decide({ spent, amount: 2 });
    const event = checkEvents(facts, { ...INTENT, amount: 2 }, 'SPEND_LIMIT_PER_PERIOD_EXCEEDED').at(-1);
    expect(event?.detail).toMatchObject({ actual });
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
