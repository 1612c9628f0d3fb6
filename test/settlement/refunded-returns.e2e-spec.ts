import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ReturnedPayouts } from '../../src/contexts/settlement/settlement-returns.service.js';
import { brokenInvariants } from '../support/invariants.js';
import { SENT_BACK, SentBack } from '../support/sent-back.js';
import { startService, type TestService } from '../support/service.js';
import { withdraw } from '../support/withdrawals.js';

/** Payouts that the bank took back, with AUTO_REFUND_RETURNED; and that each is found within the hour. */

let service: TestService;
let other: TestService;
let bank: SentBack;
let bankOfOther: SentBack;
beforeAll(async () => {
  service = await startService({ env: { AUTO_REFUND_RETURNED: 'true' } });
  other = await startService({ beside: service, env: { AUTO_REFUND_RETURNED: 'true' } });
  bank = new SentBack(service);
  bankOfOther = new SentBack(other);
});
afterEach(async () => {
  expect(await brokenInvariants(service)).toEqual({});
});
afterAll(async () => {
  await other.close();
  await service.close();
});

const refundsOf = (reference: string) =>
  service.query<{ amount: number; caseId: string | null }>(
    `SELECT amount::float8 AS amount, case_id AS "caseId" FROM ledger_entries WHERE type = 'refund' AND transaction_id = $1`,
    [reference],
  );
const caseOf = (subject: string) =>
  service.query<{ kind: string; description: string; isOpen: boolean }>(
    'SELECT kind, description, closed_at IS NULL AS "isOpen" FROM operator_cases WHERE subject = $1',
    [subject],
  );

describe('a payment that the bank took back', () => {
  it('is refunded by itself, in the transaction that records it, and its case is closed', async () => {
    const wallet = await service.fundedWallet(500_000);
    const reference = await bank.returned(wallet);
    const { body } = await service.get(`/v1/wallets/${wallet.id}/transactions/${reference}`, {
      token: wallet.owner.token,
    });
    expect(body).toMatchObject({
      data: {
        status: 'returned',
        settlement: {
          status: 'reversed',
          reversedAt: expect.any(String),
          refundedAt: expect.any(String),
        },
      },
    });
    expect(await refundsOf(reference)).toEqual([{ amount: 100_000, caseId: null }]);
    expect(await service.stats(wallet)).toMatchObject({ balance: 500_000, spentThisPeriod: 0 });
    expect((await service.ledger(wallet)).data[0]).toMatchObject({
      type: 'refund',
      transactionId: reference,
    });
    expect(await caseOf(reference)).toEqual([
      {
        kind: 'payout-undone-after-success',
        description:
          'on record as succeeded; the bank now says reversed: The destination bank sent the money back.; refunded: 100000 kobo; refunded by itself',
        isOpen: false,
      },
    ]);
  });

  it('is refunded once, however often two replicas hear of it at once', async () => {
    const wallet = await service.fundedWallet(500_000);
    const reference = await bank.paid(wallet);
    await bank.takeBack(reference);
    await Promise.all([bank, bankOfOther, bank, bankOfOther, bank].map((each) => each.poll(reference)));
    expect(await refundsOf(reference)).toHaveLength(1);
    expect(await service.stats(wallet)).toMatchObject({ balance: 500_000 });
  });

  it('is known as sent back while the balance can not hold its refund', async () => {
    const wallet = await service.fundedWallet(500_000);
    const reference = await bank.paid(wallet);
    await service.topUp(wallet.id, Number.MAX_SAFE_INTEGER - 400_000);
    await bank.takeBack(reference);
    await bank.poll(reference);
    await bank.ends(reference, 'reversed');
    expect(await refundsOf(reference)).toEqual([]);
    const cases = await caseOf(reference);
    expect(cases.map(({ kind, isOpen }) => [kind, isOpen]).sort()).toEqual([
      ['payout-undone-after-success', true],
      ['refund-held', true],
    ]);
  });
});

it('a withdrawal that the bank took back is refunded by itself', async () => {
  const wallet = await service.fundedWallet(500_000);
  const id = await withdraw(service, wallet, 100_000, SENT_BACK);
  await bank.ends(id, 'succeeded');
  await bank.takeBack(id);
  await bank.poll(id);
  expect(await refundsOf(id)).toHaveLength(1);
  expect(await service.stats(wallet)).toMatchObject({ balance: 500_000 });
});

it('the newest paid payouts are asked for again every hour, as many as are allowed', async () => {
  const wallet = await service.fundedWallet(500_000);
  const older = await bank.paid(wallet);
  const newer = await bank.paid(wallet, 50_000);
  for (const reference of [older, newer]) await bank.takeBack(reference);
  const check = service.app.get(ReturnedPayouts, { strict: false });
  expect(await check.check({ before: null, left: 1 }, 10_000)).toBeNull();
  await bank.ends(newer, 'reversed');
  await bank.ends(older, 'succeeded');
  await service.query(`SELECT graphile_worker.add_job('settlement.check-paid-hourly', '{}')`);
  await bank.ends(older, 'reversed');
});

it('the hourly check goes on where a step ended, and leaves payouts older than a day alone', async () => {
  const wallet = await service.fundedWallet(500_000);
  const reference = await bank.paid(wallet);
  await bank.takeBack(reference);
  await service.query(
    `UPDATE settlements SET approved_at = approved_at - interval '25 hours' WHERE reference = $1`,
    [reference],
  );
  const check = service.app.get(ReturnedPayouts, { strict: false });
  expect(await check.check({ before: null, left: 200 }, 0)).toEqual({ before: null, left: 200 });
  expect(await check.check({ before: null, left: 200 }, 10_000)).toBeNull();
  await bank.ends(reference, 'succeeded');
});
