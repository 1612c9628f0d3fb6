import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FakeBank } from '../fake-bank/fake-bank.ts';
import type { CreatedWallet, HistoryRow, TestService } from '../support/service.js';
import { expectStatus, until } from '../support/service.js';
import {
  FAILING,
  PATIENT,
  PAY,
  REFUSED,
  type ServiceWithBank,
  startWithFakeBank,
  STUCK,
} from '../support/with-fake-bank.js';

/** What becomes of an approved payment, with a bank that is reached over HTTP. */

let banked: ServiceWithBank;
let fake: FakeBank;
let service: TestService;
beforeAll(async () => {
  banked = await startWithFakeBank({}, PATIENT);
  ({ fake, service } = banked);
});
afterEach(async () => {
  fake.script.clear();
  await banked.settled();
  expect(await banked.disagreements()).toEqual([]);
});
afterAll(() => banked.close());

const CHECKS = [
  'WALLET_INACTIVE',
  'WALLET_EXPIRED',
  'SPEND_LIMIT_PER_TX_EXCEEDED',
  'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
  'MERCHANT_NOT_ALLOWED',
  'INSUFFICIENT_FUNDS',
];
const newest = async (wallet: CreatedWallet): Promise<HistoryRow> => (await service.history(wallet)).data[0]!;
const payoutsOf = (reference: string): object[] =>
  (fake.state().payouts as { reference: string }[]).filter((payout) => payout.reference === reference);
/** Waits until the bank's answer to the first call is on record. */
const answered = (reference: string): Promise<void> =>
  until(
    async () =>
      (await service.query('SELECT 1 FROM settlements WHERE reference = $1 AND poll_count > 0', [reference]))
        .length === 1,
  );

describe('the settlement of an approved payment', () => {
  it('succeeds after the commit, under the reference that the payment was answered with', async () => {
    const wallet = await banked.funded();
    const to = { bankCode: '058', accountNumber: '0123456789' };
    const reference = await banked.pay(wallet, { ...to, amount: 70_000, reason: 'Paper' });
    expect(await banked.endOf(reference)).toBe('succeeded');
    expect((await newest(wallet)).settlement).toEqual({ reference, status: 'succeeded' });
    expect(payoutsOf(reference)).toMatchObject([
      { ...to, amount: '700.00', narration: 'Paper', status: 'success' },
    ]);
    expect(banked.handedOver(reference)).toBe(1);
  });

  it.each([{}, { reason: null }, { reason: '' }])(
    'has the recipient read the name of the merchant where the payment says no reason: %j',
    async (fields) => {
      const wallet = await banked.funded();
      const paid = await service.pay(wallet.key, { amount: 10_000, merchantName: 'Shoprite', ...fields });
      const { reference } = expectStatus(201, paid).body.data.settlement;
      expect(await banked.endOf(reference)).toBe('succeeded');
      expect(payoutsOf(reference)).toMatchObject([{ narration: 'Shoprite' }]);
    },
  );

  it('leaves its steps behind the six checks, in order of time', async () => {
    const wallet = await banked.funded();
    expect(await banked.endOf(await banked.pay(wallet))).toBe('succeeded');
    const { auditEvents, createdAt } = await newest(wallet);
    expect(auditEvents.map(({ type, detail }) => [type, detail['check']])).toEqual([
      ...CHECKS.map((check) => ['check.passed', check]),
      ['settlement.started', undefined],
      ['settlement.succeeded', undefined],
    ]);
    const times = auditEvents.map(({ at }) => Date.parse(at));
    expect(times.slice(0, 7)).toEqual(Array<number>(7).fill(Date.parse(createdAt)));
    expect(times[7]).toBeGreaterThanOrEqual(times[6]! - 50);
    for (const event of auditEvents) {
      expect(Object.keys(event).sort()).toEqual(['at', 'detail', 'type']);
      expect(event.at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    }
  });

  it('is none when the payment was blocked, whose record ends with the check that failed', async () => {
    const wallet = await banked.funded('5000.00', { spendLimitPerTx: 50_000 });
    expect((await service.pay(wallet.key, { amount: 50_001 })).status).toBe(403);
    const { settlement, auditEvents } = await newest(wallet);
    expect(settlement).toBeNull();
    expect(auditEvents.map(({ type, detail }) => [type, detail['check']])).toEqual([
      ['check.passed', 'WALLET_INACTIVE'],
      ['check.passed', 'WALLET_EXPIRED'],
      ['check.failed', 'SPEND_LIMIT_PER_TX_EXCEEDED'],
    ]);
    expect(auditEvents[2]?.detail).toEqual({
      check: 'SPEND_LIMIT_PER_TX_EXCEEDED',
      limit: 50_000,
      actual: 50_001,
    });
  });

  it('is handed to the bank once by each payment that was sent at once', async () => {
    const wallet = await banked.funded('50000.00');
    const references = await Promise.all(Array.from({ length: 20 }, () => banked.pay(wallet)));
    await banked.settled();
    expect(references.map((reference) => banked.handedOver(reference))).toEqual(Array<number>(20).fill(1));
    expect(new Set(references).size).toBe(20);
  });
});

describe('a payout that the bank did not make', () => {
  it.each([
    ['is refused', REFUSED, null, 'failed'],
    ['fails later', FAILING, null, 'failed'],
    ['is sent back', STUCK, 'reversed', 'reversed'],
  ] as const)(
    'and %s is refunded once: balance, ledger, allowance and record',
    async (_, to, end, status) => {
      const wallet = await banked.funded('5000.00', { spendLimitPerTx: 100_000, spendLimitPeriod: 100_000 });
      const reference = await banked.pay(wallet, to);
      if (end) {
        await answered(reference);
        fake.books.settle(reference, end);
      }
      expect(await banked.endOf(reference)).toBe(status);
      expect(await service.stats(wallet)).toMatchObject({
        balance: 500_000,
        spentThisPeriod: 0,
        remainingAllowance: 100_000,
      });
      const { data } = await service.ledger(wallet);
      expect(
        data.map(({ type, amount, balanceAfter, transactionId }) => [
          type,
          amount,
          balanceAfter,
          transactionId,
        ]),
      ).toEqual([
        ['refund', 100_000, 500_000, reference],
        ['debit', 100_000, 400_000, reference],
        ['topup', 500_000, 500_000, null],
      ]);
      expect(data.slice(0, 2).map((entry) => entry.reference)).toEqual([reference, reference]);
      const { settlement, decision, blockReason, auditEvents } = await newest(wallet);
      expect([decision, blockReason, settlement?.status]).toEqual(['approved', null, status]);
      expect(auditEvents.slice(6).map(({ type }) => type)).toEqual([
        'settlement.started',
        'settlement.failed',
        'refund.posted',
      ]);
      expect(banked.handedOver(reference)).toBe(1);
      // The whole allowance is there again.
      expect(await banked.endOf(await banked.pay(wallet))).toBe('succeeded');
    },
  );
});

describe('a payout whose submission got no answer', () => {
  it('is asked for again, and neither refunded nor made twice', async () => {
    const wallet = await banked.funded();
    fake.script.add([{ path: PAY, account: STUCK.accountNumber, answer: 'reset' }]);
    const reference = await banked.pay(wallet, STUCK);
    await banked.looked(reference, 2);
    expect([await banked.statusOf(reference), await banked.balanceOf(wallet)]).toEqual([
      'processing',
      400_000,
    ]);
    fake.books.settle(reference, 'success', { mode: 'drop' });
    expect(await banked.endOf(reference)).toBe('succeeded');
    expect(banked.handedOver(reference)).toBe(1);
    const steps = (await newest(wallet)).auditEvents.slice(6).map(({ type }) => type);
    expect(steps).toEqual(['settlement.started', 'settlement.succeeded']);
    expect(await banked.balanceOf(wallet)).toBe(400_000);
  });

  it('is handed over again once the bank has said that it has none, and made once', async () => {
    const wallet = await banked.funded();
    const accountNumber = banked.nextAccount();
    fake.script.add([{ path: PAY, account: accountNumber, accept: false, answer: 'reset' }]);
    const reference = await banked.pay(wallet, { accountNumber });
    expect(await banked.endOf(reference)).toBe('succeeded');
    expect(
      banked
        .callsFor(reference)
        .slice(0, 3)
        .map(({ method }) => method),
    ).toEqual(['POST', 'GET', 'POST']);
    expect(banked.handedOver(reference)).toBe(2);
    expect(payoutsOf(reference)).toHaveLength(1);
    expect(await banked.balanceOf(wallet)).toBe(400_000);
  });
});
