import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { askAbove, payPending } from '../support/approvals.js';
import { type CreatedWallet, expectStatus, startService, type TestService } from '../support/service.js';

/** Midnight in Lagos, an hour ahead of UTC. */
const MIDNIGHT = new Date('2026-03-01T23:00:00.000Z');
const HOUR_MS = 60 * 60 * 1_000;
/** The sandbox bank refuses transfers to it. */
const REFUSED_ACCOUNT = '9000000001';

interface Figures {
  readonly payments: number;
  readonly spent: number;
  readonly refunded: number;
  readonly blocked: number;
  readonly blockedAmount: number;
}
interface Row extends Figures {
  readonly value: string | null;
  readonly label: string | null;
  readonly byDay: number[];
}
interface Spend {
  readonly from: string;
  readonly to: string;
  readonly days: string[];
  readonly total: Figures;
  readonly rows: Row[];
  readonly other: (Figures & { groups: number; byDay: number[] }) | null;
}

let service: TestService;
let wallet: CreatedWallet;
let second: { id: string; key: string };
const at = (ms: number) => service.setClock(new Date(MIDNIGHT.getTime() + ms));
beforeAll(async () => {
  service = await startService({ clock: true });
  await at(-2 * HOUR_MS);
  wallet = await service.fundedWallet(100_000, { spendLimitPerTx: 9_000 });
  const { token } = wallet.owner;
  await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
  const made = await service.post<{ data: { apiKey: { id: string; fullKey: string } } }>(
    `/api/wallets/${wallet.id}/keys`,
    { token, body: { name: 'Second', purpose: 'Travel' } },
  );
  const { id, fullKey: key } = expectStatus(201, made).body.data.apiKey;
  second = { id, key };
  await at(-1);
  expectStatus(201, await service.pay(wallet.key, { amount: 100, merchantName: 'Acme  Stores' }));
  expectStatus(201, await service.pay(wallet.key, { amount: 20, merchantName: 'acme stores', runId: 'one' }));
  await at(0);
  expectStatus(201, await service.pay(second.key, { amount: 3_000, merchantName: 'Bolt', runId: 'one' }));
  expectStatus(201, await service.pay(second.key, { amount: 7, merchantName: 'Coffee', runId: 'two' }));
  expectStatus(403, await service.pay(wallet.key, { amount: 9_001, merchantName: 'Bolt' }));
  expectStatus(
    201,
    await service.pay(wallet.key, {
      ...{ amount: 500, merchantName: 'Refuser' },
      ...{ recipientAccountNo: REFUSED_ACCOUNT, recipientBankCode: '058' },
    }),
  );
  await service.settled();
  await at(2 * HOUR_MS);
});
afterAll(() => service.close());

const ask = (query: string, { owner } = wallet) =>
  service.get<{ data: Spend }>(`/v1/spend?${query}`, { token: owner.token });
const spend = async (query: string): Promise<Spend> => expectStatus(200, await ask(query)).body.data;
const figures = ({ payments, spent, refunded, blocked, blockedAmount }: Figures) => [
  payments,
  spent,
  refunded,
  blocked,
  blockedAmount,
];
const short = (data: Spend) =>
  data.rows.map((row) => [row.value, row.label, ...figures(row), row.byDay.slice(-2)]);

describe('what was spent', () => {
  it('is totalled by merchant, what came back and what was blocked apart, on the days of the time zone', async () => {
    const data = await spend('by=merchant&timeZone=Africa/Lagos');
    expect(data.days.slice(-2)).toEqual(['2026-03-01', '2026-03-02']);
    expect(data.days).toHaveLength(31);
    expect(short(data)).toEqual([
      ['bolt', 'Bolt', 1, 3_000, 0, 1, 9_001, [0, 3_000]],
      ['acme stores', 'Acme  Stores', 2, 120, 0, 0, 0, [120, 0]],
      ['coffee', 'Coffee', 1, 7, 0, 0, 0, [0, 7]],
      ['refuser', 'Refuser', 0, 0, 500, 0, 0, [0, 0]],
    ]);
    expect(figures(data.total)).toEqual([4, 3_127, 500, 1, 9_001]);
    expect(data.other).toBeNull();
    const utc = await spend('by=merchant&timeZone=UTC');
    expect([utc.days.at(-1), utc.rows[1]!.byDay.at(-1)]).toEqual(['2026-03-02', 0]);
    expect(utc.rows[0]!.byDay.slice(-2)).toEqual([3_000, 0]);
  });

  it.each([
    [
      'key',
      () => [
        [second.id, 3_007],
        [expect.any(String), 120],
      ],
    ],
    ['wallet', () => [[wallet.id, 3_127]]],
    [
      'purpose',
      () => [
        ['Travel', 3_007],
        [null, 120],
      ],
    ],
    [
      'run',
      () => [
        ['one', 3_020],
        [null, 100],
        ['two', 7],
      ],
    ],
  ])('is totalled by %s', async (by, rows) => {
    const data = await spend(`by=${by}`);
    expect(data.rows.map(({ value, spent }) => [value, spent])).toEqual(rows());
    expect(data.total.spent).toBe(3_127);
  });

  it('has the names of wallets and keys', async () => {
    const label = async (by: string) => (await spend(`by=${by}`)).rows[0]!.label;
    expect(await label('wallet')).toBe('Research agent');
    expect(await label('key')).toMatch(/^Second \(apw_live_.*…\)$/);
  });

  it('by block reason is what was blocked', async () => {
    const data = await spend('by=blockReason');
    expect(short(data)).toEqual([['SPEND_LIMIT_PER_TX_EXCEEDED', null, 0, 0, 0, 1, 9_001, [0, 9_001]]]);
    expect(figures(data.total)).toEqual([0, 0, 0, 1, 9_001]);
  });

  it('past the limit is summed as one', async () => {
    const { rows, other, total } = await spend('by=merchant&limit=1');
    expect(rows.map(({ value }) => value)).toEqual(['bolt']);
    expect(other).toMatchObject({ groups: 3, payments: 3, spent: 127, refunded: 500 });
    expect(other!.byDay.slice(-2)).toEqual([120, 7]);
    expect(total.spent).toBe(3_127);
  });

  it('counts from the first moment of a period up to, but without, its last', async () => {
    const of = async (from: number, to: number) => {
      const [begin, end] = [from, to].map((ms) => new Date(MIDNIGHT.getTime() + ms).toISOString());
      return (await spend(`from=${begin}&to=${end}`)).total.spent;
    };
    expect(await of(-1, 0)).toBe(120);
    expect(await of(0, 1)).toBe(3_007);
    expect(await of(1, 2)).toBe(0);
    expect(await of(-1, 1)).toBe(3_127);
  });

  it.each([
    ['key', () => second.id, 3_007],
    ['merchant', () => 'ACME stores', 120],
    ['run', () => 'one', 3_020],
    ['purpose', () => 'Travel', 3_007],
    ['walletId', () => wallet.id, 3_127],
  ])('can be of one %s alone', async (name, value, spent) => {
    expect((await spend(`${name}=${encodeURIComponent(value())}`)).total.spent).toBe(spent);
  });

  it('is downloaded as CSV, and each figure finds its payments', async () => {
    const { token } = wallet.owner;
    const csv = expectStatus(200, await service.get('/v1/spend.csv?by=purpose', { token })).text;
    expect(csv.split('\r\n').slice(1, 3)).toEqual(['Travel,,2,30.07,3007,0,0,0', ',,2,1.20,120,500,1,9001']);
    const found = async (query: string) =>
      (
        await service.get<{ data: { amount: number }[] }>(`/v1/transactions?${query}`, { token })
      ).body.data.map(({ amount }) => amount);
    expect(await found('purpose=Travel')).toEqual([7, 3_000]);
    expect(await found('without=purpose&status=paid,processing')).toEqual([20, 100]);
    expect(await found('without=run&status=paid,processing')).toEqual([100]);
    expect(await found('purpose=travel')).toEqual([]);
    expect(await found('blockReason=SPEND_LIMIT_PER_TX_EXCEEDED')).toEqual([9_001]);
    expect(await found('blockReason=INSUFFICIENT_FUNDS')).toEqual([]);
  });

  it('leaves out what waits for approval, and has it once it is approved', async () => {
    const waiting = await service.fundedWallet(10_000);
    await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
    await askAbove(service, waiting, 500);
    const { id } = await payPending(service, waiting, { amount: 600 });
    const spent = async () => {
      const { body } = expectStatus(
        200,
        await ask('to=2099-01-01T00:00:00Z&from=2098-12-01T00:00:00Z', waiting),
      );
      expect(body.data.total.spent).toBe(0);
      const now = expectStatus(200, await ask('by=merchant', waiting)).body.data.total;
      return [now.payments, now.spent, now.blocked];
    };
    await at(3 * HOUR_MS);
    expect(await spent()).toEqual([0, 0, 0]);
    expectStatus(
      200,
      await service.post(`/v1/approvals/${id}/approve`, { token: waiting.owner.token, body: {} }),
    );
    expect(await spent()).toEqual([1, 600, 0]);
  });

  it.each([
    ['from', 'from=2026-01-01T00:00:00Z&to=2027-01-03T00:00:00.001Z'],
    ['to', 'from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z'],
    ['by', 'by=colour'],
    ['limit', 'limit=51'],
    ['timeZone', 'timeZone=Mars/Olympus'],
    ['run', `run=${'x'.repeat(101)}`],
  ])('refuses a wrong %s', async (field, query) => {
    const { body } = expectStatus(400, await ask(query));
    expect(JSON.stringify(body)).toContain(`"field":"${field}"`);
  });

  it('takes 367 days, as 366 of a zone whose clocks change may be', async () => {
    expectStatus(200, await ask('from=2026-01-01T00:00:00Z&to=2027-01-03T00:00:00Z&limit=50'));
  });

  it('of a wallet or key of another owner is nothing', async () => {
    const stranger = await service.fundedWallet(1_000);
    await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
    expect((await ask('by=merchant', stranger)).body.data.rows).toEqual([]);
    expectStatus(404, await ask(`walletId=${wallet.id}`, stranger));
    expectStatus(404, await ask(`key=${second.id}`, stranger));
  });
});

it('reads nothing of a wallet but the attempts of the period', async () => {
  const { id, key } = await service.fundedWallet(10_000);
  await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
  expectStatus(201, await service.pay(key));
  await service.query(
    `INSERT INTO transactions
     SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'seq', t.seq + n,
               'created_at', t.created_at - n * interval '1 hour'))).*
       FROM transactions t, generate_series(1, 2000) n WHERE t.wallet_id = $1`,
    [id],
  );
  await service.query('ANALYZE transactions');
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const { SpendStore } = await import('../../src/contexts/payments/spend/spend.store.js');
  let statement: [string, unknown[]] | undefined;
  const query = (text: string, values: unknown[]) => {
    statement = [text, values];
    return Promise.resolve([]);
  };
  const store = new SpendStore({ reads: { query } } as never);
  const to = new Date(MIDNIGHT.getTime() - 40 * 24 * HOUR_MS);
  const from = new Date(to.getTime() - 24 * HOUR_MS);
  const filter = {
    from,
    to,
    keyId: null,
    merchant: null,
    runId: null,
    purpose: null,
    category: null,
    costCentre: null,
  };
  await store.sums([id], 'merchant', filter, 10, 'Africa/Lagos');
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${statement![0]}`,
    statement![1],
  );
  await client.end();
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/Scan.* (using|on) transactions_by_time[^\n]*rows=24/);
  expect(plan).not.toMatch(/Seq Scan on (transactions|refunded)/);
});
