import { createHmac, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { FundingReconciliation } from '../../src/contexts/funding/funding.reconcile.js';
import { kobo } from '../../src/kernel/money.js';
import { Jobs } from '../../src/platform/jobs/jobs.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  type HistoryRow,
  startService,
  type TestService,
  until,
} from '../support/service.js';

/** The bank that the service brings along: each outcome by its account number. */

const SECRET = 'a webhook secret of the sandbox bank';

let service: TestService;
let origin: string;

beforeAll(async () => {
  service = await startService({
    env: { PORT: '9', SETTLEMENT_POLL_SECONDS: '1', WEBHOOK_SECRET: SECRET },
  });
  await service.app.listen(0, '127.0.0.1');
  origin = `http://127.0.0.1:${(service.app.getHttpServer().address() as AddressInfo).port}`;
});

afterEach(async () => {
  expect(await brokenInvariants(service)).toEqual({});
});

afterAll(() => service.close());

interface Transfer {
  readonly success: boolean;
  readonly data: { reference: string; accountNumber: string; amount: number; sentAt: string };
}

async function transfer(
  { virtualAccount, owner }: Pick<CreatedWallet, 'virtualAccount' | 'owner'>,
  amount: number,
): Promise<{ status: number; body: Transfer }> {
  const response = await fetch(`${origin}/v1/sandbox/transfers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.token}` },
    body: JSON.stringify({ accountNumber: virtualAccount.accountNumber, amount }),
  });
  return { status: response.status, body: (await response.json()) as Transfer };
}

async function funded(): Promise<CreatedWallet> {
  const wallet = await service.createWallet();
  expect((await transfer(wallet, 500_000)).status).toBe(201);
  return wallet;
}

const payTo = async ({ key }: CreatedWallet, recipientAccountNo: string): Promise<string> =>
  expectStatus(201, await service.pay(key, { amount: 100_000, recipientAccountNo })).body.data.settlement
    .reference;

const entryOf = async ({ key }: CreatedWallet, reference: string): Promise<HistoryRow> =>
  expectStatus(200, await service.get<{ data: HistoryRow }>(`/api/payment-intent/${reference}`, { key })).body
    .data;

async function balanceOf({ id }: CreatedWallet): Promise<number> {
  const [row] = await service.query<{ balance: string }>('SELECT balance FROM wallets WHERE id = $1', [id]);
  return Number(row!.balance);
}

async function casesOf(subject: string): Promise<string[]> {
  const rows = await service.query<{ kind: string }>('SELECT kind FROM operator_cases WHERE subject = $1', [
    subject,
  ]);
  return rows.map(({ kind }) => kind);
}

async function ends(wallet: CreatedWallet, reference: string, status: string): Promise<HistoryRow> {
  await until(async () => {
    await service.query(
      `UPDATE settlements SET next_poll_at = clock_timestamp() WHERE reference = $1 AND poll_count > 0 AND next_poll_at IS NOT NULL`,
      [reference],
    );
    return (await entryOf(wallet, reference)).settlement?.status === status;
  });
  return entryOf(wallet, reference);
}

const steps = ({ auditEvents }: HistoryRow): string[] =>
  auditEvents.map(({ type }) => type).filter((type) => !type.startsWith('check.'));

describe('a payout to a magic account', () => {
  it('of any other number succeeds', async () => {
    const wallet = await funded();
    const entry = await ends(wallet, await payTo(wallet, '0123456789'), 'succeeded');
    expect(steps(entry)).toEqual(['settlement.started', 'settlement.succeeded']);
    expect(await balanceOf(wallet)).toBe(400_000);
  });

  it.each([
    ['9000000001', 'is refused', 'Invalid account.'],
    ['9000000002', 'fails later', 'The destination bank refused the payout.'],
  ])('%s %s: refunded once', async (account, _how, reason) => {
    const wallet = await funded();
    const reference = await payTo(wallet, account);
    const entry = await ends(wallet, reference, 'failed');
    expect(steps(entry)).toEqual(['settlement.started', 'settlement.failed', 'refund.posted']);
    expect(entry.auditEvents.find(({ type }) => type === 'settlement.failed')!.detail).toEqual({
      reason,
      why: reason,
    });
    expect(entry.decision).toBe('approved');
    expect(await balanceOf(wallet)).toBe(500_000);
    expect(await service.stats(wallet)).toMatchObject({ spentThisPeriod: 0 });
    const { data } = await service.ledger(wallet);
    expect(data.map(({ type }) => type)).toEqual(['refund', 'debit', 'topup']);
  });

  it('9000000003 stays under way, is never refunded, and after a day a case says so', async () => {
    const wallet = await funded();
    const reference = await payTo(wallet, '9000000003');
    await until(async () => (await entryOf(wallet, reference)).settlement?.status === 'processing');
    await service.query(
      `UPDATE settlements SET approved_at = approved_at - interval '25 hours' WHERE reference = $1`,
      [reference],
    );
    await until(async () => {
      await service.query(
        `UPDATE settlements SET next_poll_at = clock_timestamp() WHERE reference = $1 AND poll_count > 0 AND next_poll_at IS NOT NULL`,
        [reference],
      );
      return (await casesOf(reference)).length > 0;
    });
    expect(await casesOf(reference)).toEqual(['payout-stuck']);
    expect((await entryOf(wallet, reference)).settlement?.status).toBe('processing');
    expect(await balanceOf(wallet)).toBe(400_000);
  });

  it('9000000004 succeeds and is sent back: reversed, with a case, and nothing moves', async () => {
    const wallet = await funded();
    const reference = await payTo(wallet, '9000000004');
    await ends(wallet, reference, 'succeeded');
    // The sandbox reports it, two seconds after it was paid.
    await ends(wallet, reference, 'reversed');
    expect(await casesOf(reference)).toEqual(['payout-undone-after-success']);
    expect(steps(await entryOf(wallet, reference))).toEqual([
      'settlement.started',
      'settlement.succeeded',
      'settlement.failed',
    ]);
    expect(await balanceOf(wallet)).toBe(400_000);
  });

  it('9000000005 is not answered, and asked for until it succeeds', async () => {
    const wallet = await funded();
    const reference = await payTo(wallet, '9000000005');
    await ends(wallet, reference, 'succeeded');
    expect(await balanceOf(wallet)).toBe(400_000);
    const payouts = await service.query('SELECT 1 FROM sandbox_payouts WHERE reference = $1', [reference]);
    expect(payouts).toHaveLength(1);
  });
});

function signed(body: { data: object }): { body: string; headers: Record<string, string> } {
  const signature = createHmac('sha256', SECRET).update(JSON.stringify(body.data)).digest('hex');
  return { body: JSON.stringify(body), headers: { 'x-korapay-signature': signature } };
}

describe('a payout that the sandbox is handed twice', () => {
  const payout = (reference: string) => ({
    reference,
    amount: kobo(700),
    bankCode: '058',
    accountNumber: '0123456789',
    narration: 'Paper',
  });
  const kept = async (references: readonly string[]): Promise<string[]> => {
    const rows = await service.query<{ reference: string }>(
      'SELECT reference FROM sandbox_payouts WHERE reference = ANY ($1) ORDER BY accepted_at, reference',
      [references],
    );
    return rows.map(({ reference }) => reference);
  };

  it('is kept once, and so is all that comes with it', async () => {
    const bank = service.app.get(Bank, { strict: false });
    const [alone, twice, neighbour] = [randomUUID(), randomUUID(), randomUUID()];
    const hand = (...references: string[]) =>
      Promise.all(references.map((reference) => bank.startPayout(payout(reference))));
    const made = { kind: 'succeeded' };
    expect(await hand(alone)).toEqual([made]);
    expect(await hand(alone)).toEqual([made]);
    expect(await hand(alone, twice, twice, neighbour)).toEqual([made, made, made, made]);
    const references = await kept([alone, twice, neighbour]);
    expect(references[0]).toBe(alone);
    expect(references.sort()).toEqual([alone, twice, neighbour].sort());
  });

  it('by two at once is kept once', async () => {
    const references = Array.from({ length: 50 }, () => randomUUID());
    const other = await startService({ beside: service });
    try {
      const states = await Promise.all(
        [service, other].flatMap(({ app }, i) =>
          (i === 0 ? references : references.slice(25)).map((reference) =>
            app.get(Bank, { strict: false }).startPayout(payout(reference)),
          ),
        ),
      );
      expect(new Set(states.map(({ kind }) => kind))).toEqual(new Set(['succeeded']));
      expect((await kept(references)).sort()).toEqual(references.sort());
    } finally {
      await other.close();
    }
  });
});

describe('a transfer of the sandbox', () => {
  it('is reported over HTTP, signed, and credited', async () => {
    const wallet = await service.createWallet();
    const { status, body } = await transfer(wallet, 105_055);
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ accountNumber: wallet.virtualAccount.accountNumber, amount: 105_055 });
    expect(await balanceOf(wallet)).toBe(105_055);
    const { data } = await service.ledger(wallet);
    expect(data).toMatchObject([{ type: 'topup', amount: 105_055, reference: body.data.reference }]);
  });

  it('whose report is lost is found by the reconciliation', async () => {
    const wallet = await service.createWallet();
    await service.query(
      'ALTER TABLE inbound_transfers ADD CONSTRAINT nothing_is_taken CHECK (false) NOT VALID',
    );
    const answer = await service.post('/v1/sandbox/transfers', {
      token: wallet.owner.token,
      body: { accountNumber: wallet.virtualAccount.accountNumber, amount: 700 },
    });
    await service.query('ALTER TABLE inbound_transfers DROP CONSTRAINT nothing_is_taken');
    expect(answer.status).toBe(503);
    expect(await balanceOf(wallet)).toBe(0);
    const range = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
    const { tally } = await service.app.get(FundingReconciliation).run(range);
    expect(tally.creditedNow).toMatchObject({ count: 1, kobo: 700n });
    expect(await balanceOf(wallet)).toBe(700);
  });

  it.each([
    ['with the same amount is matched', 700, 0n],
    ['with another amount is a conflict, and its case says so', 900, -200n],
  ])('that the bank lists for another time %s', async (_, amountAtBank, difference) => {
    const wallet = await service.createWallet();
    const { body } = await transfer(wallet, 700);
    const { reference } = body.data;
    await service.query(
      `UPDATE sandbox_collections SET amount = $2, at = at - interval '2 days' WHERE reference = $1`,
      [reference, amountAtBank],
    );
    const range = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
    const { tally } = await service.app.get(FundingReconciliation).run(range);
    const isSame = amountAtBank === 700;
    const found = tally.findings.list.filter((each) => each.reference === reference);
    expect([tally.difference, tally.conflicts.count, found.length]).toEqual([
      difference,
      isSame ? 0 : 1,
      isSame ? 0 : 1,
    ]);
    expect(await casesOf(reference)).toEqual(isSame ? [] : ['transfer-conflict']);
    expect(await balanceOf(wallet)).toBe(700);
    await service.query('UPDATE sandbox_collections SET amount = 700 WHERE reference = $1', [reference]);
  });

  it('to an account that the sandbox did not issue is refused', async () => {
    const owner = await service.signUp();
    const { status } = await transfer(
      { owner, virtualAccount: { accountNumber: '0000000000', bankCode: '035', walletId: '' } },
      100,
    );
    expect(status).toBe(404);
  });

  it('to an account of which one digit is wrong is refused', async () => {
    const { owner, virtualAccount } = await service.createWallet();
    const { accountNumber } = virtualAccount;
    const wrong = `${accountNumber.slice(0, 9)}${(Number(accountNumber[9]) + 1) % 10}`;
    const to = { owner, virtualAccount: { ...virtualAccount, accountNumber: wrong } };
    expect((await transfer(to, 100)).status).toBe(404);
  });

  it('is listed whole over pages, from the beginning of the time that is asked for and without its end', async () => {
    const { accountNumber } = (await service.createWallet()).virtualAccount;
    const [from, to] = [new Date('2026-03-04T00:00:00Z'), new Date('2026-03-05T00:00:00Z')];
    const add = (name: string, at: Date, count = 1) =>
      service.query(
        `INSERT INTO sandbox_collections (reference, account_number, amount, at)
         SELECT $1 || lpad(n::text, 4, '0'), $2, 100, $3 FROM generate_series(1, $4) n`,
        [name, accountNumber, at, count],
      );
    await add('first-', from, 501);
    await add('before-', new Date(from.getTime() - 1));
    await add('last-', new Date(to.getTime() - 1));
    await add('after-', to);
    const listed: string[] = [];
    const bank = service.app.get(Bank, { strict: false });
    for await (const row of bank.listCollections(accountNumber, from, to))
      listed.push('reference' in row ? row.reference : row.unreadable);
    expect(listed).toHaveLength(502);
    expect([listed[0], listed.at(-2), listed.at(-1)]).toEqual(['first-0001', 'first-0501', 'last-0001']);
    await service.query('DELETE FROM sandbox_collections WHERE account_number = $1', [accountNumber]);
  });

  it.each([0, -1, 1.5, '100'])('of %p is refused', async (amount) => {
    const wallet = await service.createWallet();
    expect((await transfer(wallet, amount as number)).status).toBe(400);
  });

  it('leaves the books of bank and wallets agreeing: no case', async () => {
    const wallet = await service.createWallet();
    const { body } = await transfer(wallet, 105_055);
    const range = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
    const { tally } = await service.app.get(FundingReconciliation).run(range);
    expect(tally.findings.list).toEqual([]);
    expect(tally.matched.count).toBe(tally.listed.count);
    expect(await casesOf(body.data.reference)).toEqual([]);
  });

  it('needs a session', async () => {
    const answer = await service.post('/v1/sandbox/transfers', {
      body: { accountNumber: '0123456789', amount: 1 },
    });
    expect(answer.status).toBe(401);
  });
});

describe('a transfer of the sandbox in production', () => {
  let production: TestService;
  let at: string;
  beforeAll(async () => {
    production = await startService({
      env: {
        NODE_ENV: 'production',
        BANK_PROVIDER: 'sandbox',
        JWT_SECRET: 's'.repeat(32),
        WEBHOOK_SECRET: SECRET,
      },
    });
    await production.app.listen(0, '127.0.0.1');
    at = `http://127.0.0.1:${(production.app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterAll(() => production.close());

  const send = async ({ token }: { token: string }, accountNumber: string) => {
    const response = await fetch(`${at}/v1/sandbox/transfers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ accountNumber, amount: 500 }),
    });
    return { status: response.status, body: (await response.json()) as { error?: { code: string } } };
  };

  it("reaches the asking user's wallets", async () => {
    const wallet = await production.createWallet();
    expect((await send(wallet.owner, wallet.virtualAccount.accountNumber)).status).toBe(201);
    expect((await production.stats(wallet)).balance).toBe(500);
  });

  it("answers for another user's wallet as for no account, and puts nothing on any books", async () => {
    const [wallet, stranger] = [await production.createWallet(), await production.signUp()];
    const toOther = await send(stranger, wallet.virtualAccount.accountNumber);
    expect(toOther).toMatchObject({ status: 404, body: { error: { code: 'ACCOUNT_NOT_FOUND' } } });
    expect(toOther).toEqual(await send(stranger, '0000000000'));
    expect(
      await production.query('SELECT 1 FROM sandbox_collections WHERE account_number = $1', [
        wallet.virtualAccount.accountNumber,
      ]),
    ).toEqual([]);
    expect((await production.stats(wallet)).balance).toBe(0);
  });
});

describe('news of a payout', () => {
  it.each([
    ['of a reference that is not ours', { event: 'transfer.success', data: { reference: 'KPY-D-1' } }, 200],
    ['without a reference', { event: 'transfer.success', data: {} }, 400],
    ['without an event', { data: { reference: 'KPY-D-1' } }, 400],
  ])('%s', async (_name, body, status) => {
    expect((await service.post('/api/webhooks/payouts', signed(body))).status).toBe(status);
  });

  it('of a reference that is not ours, of any form, leaves nothing to do', async () => {
    const scheduling = jest.spyOn(service.app.get(Jobs, { strict: false }), 'schedule');
    for (const reference of ['KPY-D-2', randomUUID()]) {
      const body = { event: 'transfer.success', data: { reference } };
      expect((await service.post('/api/webhooks/payouts', signed(body))).status).toBe(200);
      const jobs = scheduling.mock.calls.map(([, , payload]) => payload);
      expect(jobs).not.toContainEqual({ reference });
    }
    scheduling.mockRestore();
  });

  it('with a wrong signature is refused', async () => {
    const body = { event: 'transfer.failed', data: { reference: 'KPY-D-1' } };
    expect((await service.post('/api/webhooks/payouts', { body })).status).toBe(401);
  });

  it('that says "failed" of a payout under way refunds nothing', async () => {
    const wallet = await funded();
    const reference = await payTo(wallet, '9000000003');
    for (let n = 0; n < 5; n += 1) {
      const body = { event: 'transfer.failed', data: { reference, status: 'failed' } };
      expect((await service.post('/api/webhooks/payouts', signed(body))).status).toBe(200);
    }
    await until(async () => (await service.query('SELECT 1 FROM graphile_worker.jobs LIMIT 1')).length === 0);
    await until(async () => (await entryOf(wallet, reference)).settlement?.status === 'processing');
    expect(await balanceOf(wallet)).toBe(400_000);
  });
});

describe('who can be paid', () => {
  it('lists banks with code and name, for a session and for a key', async () => {
    const wallet = await service.createWallet();
    for (const who of [{ key: wallet.key }, { token: wallet.owner.token }]) {
      const { body } = expectStatus(
        200,
        await service.get<{ code: string; name: string }[]>('/v1/banks', who),
      );
      expect(body).toContainEqual({ code: '058', name: expect.any(String) });
    }
    expect((await service.get('/v1/banks')).status).toBe(401);
  });

  it('answers the name behind an account, and 404 where there is none', async () => {
    const wallet = await service.createWallet();
    const resolve = (accountNumber: string) =>
      service.post('/v1/accounts/resolve', { key: wallet.key, body: { accountNumber, bankCode: '058' } });
    expect((await resolve('0123456789')).body).toEqual({ accountName: 'Sandbox Holder 6789' });
    expect((await resolve(wallet.virtualAccount.accountNumber)).body).toEqual({
      accountName: expect.stringContaining('Research agent'),
    });
    expect(await resolve('9000000001')).toMatchObject({
      status: 404,
      body: { error: { code: 'ACCOUNT_NOT_FOUND' } },
    });
    expect((await resolve('12')).status).toBe(400);
  });
});

describe('a payment looked up by its agent', () => {
  it('is shown to the key of its own wallet alone', async () => {
    const [wallet, other] = [await funded(), await service.createWallet()];
    const reference = await payTo(wallet, '0123456789');
    expect(await entryOf(wallet, reference)).toMatchObject({ id: reference, settlement: { reference } });
    const get = (id: string, key?: string) => service.get(`/api/payment-intent/${id}`, { key });
    expect(await get(reference, other.key)).toMatchObject({
      status: 404,
      body: { code: 'TRANSACTION_NOT_FOUND' },
    });
    expect(await get('nothing', wallet.key)).toMatchObject({ status: 404 });
    expect(await get(reference)).toMatchObject({ status: 401, body: { code: 'MISSING_API_KEY' } });
    expect(await get(reference, 'wrong')).toMatchObject({ status: 401, body: { code: 'INVALID_API_KEY' } });
  });

  it('shows one that was blocked, without a settlement', async () => {
    const wallet = await service.createWallet();
    const { body } = await service.pay(wallet.key);
    expect(await entryOf(wallet, body.transactionId)).toMatchObject({
      decision: 'blocked',
      settlement: null,
    });
  });
});
