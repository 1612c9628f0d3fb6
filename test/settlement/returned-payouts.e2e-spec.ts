import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FeedReader } from '../../src/contexts/live-updates/feed-reader.service.js';
import { SettlementReconciliation } from '../../src/contexts/settlement/settlement.reconcile.js';
import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import { brokenInvariants } from '../support/invariants.js';
import { type CreatedWallet, expectStatus, type HistoryRow, until } from '../support/service.js';
import { Subscribers } from '../support/subscribers.js';
import { withdraw } from '../support/withdrawals.js';

/** A payout that the bank made and then took back: as it is shown, and that nothing is refunded by it. */

const SENT_BACK = '9000000004';

let subscribers: Subscribers;
beforeAll(async () => {
  subscribers = await Subscribers.start();
});
afterEach(async () => {
  expect(await brokenInvariants(subscribers.service)).toEqual({});
});
afterAll(() => subscribers.close());

const query = <Row>(sql: string, values: unknown[] = []) => subscribers.service.query<Row>(sql, values);
const poll = (reference: string) =>
  subscribers.service.app.get(SettlementService, { strict: false }).poll(reference);

async function funded(): Promise<CreatedWallet> {
  const wallet = await subscribers.service.fundedWallet(500_000);
  return wallet;
}

async function paid(wallet: CreatedWallet, to = SENT_BACK): Promise<string> {
  const answer = await subscribers.service.pay(wallet.key, { amount: 100_000, recipientAccountNo: to });
  const { reference } = expectStatus(201, answer).body.data.settlement;
  await ends(reference, 'succeeded');
  return reference;
}

const ends = (reference: string, status: string): Promise<void> =>
  until(async () => {
    const [row] = await query<{ status: string }>('SELECT status FROM settlements WHERE reference = $1', [
      reference,
    ]);
    return row?.status === status;
  });

/** Lets the bank take the payout back, and the service hear of it. */
async function sentBack(reference: string): Promise<void> {
  await query(
    `UPDATE sandbox_payouts SET accepted_at = accepted_at - interval '2 seconds' WHERE reference = $1`,
    [reference],
  );
  await poll(reference);
  await ends(reference, 'reversed');
}

const casesOf = (subject: string) =>
  query<{ kind: string; description: string; isOpen: boolean }>(
    'SELECT kind, description, closed_at IS NULL AS "isOpen" FROM operator_cases WHERE subject = $1',
    [subject],
  );
const ONE_CASE = [
  {
    kind: 'payout-undone-after-success',
    description:
      'on record as succeeded; the bank now says reversed: The destination bank sent the money back.; not refunded: 100000 kobo',
    isOpen: true,
  },
];

describe('a payment that the bank sent back after it had paid it', () => {
  it('is returned wherever it is shown, still approved, and not refunded', async () => {
    const wallet = await funded();
    const reference = await paid(wallet);
    await sentBack(reference);
    const settlement = { reference, status: 'reversed', reversedAt: expect.any(String), refundedAt: null };
    const { token } = wallet.owner;
    const { service } = subscribers;

    const history = await service.get<{ data: HistoryRow[] }>(`/api/wallets/${wallet.id}/transactions`, {
      token,
    });
    const mine = await service.get<{ data: HistoryRow }>(`/api/payment-intent/${reference}`, wallet);
    const list = await service.get<{ data: HistoryRow[] }>('/api/payment-intent', wallet);
    for (const shown of [history.body.data[0], mine.body.data, list.body.data[0]]) {
      expect(shown).toMatchObject({ decision: 'approved', blockReason: null, settlement });
      expect(shown!.auditEvents.slice(6).map(({ type }) => type)).toEqual([
        'settlement.started',
        'settlement.succeeded',
        'settlement.failed',
      ]);
      expect(shown!.auditEvents.at(-1)).toEqual({
        type: 'settlement.failed',
        at: expect.any(String),
        detail: {
          reason: 'The destination bank sent the money back.',
          why: 'The destination bank sent the money back.',
        },
      });
    }
    const details = await service.get(`/v1/wallets/${wallet.id}/transactions/${reference}`, { token });
    expect(details.body).toMatchObject({ data: { status: 'returned', settlement } });
    for (const status of ['returned', 'returned,failed', 'returned,paid']) {
      const found = await service.get(`/v1/transactions?status=${status}`, { token });
      expect(found.body).toMatchObject({ data: [{ id: reference, status: 'returned', settlement }] });
    }
    for (const status of ['paid', 'failed', 'processing']) {
      expect((await service.get(`/v1/transactions?status=${status}`, { token })).body).toMatchObject({
        data: [],
      });
    }
    const csv = (await service.get(`/v1/transactions.csv`, { token })).text;
    expect(csv).toMatch(new RegExp(`reversed,${reference},returned,`));
    const receipt = await service.get<{ data: { receipt: string } }>(
      `/api/payment-intent/${reference}/receipt`,
      wallet,
    );
    const claims = JSON.parse(
      Buffer.from(receipt.body.data.receipt.split('.')[1]!, 'base64url').toString(),
    ) as object;
    expect(claims).toMatchObject({ outcome: 'approved', settlement: 'reversed' });

    expect(await service.stats(wallet)).toMatchObject({ balance: 400_000, spentThisPeriod: 100_000 });
    expect((await service.ledger(wallet)).data.map(({ type }) => type)).toEqual(['debit', 'topup']);
    expect(await casesOf(reference)).toEqual(ONE_CASE);
  });

  it('is so once, with one case, however often the bank says it', async () => {
    const wallet = await funded();
    const reference = await paid(wallet);
    await sentBack(reference);
    await Promise.all([poll(reference), poll(reference), poll(reference)]);
    const [row] = await query<{ steps: unknown[] }>('SELECT steps FROM settlements WHERE reference = $1', [
      reference,
    ]);
    expect(row!.steps).toHaveLength(2);
    expect(await casesOf(reference)).toEqual(ONE_CASE);
    expect(
      await query('SELECT 1 FROM returned_payments WHERE transaction_id = $1', [reference]),
    ).toHaveLength(1);
  });

  it('stays so when the bank then says paid again: the case says that', async () => {
    const wallet = await funded();
    const reference = await paid(wallet);
    await sentBack(reference);
    await query('UPDATE operator_cases SET closed_at = now() WHERE subject = $1', [reference]);
    await query(`UPDATE sandbox_payouts SET account_number = '0123456789' WHERE reference = $1`, [reference]);
    await poll(reference);
    expect(await casesOf(reference)).toEqual([
      {
        kind: 'payout-undone-after-success',
        description: 'on record as reversed; the bank now says succeeded',
        isOpen: true,
      },
    ]);
    await ends(reference, 'reversed');
  });

  it('is told to those that listen to it, once, and to nobody as refunded', async () => {
    const { user, wallet, endpoint } = await subscribers.subscriber({
      events: ['payment.settled', 'payment.returned', 'payment.refunded'],
    });
    await subscribers.service.topUp(wallet.id, 500_000);
    const reference = await paid(wallet);
    await sentBack(reference);
    await poll(reference);
    await subscribers.outcome(user, endpoint);
    const told = await subscribers.deliveriesOf(user, endpoint);
    expect(told.map(({ event }) => event)).toEqual(['payment.returned', 'payment.settled']);
    expect((await subscribers.deliveryOf(user, told[0]!.id)).body).toEqual({
      event: 'payment.returned',
      data: {
        transactionId: reference,
        walletId: wallet.id,
        amount: 100_000,
        currency: 'NGN',
        reason: 'The destination bank sent the money back.',
        returnedAt: expect.stringMatching(/Z$/),
      },
    });
  });

  it('is told to who watches the wallet', async () => {
    const wallet = await funded();
    const reference = await paid(wallet);
    const reader = subscribers.service.app.get(FeedReader, { strict: false });
    const feed = await reader.begin(wallet.owner.id);
    const told: unknown[] = [];
    // That a key was used is written a little behind.
    feed.publish = (changes) => void told.push(...changes.filter(({ type }) => type !== 'key'));
    await reader.refresh([feed]);
    expect(told).toEqual([]);
    await sentBack(reference);
    await reader.refresh([feed]);
    expect(told).toEqual([
      { type: 'payment', walletId: wallet.id, transactionId: null },
      { type: 'ledger', walletId: wallet.id },
    ]);
  });

  it('is found by a reconciliation, which counts it apart until it is refunded', async () => {
    const wallet = await funded();
    const from = new Date(Date.now() - 60_000);
    const reference = await paid(wallet);
    await query(
      `UPDATE sandbox_payouts SET accepted_at = accepted_at - interval '2 seconds' WHERE reference = $1`,
      [reference],
    );
    const reconciliation = subscribers.service.app.get(SettlementReconciliation, { strict: false });
    for (let run = 1; run <= 2; run += 1) {
      const { tally } = await reconciliation.run({ from, to: new Date(Date.now() + 60_000) });
      expect(tally.findings.list.filter((finding) => finding.reference === reference)).toEqual([
        { what: 'sent back by the bank, and not refunded', reference, walletId: wallet.id },
      ]);
      expect(tally.returned.kobo).toBe(tally.difference);
      expect(await casesOf(reference)).toEqual(ONE_CASE);
    }
    await ends(reference, 'reversed');
  });
});

describe('a withdrawal that the bank sent back after it had paid it', () => {
  it('is reversed with a case, and not refunded', async () => {
    const wallet = await funded();
    const id = await withdraw(subscribers.service, wallet, 100_000, SENT_BACK);
    await ends(id, 'succeeded');
    await sentBack(id);
    const path = `/api/wallets/${wallet.id}/withdrawals/${id}`;
    const { body } = await subscribers.service.get(path, { token: wallet.owner.token });
    expect(body).toMatchObject({
      data: {
        withdrawal: {
          settlement: { reference: id, status: 'reversed', reversedAt: expect.any(String), refundedAt: null },
        },
      },
    });
    expect(await subscribers.service.stats(wallet)).toMatchObject({ balance: 400_000 });
    expect(await casesOf(id)).toEqual(ONE_CASE);
    expect(await query('SELECT 1 FROM returned_payments WHERE transaction_id = $1', [id])).toEqual([]);
  });
});
