import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Operator } from '../support/operators.js';
import { allEndedBut, SentBack } from '../support/sent-back.js';
import { chargeBody, startService, type TestService } from '../support/service.js';

/** Lists of money have the totals of all their pages. */

const TOTALLED_MAX = 10_000;

interface List {
  readonly data: { readonly status: string; readonly amount: number }[];
  readonly pagination: { readonly totalCount: number };
  readonly totals: { status: string; count: number; amount: number }[] | null;
}

let service: TestService;
let ada: Operator;
beforeAll(async () => {
  service = await startService();
  ada = await Operator.make(service);
});
afterAll(() => service.close());

const list = async (path: string): Promise<List> => (await ada.get<List>(path)).body;

/** Leaves `count` rows in a table: its newest one, and copies of that with other ids. */
async function leave(table: string, count: number, [id, ...others]: readonly string[]): Promise<void> {
  await service.query(
    `DELETE FROM ${table} WHERE ${id} <> (SELECT ${id} FROM ${table} ORDER BY ${id} DESC LIMIT 1)`,
  );
  const own = [id, ...others].map((name) => `'${name}', gen_random_uuid()`).join(', ');
  await service.query(
    `INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object(${own}))).*
       FROM ${table} t, generate_series(2, $1::integer)`,
    [count],
  );
}

describe('inbound transfers to resolve', () => {
  it('are totalled by status over all pages, those in naira alone', async () => {
    const wallet = await service.createWallet();
    const transfer = (to: string, amount: number, fields: object = {}) =>
      service.webhook(chargeBody(to, { reference: randomUUID(), amount, ...fields }));
    await transfer(randomUUID(), 500);
    await transfer(randomUUID(), 250.05);
    await transfer(wallet.id, 400, { status: 'pending' });
    await transfer(wallet.id, 7_000, { currency: 'USD' });
    const reference = randomUUID();
    await transfer(wallet.id, 30, { reference });
    await transfer(wallet.id, 31, { reference });
    const totals = [
      { status: 'conflict', count: 1, amount: 3_100 },
      { status: 'held', count: 1, amount: 40_000 },
      { status: 'unmatched', count: 2, amount: 75_005 },
    ];
    for (const page of [1, 2, 9]) {
      const found = await list(`transfers?pageSize=2&page=${page}`);
      expect([found.pagination.totalCount, found.totals]).toEqual([5, totals]);
    }
    expect((await list('transfers?status=held')).totals).toEqual([totals[1]]);
    await service.query(`DELETE FROM inbound_transfers WHERE currency = 'NGN' AND status = 'held'`);
    expect((await list('transfers?status=held')).totals).toEqual([]);
  });

  it('are not totalled from 10,000 on, where the list may have more than it counts', async () => {
    await leave('inbound_transfers', TOTALLED_MAX - 1, ['id', 'reference', 'body_hash']);
    const below = { status: 'conflict', count: TOTALLED_MAX - 1, amount: 3_100 * (TOTALLED_MAX - 1) };
    expect((await list('transfers')).totals).toEqual([below]);
    await leave('inbound_transfers', TOTALLED_MAX, ['id', 'reference', 'body_hash']);
    const full = await list('transfers');
    expect([full.pagination.totalCount, full.totals]).toEqual([TOTALLED_MAX, null]);
  });
});

describe('payouts', () => {
  it('are totalled by status over all pages', async () => {
    const wallet = await service.fundedWallet(500_000);
    const bank = new SentBack(service);
    for (const amount of [1_000, 2_500]) await service.pay(wallet.key, { amount });
    await service.pay(wallet.key, {
      amount: 700,
      recipientAccountNo: '9000000001',
      recipientBankCode: '058',
    });
    const reference = await bank.returned(wallet, 90_000);
    await service.pay(wallet.key, { amount: 333, recipientAccountNo: '9000000003' });
    await allEndedBut(service, 1);
    const totals = async (query: string) => (await list(`settlements?pageSize=1&${query}`)).totals;
    expect(await totals('state=paid')).toEqual([{ status: 'succeeded', count: 2, amount: 3_500 }]);
    expect(await totals('state=paid&page=2')).toEqual([{ status: 'succeeded', count: 2, amount: 3_500 }]);
    expect(await totals('state=failed')).toEqual([{ status: 'failed', count: 1, amount: 700 }]);
    expect(await totals('state=returned')).toEqual([{ status: 'reversed', count: 1, amount: 90_000 }]);
    expect(await totals('state=open')).toEqual([{ status: 'processing', count: 1, amount: 333 }]);
    expect(await totals(`reference=${reference}`)).toEqual([
      { status: 'reversed', count: 1, amount: 90_000 },
    ]);
    expect(await totals(`reference=${randomUUID()}`)).toEqual([]);
  });

  it('are not totalled from 10,000 on, where the list may have more than it counts', async () => {
    const wallet = await service.fundedWallet(500_000);
    await service.pay(wallet.key, { amount: 100 });
    await allEndedBut(service, 1);
    await leave('settlements', TOTALLED_MAX - 1, ['reference']);
    const below = { status: 'succeeded', count: TOTALLED_MAX - 1, amount: 100 * (TOTALLED_MAX - 1) };
    expect((await list('settlements?state=paid')).totals).toEqual([below]);
    await leave('settlements', TOTALLED_MAX, ['reference']);
    const full = await list('settlements?state=paid');
    expect([full.pagination.totalCount, full.totals]).toEqual([TOTALLED_MAX, null]);
  });
});
