import { describe, expect, it } from '@jest/globals';
import { at, lockedWallet, NOW, paymentOf } from '../../../../../test/support/payment-samples.js';
import { kobo, KOBO_MAX } from '../../../../kernel/money.js';
import type { KeyLimits, KeyUsage, LockedWallet, SpendingKey } from '../../../wallet/wallet.port.js';
import type { KeyUsageReading } from '../../../wallet/keys/key-usages.port.js';
import type { Intent } from '../../checks/facts.port.js';
import { blockDetails, blockMessage, checkEvents, compactReason } from '../../checks/decide.domain.js';
import { SpendingWallet } from '../../spending-wallet.domain.js';

const WALLET = lockedWallet({
  expiry: at(10),
  balance: kobo(10_000),
  spendLimitPerTx: kobo(5_000),
  spendLimitPeriod: kobo(7_000),
});
const INTENT = paymentOf({ merchant: 'acme stores', merchantName: 'Acme  Stores' });
const FRESH: KeyUsage = { spentTotal: 0n, paymentCount: 0, spent: 0, payments: 0, spentInPeriod: 0 };
const keyOf = (limits: KeyLimits, id = 'a'): SpendingKey => ({
  id,
  purpose: null,
  limited: { limits, historyId: id },
});
const usageOf = (usage: Partial<KeyUsage> = {}, keyId = 'a'): KeyUsageReading => ({
  ...FRESH,
  ...usage,
  walletId: WALLET.id,
  keyId,
  days: 0,
  now: NOW,
});

interface Case {
  readonly limits: KeyLimits;
  readonly usage?: Partial<KeyUsage>;
  readonly intent?: Partial<Intent>;
  readonly wallet?: Partial<LockedWallet>;
}

function decide({ limits, usage, intent, wallet }: Case) {
  const asked = { ...INTENT, ...intent };
  const decision = new SpendingWallet({ ...WALLET, ...wallet }, undefined, [usageOf(usage)]).authorise(
    asked,
    {
      onAllowlist: false,
      key: keyOf(limits),
    },
  );
  return { ...decision, asked };
}

const PERIOD = { spendLimitPeriod: kobo(500), periodWindowDays: 7 };
const CAP = { totalCap: kobo(500) };
const THREE = { maxPayments: 3 };
const PAYEE = { payee: { accountNumber: '0123456789', bankCode: '058' } };

describe('the limits of a key', () => {
  it.each<[string, Case, string | null]>([
    ['without any pass', { limits: {} }, null],
    ['one kobo below spendLimitPerTx passes', { limits: { spendLimitPerTx: kobo(101) } }, null],
    ['exactly spendLimitPerTx passes', { limits: { spendLimitPerTx: kobo(100) } }, null],
    ['one kobo above spendLimitPerTx does not', { limits: { spendLimitPerTx: kobo(99) } }, 'spendLimitPerTx'],
    ['one kobo below spendLimitPeriod passes', { limits: PERIOD, usage: { spentInPeriod: 399 } }, null],
    ['exactly spendLimitPeriod passes', { limits: PERIOD, usage: { spentInPeriod: 400 } }, null],
    [
      'one kobo above spendLimitPeriod does not',
      { limits: PERIOD, usage: { spentInPeriod: 401 } },
      'spendLimitPeriod',
    ],
    [
      'what was spent outside of the period does not count in it',
      { limits: PERIOD, usage: { spent: 9_999 } },
      null,
    ],
    ['one kobo below totalCap passes', { limits: CAP, usage: { spent: 399 } }, null],
    ['exactly totalCap passes', { limits: CAP, usage: { spent: 400 } }, null],
    ['one kobo above totalCap does not', { limits: CAP, usage: { spent: 401 } }, 'totalCap'],
    ['the last of maxPayments passes', { limits: THREE, usage: { payments: 2 } }, null],
    ['one more than maxPayments does not', { limits: THREE, usage: { payments: 3 } }, 'maxPayments'],
    [
      'payments that were given back do not count',
      { limits: THREE, usage: { paymentCount: 9, payments: 2 } },
      null,
    ],
    ['one of allowedMerchants passes', { limits: { allowedMerchants: ['Other', ' ACME stores'] } }, null],
    [
      'a merchant that is none of them does not',
      { limits: { allowedMerchants: ['Acme'] } },
      'allowedMerchants',
    ],
    ['its payee passes', { limits: PAYEE }, null],
    ['another account does not', { limits: PAYEE, intent: { recipientAccountNo: '0123456788' } }, 'payee'],
    [
      'the same number at another bank does not',
      { limits: PAYEE, intent: { recipientBankCode: '044' } },
      'payee',
    ],
    ['one millisecond before its expiry passes', { limits: { expiry: at(1).toISOString() } }, null],
    ['the instant of its expiry does not', { limits: { expiry: NOW.toISOString() } }, 'expiry'],
    ['one millisecond after its expiry does not', { limits: { expiry: at(-1).toISOString() } }, 'expiry'],
    [
      'are exact at the largest amount',
      { limits: { totalCap: KOBO_MAX }, usage: { spent: KOBO_MAX - 100 } },
      null,
    ],
    [
      'are exact one kobo past the largest amount',
      { limits: { totalCap: KOBO_MAX }, usage: { spent: KOBO_MAX - 99 } },
      'totalCap',
    ],
  ])('%s', (_, given, blockedBy) => {
    const { facts, blockReason, balanceAfter, keyUsage, asked } = decide(given);
    if (blockedBy === null) {
      expect(blockReason).toBeNull();
      expect(balanceAfter).toBe(9_900);
      expect(keyUsage?.paymentCount).toBe((given.usage?.paymentCount ?? 0) + 1);
      return;
    }
    expect(blockReason).toBe('KEY_LIMIT_EXCEEDED');
    expect([balanceAfter, keyUsage]).toEqual([10_000, undefined]);
    expect(blockDetails(facts, asked, 'KEY_LIMIT_EXCEEDED')).toMatchObject({ keyLimit: blockedBy });
    expect(blockMessage(facts, asked, 'KEY_LIMIT_EXCEEDED')).toMatch(
      new RegExp(`^The .*\\b${blockedBy}\\b.*\\.$|^This key's ${blockedBy} .*\\.$`),
    );
    const events = checkEvents(facts, asked, 'KEY_LIMIT_EXCEEDED');
    expect(events.map(({ type }) => type)).toEqual([
      ...Array<string>(events.length - 1).fill('check.passed'),
      'check.failed',
    ]);
    expect(events.at(-1)?.detail).toMatchObject({ check: 'KEY_LIMIT_EXCEEDED', keyLimit: blockedBy });
  });

  it('come after the six checks', () => {
    const limits = { spendLimitPerTx: kobo(1), ...CAP };
    expect(decide({ limits, wallet: { balance: kobo(99) } }).blockReason).toBe('INSUFFICIENT_FUNDS');
    expect(decide({ limits, wallet: { status: 'SUSPENDED' } }).blockReason).toBe('WALLET_INACTIVE');
  });

  it('are looked at in one order, of which the first that fails is named', () => {
    const limits = { ...THREE, ...CAP, spendLimitPerTx: kobo(1) };
    const { facts, asked } = decide({ limits, usage: { spent: 500, payments: 3 } });
    expect(checkEvents(facts, asked, 'KEY_LIMIT_EXCEEDED').slice(6)).toEqual([
      {
        type: 'check.failed',
        at: NOW.toISOString(),
        detail: { check: 'KEY_LIMIT_EXCEEDED', keyLimit: 'spendLimitPerTx', limit: 1, actual: 100 },
      },
    ]);
  });

  it('each leave a passed check behind when a payment is approved', () => {
    const { facts, asked } = decide({ limits: { ...THREE, ...CAP } });
    expect(
      checkEvents(facts, asked, null)
        .slice(6)
        .map(({ type, detail }) => [type, detail]),
    ).toEqual([
      ['check.passed', { check: 'KEY_LIMIT_EXCEEDED', keyLimit: 'totalCap', limit: 500, actual: 100 }],
      ['check.passed', { check: 'KEY_LIMIT_EXCEEDED', keyLimit: 'maxPayments', limit: 3, actual: 1 }],
    ]);
  });

  it('say what would pass', () => {
    const { facts, asked } = decide({ limits: CAP, usage: { spent: 450 } });
    expect(blockMessage(facts, asked, 'KEY_LIMIT_EXCEEDED')).toContain('at most 50 kobo');
  });

  it.each([
    ['below', KOBO_MAX - 3, KOBO_MAX - 1],
    ['at', KOBO_MAX - 2, KOBO_MAX],
    ['above', KOBO_MAX - 1, KOBO_MAX],
  ])('are held against no sum that is rounded: %s the largest amount', (_, spent, actual) => {
    for (const [limits, usage] of [
      [CAP, { spent }],
      [PERIOD, { spentInPeriod: spent }],
    ] as const) {
      const { facts, asked } = decide({ limits, usage, intent: { amount: 2 } });
      expect(blockDetails(facts, asked, 'KEY_LIMIT_EXCEEDED')).toMatchObject({ actual });
    }
  });

  it('are named in the compact list', () => {
    expect(compactReason('KEY_LIMIT_EXCEEDED')).toBe('key_limit_exceeded');
  });

  it('leave no trace in the facts of a key that has none', () => {
    const { facts } = new SpendingWallet(WALLET).authorise(INTENT, {
      onAllowlist: false,
      key: { id: 'a', purpose: null },
    });
    expect(Object.keys(facts)).toEqual([
      'status',
      'expiry',
      'now',
      'spendLimitPerTx',
      'spendLimitPeriod',
      'periodWindowDays',
      'spent',
      'balance',
      'useAllowlist',
      'onAllowlist',
    ]);
  });
});

describe('keys that pay within one transaction', () => {
  it('see what they spent themselves, and nothing of each other', () => {
    const wallet = new SpendingWallet(WALLET, undefined, [usageOf({}, 'one'), usageOf({}, 'other')]);
    const [one, other] = [keyOf({ ...CAP, ...THREE }, 'one'), keyOf(CAP, 'other')];
    const pay = (key: SpendingKey, amount: number) =>
      wallet.authorise({ ...INTENT, amount }, { onAllowlist: false, key });
    expect(pay(one, 300).blockReason).toBeNull();
    expect(pay(other, 300).blockReason).toBeNull();
    expect(pay(one, 201).blockReason).toBe('KEY_LIMIT_EXCEEDED');
    expect(pay(one, 100).keyUsage).toEqual({
      spentTotal: 400n,
      paymentCount: 2,
      spent: 400,
      payments: 2,
      spentInPeriod: 400,
    });
    expect(pay(one, 50).keyUsage?.paymentCount).toBe(3);
    expect(pay(one, 1).facts.key).toMatchObject({ spent: 450, payments: 3 });
    expect(pay(other, 200).blockReason).toBeNull();
  });

  it('with the full cap each do not together exceed that of the wallet', () => {
    const wallet = new SpendingWallet(WALLET, undefined, [usageOf({}, 'one'), usageOf({}, 'other')]);
    const limits = { spendLimitPeriod: kobo(7_000), periodWindowDays: 30 };
    const reasons = ['one', 'other'].flatMap((id) =>
      [4_000, 3_000].map(
        (amount) =>
          wallet.authorise({ ...INTENT, amount }, { onAllowlist: false, key: keyOf(limits, id) }).blockReason,
      ),
    );
    expect(reasons).toEqual([
      null,
      null,
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    ]);
  });
});
