import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SettlementReconciliation } from '../src/contexts/settlement/settlement.reconcile.js';
import { SettlementService } from '../src/contexts/settlement/settlement.service.js';
import type { CollectionInput } from './fake-bank/bank.ts';
import type { CallRecord, FakeBank } from './fake-bank/fake-bank.ts';
import type { Rule, ScriptedAnswer } from './fake-bank/script.ts';
import { type CreatedWallet, expectStatus, type TestService, until } from './support/service.js';
import { type BankBooks, BANK_TIMEOUT_MS, disagreements } from './support/bank-books.ts';
import { startWithFakeBank } from './support/with-fake-bank.js';

/** The list of failure modes of a bank, row by row: whatever it does, each ends as it must. */

const PAY = '/transactions/disburse';
const MINUTE = 60_000;

let fake: FakeBank;
let service: TestService;
const contradicted = new Set<string>();
let accounts = 0;

beforeAll(async () => {
  ({ fake, service } = await startWithFakeBank());
});

beforeEach(() => {
  fake.script.clear();
  fake.calls = [];
});

afterEach(async () => {
  fake.script.clear();
  await settled();
  expect(await disagreements(service, fake.state() as unknown as BankBooks, { contradicted })).toEqual([]);
});

afterAll(async () => {
  await service.close();
  await fake.close();
});

/** An account that no other test pays to, so that a rule hits one payment. */
const nextAccount = (): string => String(2_000_000_000 + (accounts += 1));

/** A wallet that the bank has told us of money for. */
async function funded(naira = '5000.00'): Promise<CreatedWallet> {
  const wallet = await service.createWallet();
  fake.books.collect({ accountReference: wallet.id, amount: naira });
  await until(async () => (await balanceOf(wallet)) > 0);
  return wallet;
}

async function balanceOf({ id }: { id: string }): Promise<number> {
  const [row] = await service.query<{ balance: string }>('SELECT balance FROM wallets WHERE id = $1', [id]);
  return Number(row!.balance);
}

async function pay(
  wallet: CreatedWallet,
  { bankCode = '033', accountNumber = nextAccount(), amount = 100_000 } = {},
): Promise<string> {
  const { body } = expectStatus(
    200,
    await service
      .pay(wallet.key, {
        amount,
        recipientBankCode: bankCode,
        recipientAccountNo: accountNumber,
      })
      .then((answer) => ({ ...answer, status: answer.status === 201 ? 200 : answer.status })),
  );
  return body.data.settlement.reference;
}

async function statusOf(reference: string): Promise<string> {
  const [row] = await service.query<{ status: string }>(
    'SELECT status FROM settlements WHERE reference = $1',
    [reference],
  );
  return row!.status;
}

/**
 * Lets time pass for settlements that wait for their turn, and `ms` since they were handed over; then does what the
 * sweep does of itself each second.
 */
async function hurry(ms = 0): Promise<void> {
  await service.query(
    `UPDATE settlements s SET next_poll_at = clock_timestamp(),
            submitted_at = submitted_at - $1 * interval '1 millisecond'
      WHERE reference IN (SELECT reference FROM settlements WHERE status = 'processing' AND poll_count > 0
                             FOR UPDATE SKIP LOCKED)`,
    [ms],
  );
  await service.app.get(SettlementService).processDue();
}

async function settled(): Promise<void> {
  await until(async () => {
    await hurry();
    const open = await service.query(
      `SELECT 1 FROM settlements WHERE status IN ('pending', 'processing') LIMIT 1`,
    );
    return open.length === 0;
  });
}

async function ends(reference: string, status: string): Promise<void> {
  await settled();
  expect(await statusOf(reference)).toBe(status);
}

/** Waits until the bank was asked for this payout at least so often, after its start. */
const looked = (reference: string, times: number): Promise<void> =>
  until(async () => {
    await hurry();
    return callsFor(reference).filter(({ method }) => method === 'GET').length >= times;
  });

const callsFor = (reference: string): CallRecord[] =>
  fake.calls.filter((call) => call.reference === reference);
const handedOver = (reference: string): number =>
  callsFor(reference).filter(({ path }) => path === PAY).length;

async function casesOf(subject: string): Promise<string[]> {
  const rows = await service.query<{ kind: string }>(
    'SELECT kind FROM operator_cases WHERE subject = $1 ORDER BY kind',
    [subject],
  );
  return rows.map(({ kind }) => kind);
}

async function refundsOf(reference: string): Promise<number> {
  const rows = await service.query(
    `SELECT 1 FROM ledger_entries WHERE transaction_id = $1 AND type = 'refund'`,
    [reference],
  );
  return rows.length;
}

const html = (status: number): ScriptedAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html><h1>Bad Gateway</h1></html>',
});
const refusal = (status: number, message: string, error = ''): ScriptedAnswer => ({
  status,
  body: { status: false, error, message, data: null },
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
    const wallet = await funded();
    const accountNumber = nextAccount();
    fake.script.add([{ path: PAY, account: accountNumber, ...rule }]);
    const reference = await pay(wallet, { accountNumber });
    await ends(reference, 'succeeded');
    expect(handedOver(reference)).toBe(times);
    expect(await balanceOf(wallet)).toBe(400_000);
    expect(await casesOf(reference)).toEqual([]);
  });

  it('refused when sent again: not refunded while the first may still be taken, and it is (4)', async () => {
    const wallet = await funded();
    const accountNumber = nextAccount();
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
    const reference = await pay(wallet, { accountNumber });
    await looked(reference, 2);
    await until(() => Promise.resolve(handedOver(reference) >= 2));
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
    await quiet();
    expect([await statusOf(reference), await refundsOf(reference)]).toEqual(['processing', 0]);
    await ends(reference, 'succeeded');
  });

  it('refused when sent again, long after the first: refunded once (2)', async () => {
    const wallet = await funded();
    const accountNumber = '9999999999';
    fake.script.add([{ path: PAY, account: accountNumber, accept: false, answer: 'none' }]);
    const reference = await pay(wallet, { bankCode: '011', accountNumber });
    await until(() => hurry().then(() => handedOver(reference) >= 3));
    expect([await statusOf(reference), await refundsOf(reference)]).toEqual(['processing', 0]);
    await until(() => hurry(11 * MINUTE).then(async () => (await statusOf(reference)) !== 'processing'));
    await ends(reference, 'failed');
    expect(await balanceOf(wallet)).toBe(500_000);
  });

  it('a refusal counts from the last sending whose fate is open, not from the first', async () => {
    const wallet = await funded();
    const accountNumber = nextAccount();
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
    const reference = await pay(wallet, { accountNumber });
    await until(() => Promise.resolve(handedOver(reference) === 1));
    await until(() =>
      service
        .query(`SELECT 1 FROM settlements WHERE reference = $1 AND poll_count = 1`, [reference])
        .then((rows) => rows.length === 1),
    );
    await hurry(11 * MINUTE);
    await until(() => hurry().then(() => handedOver(reference) >= 3));
    expect([await statusOf(reference), await refundsOf(reference)]).toEqual(['processing', 0]);
    await ends(reference, 'succeeded');
  });
});

describe('the end of a payout', () => {
  it.each([
    ['is told before the answer (6)', { bankCode: '999', accountNumber: '0000000007' }, 'succeeded'],
    ['is told twice (5)', { bankCode: '999', accountNumber: '0000000006' }, 'succeeded'],
    ['is never told (10)', { bankCode: '999', accountNumber: '0000000005' }, 'succeeded'],
    ['is a failure, later (7)', { bankCode: '035', accountNumber: '0000000000' }, 'failed'],
    ['is a refusal, at once', { bankCode: '011', accountNumber: '9999999999' }, 'failed'],
    ['is a success', { bankCode: '058', accountNumber: '0000000000' }, 'succeeded'],
  ])('%s', async (_name, to, status) => {
    const wallet = await funded();
    const reference = await pay(wallet, to);
    await ends(reference, status);
    expect(handedOver(reference)).toBe(1);
    expect(await refundsOf(reference)).toBe(status === 'failed' ? 1 : 0);
    expect(await balanceOf(wallet)).toBe(status === 'failed' ? 500_000 : 400_000);
  });

  it('that fails gives the allowance back and adds its steps; the decision stays approved (7)', async () => {
    const wallet = await funded();
    const reference = await pay(wallet, { bankCode: '035', accountNumber: '0000000000' });
    await ends(reference, 'failed');
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
    await quiet();
    expect(await refundsOf(reference)).toBe(1);
    const again = service.query(
      `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, transaction_id, reference, created_at)
       SELECT wallet_id, seq + 1, gen_random_uuid(), type, amount, balance_after, transaction_id, reference, created_at
         FROM ledger_entries WHERE transaction_id = $1 AND type = 'refund'`,
      [reference],
    );
    await expect(again).rejects.toThrow('ledger_entries_once');
  });

  it('is told once more, twenty times at once: nothing changes (5, 13)', async () => {
    const wallet = await funded();
    const reference = await pay(wallet);
    await ends(reference, 'succeeded');
    const delivery = [...fake.outbox.deliveries.values()].find((each) => each.reference === reference)!;
    expect(new Set(await fake.outbox.redeliver(delivery.id, 20))).toEqual(new Set([200]));
    await quiet();
    expect([await statusOf(reference), await refundsOf(reference)]).toEqual(['succeeded', 0]);
  });

  it('turned around after a success opens a case and moves nothing (8)', async () => {
    const wallet = await funded();
    const reference = await pay(wallet);
    await ends(reference, 'succeeded');
    contradicted.add(reference);
    fake.books.settle(reference, 'reversed', { times: 2 });
    await until(async () => (await casesOf(reference)).length > 0);
    await quiet();
    expect(await casesOf(reference)).toEqual(['payout-undone-after-success']);
    expect([await statusOf(reference), await balanceOf(wallet)]).toEqual(['succeeded', 400_000]);
  });

  it('turned around after a refund opens a case and moves nothing (9)', async () => {
    const wallet = await funded();
    const reference = await pay(wallet, { bankCode: '035', accountNumber: '0000000000' });
    await ends(reference, 'failed');
    contradicted.add(reference);
    fake.books.settle(reference, 'success');
    await until(async () => (await casesOf(reference)).length > 0);
    expect(await casesOf(reference)).toEqual(['payout-succeeded-after-refund']);
    expect([await statusOf(reference), await refundsOf(reference)]).toEqual(['failed', 1]);
  });

  it('is what the bank says when it is asked, not what a webhook says (9, 12)', async () => {
    const wallet = await funded();
    const reference = await pay(wallet, { bankCode: '999', accountNumber: '0000000008' });
    await looked(reference, 1);
    const data = { fee: 32.25, amount: 1000, status: 'failed', currency: 'NGN', reference };
    const url = service.app.getHttpServer().address() as { port: number };
    const hook = `http://127.0.0.1:${url.port}/api/webhooks/payouts`;
    const swapped = [
      fake.outbox.add(hook, 'transfer.failed', data, { mode: 'hold' }),
      fake.outbox.add(hook, 'transfer.failed', { ...data, status: 'success' }, { mode: 'hold' }),
      fake.outbox.add(hook, 'transfer.success', { ...data, status: 'success' }, { mode: 'hold' }),
    ];
    for (const { id } of swapped) expect(await fake.outbox.redeliver(id, 3)).toEqual([200, 200, 200]);
    await quiet();
    expect([await statusOf(reference), await refundsOf(reference)]).toEqual(['processing', 0]);
    fake.books.settle(reference, 'success', { mode: 'drop' });
    await ends(reference, 'succeeded');
  });

  it('is not believed from a forged webhook, which is refused (11)', async () => {
    const wallet = await funded();
    const reference = await pay(wallet, { bankCode: '999', accountNumber: '0000000008' });
    await looked(reference, 1);
    for (const shape of [
      { sign: 'wrong-key' },
      { sign: 'none' },
      { sign: 'whole-body' },
      { tamper: { amount: 1 } },
    ] as const) {
      const { id } = fake.books.settle(reference, 'success', { ...shape, mode: 'hold' });
      expect(await fake.outbox.redeliver(id)).toEqual([401]);
    }
    await ends(reference, 'succeeded');
  });

  it('short of float is refunded and a case for the operator (17)', async () => {
    const wallet = await funded();
    const { balance } = fake.books;
    fake.books.balance = 100n;
    const reference = await pay(wallet);
    await ends(reference, 'failed');
    fake.books.balance = balance;
    expect(await casesOf(reference)).toEqual(['payout-without-float']);
    expect(await balanceOf(wallet)).toBe(500_000);
  });
});

/** Gives hints and deliveries under way the time to do harm. */
async function quiet(): Promise<void> {
  await until(async () => {
    const [row] = await service.query<{ count: string }>(
      `SELECT count(*) FROM graphile_worker.jobs WHERE run_at <= now()`,
    );
    return Number(row!.count) === 0;
  });
}

describe('a bank that shuts us out', () => {
  const many = async (rules: readonly Rule[]): Promise<{ references: string[]; calls: number }> => {
    const wallet = await funded('100000.00');
    fake.script.add(rules);
    const references: string[] = [];
    for (let n = 0; n < 30; n += 1) references.push(await pay(wallet, { amount: 10_000 }));
    await until(() => Promise.resolve(fake.calls.some(({ path }) => path === PAY)));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const calls = fake.calls.filter(({ path }) => path.startsWith('/transactions')).length;
    return { references, calls };
  };

  it('for its key is not hammered, and nothing is lost (18)', async () => {
    const { references, calls } = await many([
      { path: '/transactions', times: 0, accept: false, answer: refusal(401, 'Invalid authorization key') },
    ]);
    expect(calls).toBeLessThanOrEqual(16);
    expect(new Set(await Promise.all(references.map(refundsOf)))).toEqual(new Set([0]));
    const [opened] = await service.query<{ description: string }>(
      `SELECT description FROM operator_cases WHERE kind = 'bank-refuses-us'`,
    );
    expect(opened!.description).toContain('401');
    fake.script.clear();
    await passes(references);
  });

  it('for too many calls is left alone as long as it asks, and nothing is lost (19)', async () => {
    const { references, calls } = await many([
      {
        path: PAY,
        times: 0,
        accept: false,
        answer: { status: 429, headers: { 'retry-after': '2' }, body: '' },
      },
    ]);
    expect(calls).toBeLessThanOrEqual(16);
    fake.script.clear();
    await passes(references);
  });

  it('for too many calls without saying how long, in HTML (19)', async () => {
    const { references } = await many([
      { path: '/transactions', times: 3, accept: false, answer: html(429) },
    ]);
    await passes(references);
  });

  it('for its address refuses what it got, and gets no more for a while (18)', async () => {
    const { references, calls } = await many([
      { path: PAY, times: 0, accept: false, answer: refusal(403, 'IP not allowed', 'not_authorized') },
    ]);
    expect(calls).toBeLessThanOrEqual(32);
    fake.script.clear();
    await late();
    const ended = await Promise.all(references.map(statusOf));
    expect(new Set(ended)).toEqual(new Set(['failed', 'succeeded']));
    expect(ended.filter((status) => status === 'failed').length).toBeLessThanOrEqual(16);
  });

  /** What was not handed over waits for its lease; it is let pass here. */
  const late = async (): Promise<void> => {
    await until(async () => {
      await service.query(`UPDATE settlements SET next_poll_at = clock_timestamp() WHERE status = 'pending'`);
      await hurry();
      const open = await service.query(`SELECT 1 FROM settlements WHERE status = 'pending' LIMIT 1`);
      return open.length === 0;
    });
    await settled();
  };
  const passes = async (references: readonly string[]): Promise<void> => {
    await late();
    expect(new Set(await Promise.all(references.map(statusOf)))).toEqual(new Set(['succeeded']));
    for (const reference of references) {
      expect(callsFor(reference).filter(({ path, status }) => path === PAY && status === 200)).toHaveLength(
        1,
      );
    }
  };
});

describe('a collection', () => {
  const tells = async (
    input: CollectionInput,
  ): Promise<{ reference: string; statuses: (number | null)[] }> => {
    const { reference, delivery } = fake.books.collect({ ...input, mode: 'hold' });
    return { reference, statuses: await fake.outbox.redeliver(delivery.id) };
  };

  it('told fifty times, ten at once, and once more later, is credited once (5, 13)', async () => {
    const wallet = await service.createWallet();
    const { delivery } = fake.books.collect({ accountReference: wallet.id, amount: '10.50', mode: 'hold' });
    for (let n = 0; n < 5; n += 1) {
      expect(new Set(await fake.outbox.redeliver(delivery.id, 10))).toEqual(new Set([200]));
    }
    await fake.clock.advance(71 * 60 * MINUTE);
    expect(await fake.outbox.redeliver(delivery.id)).toEqual([200]);
    expect(await balanceOf(wallet)).toBe(1_050);
  });

  it('told before the account is on our books is credited when it is told again (6)', async () => {
    const owner = await service.signUp();
    const issued = fake.books.accounts.size;
    fake.script.add([
      { method: 'POST', path: '/virtual-bank-account', answer: 'none' },
      { method: 'GET', path: '/virtual-bank-account/', nth: 2, answer: { slowBodyMs: 300 } },
    ]);
    const creating = service.createWallet(owner);
    await until(() => Promise.resolve(fake.books.accounts.size > issued));
    const account = [...fake.books.accounts.values()].at(-1)!;
    const { delivery } = fake.books.collect({ accountReference: account.reference, amount: '700.00' });
    const wallet = await creating;
    expect(wallet.id).toBe(account.reference);
    await until(async () => (await balanceOf(wallet)) === 70_000);
    const [first] = delivery.attempts;
    expect(first!.status).not.toBe(200);
  });

  it.each([
    ['signed with another key', { sign: 'wrong-key' }],
    ['not signed', { sign: 'none' }],
    ['signed over the whole body', { sign: 'whole-body' }],
    ['with another amount than signed', { tamper: { amount: 9_999_999 } }],
  ] as const)('%s is refused, and credited when the bank tells it (11)', async (_name, shape) => {
    const wallet = await service.createWallet();
    const { reference, statuses } = await tells({ accountReference: wallet.id, amount: '100.00', ...shape });
    expect(statuses).toEqual([401]);
    expect(await balanceOf(wallet)).toBe(0);
    await tells({ accountReference: wallet.id, amount: '100.00', reference });
    expect(await balanceOf(wallet)).toBe(10_000);
  });

  it('made of the genuine news of a payout, or of one that failed, credits nobody (12)', async () => {
    const wallet = await funded();
    const reference = await pay(wallet);
    await ends(reference, 'succeeded');
    const hook = `http://127.0.0.1:${(service.app.getHttpServer().address() as { port: number }).port}/api/webhooks`;
    const data = { fee: 32.25, amount: 1000, status: 'success', currency: 'NGN', reference };
    const swapped = fake.outbox.add(hook, 'charge.success', data, { mode: 'hold' });
    expect(await fake.outbox.redeliver(swapped.id)).toEqual([400]);
    const { statuses } = await tells({
      accountReference: wallet.id,
      amount: '100.00',
      data: { status: 'failed' },
    });
    expect(statuses).toEqual([200]);
    expect(await balanceOf(wallet)).toBe(400_000);
  });

  it('for an account that is nobody is recorded, not credited, and answered as specified (14)', async () => {
    const { reference, statuses } = await tells({
      accountReference: '00000000-0000-4000-8000-000000000000',
      amount: '100.00',
    });
    expect([400, 404]).toContain(statuses[0]);
    const rows = await service.query(
      `SELECT 1 FROM inbound_transfers WHERE reference = $1 AND status = 'unmatched'`,
      [reference],
    );
    expect(rows).toHaveLength(1);
  });

  const shapes: [name: string, input: Partial<CollectionInput>][] = [
    ['with members that nobody knows', { data: { session_id: '0001', meta: { deep: [1, { two: 2 }] } } }],
    ['without its date and fee', { omit: ['transaction_date', 'fee'] }],
    ['with a date that has no zone', { data: { transaction_date: '2023-01-10 10:00:04' } }],
    [
      'with a masked payer',
      { payer: { account_name: 'J. Obi', account_number: '******1001', bank_name: 'Kuda' } },
    ],
    ['with letters sent as escapes', { payer: { account_name: 'Adé Ọbí' }, escaped: true }],
    ['signed over its bytes as sent', { sign: 'as-sent' }],
  ];
  it.each(shapes)('%s is credited (15)', async (_name, input) => {
    const wallet = await service.createWallet();
    const { statuses } = await tells({ accountReference: wallet.id, amount: '1050.55', ...input });
    expect(statuses).toEqual([200]);
    expect(await balanceOf(wallet)).toBe(105_055);
  });

  const amounts: [string, Partial<CollectionInput>][] = [
    ['0', {}],
    ['-100', {}],
    ['10.505', {}],
    ['1e21', {}],
    ['NaN', { amountAsText: true }],
  ];
  it.each(amounts)('of %s is refused (16)', async (amount, input) => {
    const wallet = await service.createWallet();
    const { statuses } = await tells({ accountReference: wallet.id, amount, ...input });
    expect(statuses).toEqual([400]);
    expect(await balanceOf(wallet)).toBe(0);
  });
});

describe('the name enquiry', () => {
  it.each([
    ['does not answer', { answer: 'none' }, 503],
    ['breaks', { answer: 'reset' }, 503],
    ['answers 502', { answer: html(502) }, 503],
    ['has too much to do', { answer: refusal(429, 'Too many requests') }, 503],
    ['knows no such account', { answer: refusal(400, 'Unable to resolve bank account.') }, 404],
  ] as [string, Rule, number][])('%s: nobody hangs, and payments go on (21)', async (_name, rule, status) => {
    const wallet = await funded();
    fake.script.add([{ path: '/misc/banks/resolve', ...rule }]);
    const startedAt = performance.now();
    const answer = await service.post('/v1/accounts/resolve', {
      key: wallet.key,
      body: { accountNumber: '0123456789', bankCode: '058' },
    });
    expect(answer.status).toBe(status);
    expect(performance.now() - startedAt).toBeLessThan(4 * BANK_TIMEOUT_MS);
    await ends(await pay(wallet), 'succeeded');
  });
});
