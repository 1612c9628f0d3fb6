import { describe, expect, it } from '@jest/globals';
import { SettlementReconciliation } from '../../src/contexts/settlement/settlement.reconcile.js';
import type { FakeBank } from '../fake-bank/fake-bank.ts';
import type { Rule } from '../fake-bank/script.ts';
import { BANK_TIMEOUT_MS } from '../support/bank-books.ts';
import { type TestService, until } from '../support/service.js';
import {
  FAILING,
  html,
  PAY,
  refusal,
  REFUSED,
  type ServiceWithBank,
  useFakeBank,
  STUCK,
} from '../support/with-fake-bank.js';

/** What a bank does to payouts, row by row of the list of its failure modes: each ends as it must. */

const MINUTE = 60_000;

let banked: ServiceWithBank;
let fake: FakeBank;
let service: TestService;

useFakeBank((started) => {
  banked = started;
  ({ fake, service } = started);
});

describe('a payout whose answer is lost is made once', () => {
  const lost: [name: string, row: string, rule: Rule, handedOver: 1 | 2][] = [
    ['not answered though taken', '1', { answer: 'none' }, 1],
    ['not answered and not taken', '2', { accept: false, answer: 'none' }, 2],
    ['500 though taken', '3', { answer: refusal(500, 'Internal Server Error') }, 1],
    ['502 though taken', '3', { answer: html(502) }, 1],
    ['503 though taken', '3', { answer: refusal(503, 'Service unavailable') }, 1],
    ['504 though taken', '3', { answer: html(504) }, 1],
    ['502 and not taken', '3', { accept: false, answer: html(502) }, 2],
    ['503 and not taken', '3', { accept: false, answer: refusal(503, 'Service unavailable') }, 2],
    ['504 and not taken', '3', { accept: false, answer: html(504) }, 2],
    ['taken later than asked for', '4', { accept: { afterMs: 3 * MINUTE }, answer: 'none' }, 2],
    ['a body too slow to end', '20', { answer: { slowBodyMs: 4 * BANK_TIMEOUT_MS } }, 1],
    ['cut off before the answer', '20', { answer: 'reset' }, 1],
    ['cut off before it was taken', '20', { accept: false, answer: 'reset' }, 2],
    ['cut off in the answer', '20', { answer: 'reset-mid-body' }, 1],
    ['200 with HTML', '20', { answer: html(200) }, 1],
    ['200 with nothing', '20', { answer: { status: 200, body: '' } }, 1],
    ['200 with nothing and not taken', '20', { accept: false, answer: { status: 200, body: '' } }, 2],
    [
      'yes with no data',
      '20',
      { answer: { status: 200, body: { status: true, message: 'ok', data: null } } },
      1,
    ],
    [
      'refused as a duplicate though new',
      '22',
      { answer: refusal(409, 'Duplicate Transaction Reference') },
      1,
    ],
  ];
  it.each(lost)('%s (%s)', async (_name, _row, rule, times) => {
    const wallet = await banked.funded();
    const accountNumber = banked.nextAccount();
    fake.script.add([{ path: PAY, account: accountNumber, ...rule }]);
    const reference = await banked.pay(wallet, { accountNumber });
    expect(await banked.endOf(reference)).toBe('succeeded');
    expect(banked.handedOver(reference)).toBe(times);
    expect(await banked.balanceOf(wallet)).toBe(400_000);
    expect(await banked.casesOf(reference)).toEqual([]);
  });

  it('refused when sent again: not refunded while the first may still be taken, and it is (4)', async () => {
    const wallet = await banked.funded();
    const accountNumber = banked.nextAccount();
    fake.script.add([
      { path: PAY, account: accountNumber, accept: { afterMs: 10 * MINUTE }, answer: 'none' },
      {
        path: PAY,
        account: accountNumber,
        times: 2,
        accept: false,
        answer: refusal(400, 'Invalid account.'),
      },
    ]);
    const reference = await banked.pay(wallet, { accountNumber });
    await banked.looked(reference, 2);
    await until(() => Promise.resolve(banked.handedOver(reference) >= 2));
    // Neither news of it nor a reconciliation makes an end of what the bank does not know (yet).
    const hook = fake.books.options.payoutWebhookUrl;
    const { id } = fake.outbox.add(
      hook,
      'transfer.failed',
      { reference, status: 'failed' },
      { mode: 'hold' },
    );
    expect(await fake.outbox.redeliver(id)).toEqual([200]);
    const range = { from: new Date(Date.now() - MINUTE), to: new Date(Date.now() + MINUTE) };
    await service.app.get(SettlementReconciliation).run(range);
    await banked.quiet();
    expect([await banked.statusOf(reference), await banked.refundsOf(reference)]).toEqual(['processing', 0]);
    expect(await banked.endOf(reference)).toBe('succeeded');
  });

  it('refused when sent again, long after the first: refunded once (2)', async () => {
    const wallet = await banked.funded();
    const accountNumber = '9999999999';
    fake.script.add([{ path: PAY, account: accountNumber, accept: false, answer: 'none' }]);
    const reference = await banked.pay(wallet, { bankCode: '011', accountNumber });
    await until(() => banked.hurry().then(() => banked.handedOver(reference) >= 3));
    expect([await banked.statusOf(reference), await banked.refundsOf(reference)]).toEqual(['processing', 0]);
    await until(() =>
      banked.hurry(11 * MINUTE).then(async () => (await banked.statusOf(reference)) !== 'processing'),
    );
    expect(await banked.endOf(reference)).toBe('failed');
    expect(await banked.balanceOf(wallet)).toBe(500_000);
  });

  it('a refusal counts from the last sending whose fate is open, not from the first', async () => {
    const wallet = await banked.funded();
    const accountNumber = banked.nextAccount();
    fake.script.add([
      { path: PAY, account: accountNumber, accept: false, answer: 'none' },
      { path: PAY, account: accountNumber, accept: { afterMs: 3 * MINUTE }, answer: 'none' },
      {
        path: PAY,
        account: accountNumber,
        times: 0,
        accept: false,
        answer: refusal(400, 'Invalid account.'),
      },
    ]);
    const reference = await banked.pay(wallet, { accountNumber });
    await until(() => Promise.resolve(banked.handedOver(reference) === 1));
    // In one statement: once the bank is asked again of itself, the next sending would be the one that lies in the past.
    await until(() =>
      service
        .query(
          `UPDATE settlements SET submitted_at = submitted_at - interval '11 minutes'
            WHERE reference = $1 AND poll_count = 1 RETURNING 1`,
          [reference],
        )
        .then((rows) => rows.length === 1),
    );
    await until(() => banked.hurry().then(() => banked.handedOver(reference) >= 3));
    expect([await banked.statusOf(reference), await banked.refundsOf(reference)]).toEqual(['processing', 0]);
    expect(await banked.endOf(reference)).toBe('succeeded');
  });
});

describe('the end of a payout', () => {
  it.each([
    ['is told before the answer (6)', { bankCode: '999', accountNumber: '0000000007' }, 'succeeded'],
    ['is told twice (5)', { bankCode: '999', accountNumber: '0000000006' }, 'succeeded'],
    ['is never told (10)', { bankCode: '999', accountNumber: '0000000005' }, 'succeeded'],
    ['is a failure, later (7)', FAILING, 'failed'],
    ['is a refusal, at once', REFUSED, 'failed'],
    ['is a success', { bankCode: '058', accountNumber: '0000000000' }, 'succeeded'],
  ])('%s', async (_name, to, status) => {
    const wallet = await banked.funded();
    const reference = await banked.pay(wallet, to);
    expect(await banked.endOf(reference)).toBe(status);
    expect(banked.handedOver(reference)).toBe(1);
    expect(await banked.refundsOf(reference)).toBe(status === 'failed' ? 1 : 0);
    expect(await banked.balanceOf(wallet)).toBe(status === 'failed' ? 500_000 : 400_000);
  });

  it('that fails gives the allowance back and adds its steps; the decision stays approved (7)', async () => {
    const wallet = await banked.funded();
    const reference = await banked.pay(wallet, FAILING);
    expect(await banked.endOf(reference)).toBe('failed');
    expect(await service.stats(wallet)).toMatchObject({ spentThisPeriod: 0, balance: 500_000 });
    const { data } = await service.history(wallet);
    expect(data[0]).toMatchObject({ decision: 'approved', settlement: { reference, status: 'failed' } });
    expect(data[0]!.auditEvents.slice(-3).map(({ type }) => type)).toEqual([
      'settlement.started',
      'settlement.failed',
      'refund.posted',
    ]);
    const delivery = [...fake.outbox.deliveries.values()].find((each) => each.reference === reference)!;
    expect(new Set(await fake.outbox.redeliver(delivery.id, 20))).toEqual(new Set([200]));
    await banked.quiet();
    expect(await banked.refundsOf(reference)).toBe(1);
    const again = service.query(
      `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, transaction_id, reference, created_at)
       SELECT wallet_id, seq + 1, gen_random_uuid(), type, amount, balance_after, transaction_id, reference, created_at
         FROM ledger_entries WHERE transaction_id = $1 AND type = 'refund'`,
      [reference],
    );
    await expect(again).rejects.toThrow('ledger_entries_once');
  });

  it('is told once more, twenty times at once: nothing changes (5, 13)', async () => {
    const wallet = await banked.funded();
    const reference = await banked.pay(wallet);
    expect(await banked.endOf(reference)).toBe('succeeded');
    const delivery = [...fake.outbox.deliveries.values()].find((each) => each.reference === reference)!;
    expect(new Set(await fake.outbox.redeliver(delivery.id, 20))).toEqual(new Set([200]));
    await banked.quiet();
    expect([await banked.statusOf(reference), await banked.refundsOf(reference)]).toEqual(['succeeded', 0]);
  });

  it('turned around after a success is reversed with a case, and moves nothing (8)', async () => {
    const wallet = await banked.funded();
    const reference = await banked.pay(wallet);
    expect(await banked.endOf(reference)).toBe('succeeded');
    banked.contradicted.add(reference);
    fake.books.settle(reference, 'reversed', { times: 2 });
    await until(async () => (await banked.casesOf(reference)).length > 0);
    await banked.quiet();
    expect(await banked.casesOf(reference)).toEqual(['payout-undone-after-success']);
    expect([await banked.statusOf(reference), await banked.balanceOf(wallet)]).toEqual(['reversed', 400_000]);
  });

  it('turned around after a refund opens a case and moves nothing (9)', async () => {
    const wallet = await banked.funded();
    const reference = await banked.pay(wallet, FAILING);
    expect(await banked.endOf(reference)).toBe('failed');
    banked.contradicted.add(reference);
    fake.books.settle(reference, 'success');
    await until(async () => (await banked.casesOf(reference)).length > 0);
    expect(await banked.casesOf(reference)).toEqual(['payout-succeeded-after-refund']);
    expect([await banked.statusOf(reference), await banked.refundsOf(reference)]).toEqual(['failed', 1]);
  });

  it('is what the bank says when it is asked, not what a webhook says (9, 12)', async () => {
    const wallet = await banked.funded();
    const reference = await banked.pay(wallet, STUCK);
    await banked.looked(reference, 1);
    const data = { fee: 32.25, amount: 1000, status: 'failed', currency: 'NGN', reference };
    const url = service.app.getHttpServer().address() as { port: number };
    const hook = `http://127.0.0.1:${url.port}/api/webhooks/payouts`;
    const swapped = [
      fake.outbox.add(hook, 'transfer.failed', data, { mode: 'hold' }),
      fake.outbox.add(hook, 'transfer.failed', { ...data, status: 'success' }, { mode: 'hold' }),
      fake.outbox.add(hook, 'transfer.success', { ...data, status: 'success' }, { mode: 'hold' }),
    ];
    for (const { id } of swapped) expect(await fake.outbox.redeliver(id, 3)).toEqual([200, 200, 200]);
    await banked.quiet();
    expect([await banked.statusOf(reference), await banked.refundsOf(reference)]).toEqual(['processing', 0]);
    fake.books.settle(reference, 'success', { mode: 'drop' });
    expect(await banked.endOf(reference)).toBe('succeeded');
  });

  it('is not believed from a forged webhook, which is refused (11)', async () => {
    const wallet = await banked.funded();
    const reference = await banked.pay(wallet, STUCK);
    await banked.looked(reference, 1);
    for (const shape of [
      { sign: 'wrong-key' },
      { sign: 'none' },
      { sign: 'whole-body' },
      { tamper: { amount: 1 } },
    ] as const) {
      const { id } = fake.books.settle(reference, 'success', { ...shape, mode: 'hold' });
      expect(await fake.outbox.redeliver(id)).toEqual([401]);
    }
    expect(await banked.endOf(reference)).toBe('succeeded');
  });

  it.each([
    ['a NUL', 'Invalid account.\u0000'],
    ['half a character', 'Invalid account.\ud800'],
    ['a character at the cut', `Invalid account.${'x'.repeat(183)}😀`],
  ])('refused with %s in the reason is refunded', async (_name, message) => {
    const wallet = await banked.funded();
    const accountNumber = banked.nextAccount();
    fake.script.add([
      { path: PAY, account: accountNumber, times: 3, accept: false, answer: refusal(400, message) },
    ]);
    const reference = await banked.pay(wallet, { accountNumber });
    expect(await banked.endOf(reference)).toBe('failed');
    expect(banked.handedOver(reference)).toBe(1);
    expect(await banked.balanceOf(wallet)).toBe(500_000);
  });

  it('short of float is refunded and a case for the operator (17)', async () => {
    const wallet = await banked.funded();
    const { balance } = fake.books;
    fake.books.balance = 100n;
    const reference = await banked.pay(wallet);
    expect(await banked.endOf(reference)).toBe('failed');
    fake.books.balance = balance;
    expect(await banked.casesOf(reference)).toEqual(['payout-without-float']);
    expect(await banked.balanceOf(wallet)).toBe(500_000);
  });

  it('a request of ours that the bank can not read is refunded and a case for the operator', async () => {
    const accountNumber = banked.nextAccount();
    const answer = refusal(400, 'invalid request data', 'bad_request');
    fake.script.add([{ path: PAY, account: accountNumber, times: 1, accept: false, answer }]);
    const reference = await banked.pay(await banked.funded(), { accountNumber });
    expect(await banked.endOf(reference)).toBe('failed');
    expect(await banked.casesOf(reference)).toEqual(['payout-request-invalid']);
  });
});
