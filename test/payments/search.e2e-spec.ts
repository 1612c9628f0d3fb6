import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { filterOf, PaymentsQuery } from '../../src/contexts/payments/transactions/search.dto.js';
import { TotalsStore } from '../../src/contexts/payments/transactions/totals.store.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';

interface Row {
  readonly id: string;
  readonly walletId: string;
  readonly merchant: string;
  readonly amount: number;
  readonly status: string;
  readonly decision: string;
  readonly createdAt: string;
}
interface Listed {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}
interface Total {
  readonly status: string;
  readonly count: number;
  readonly amount: number;
}
interface Refused {
  readonly error: { readonly code: string; readonly errors: readonly { readonly field: string }[] };
}

let service: TestService;
let owner: TestUser;
let wallets: CreatedWallet[];
let stranger: CreatedWallet;
/** More than a page of a search looks at. */
const COUNTS = [22_500, 21_000, 700];

beforeAll(async () => {
  service = await startService();
  owner = await service.signUp();
  wallets = [];
  for (const count of COUNTS) {
    const wallet = await service.createWallet(owner);
    await seed(wallet, count);
    wallets.push(wallet);
  }
  wallets.push(await service.createWallet(owner));
  stranger = await service.createWallet();
  await seed(stranger, 300);
  await service.query('ANALYZE');
}, 120_000);
afterAll(() => service.close());

/**
 * Gives a wallet attempts whose times rise with `seq`, several in a millisecond. Six of seven are blocked; of the others
 * one of a thousand failed, one of a thousand was returned, one of five hundred is on its way, the rest is paid. Each
 * third was asked for by the wallet's key, the others by one that is not on record.
 */
async function seed({ id }: CreatedWallet, count: number): Promise<void> {
  await service.query(`UPDATE api_keys SET created_at = '2026-01-01' WHERE wallet_id = $1`, [id]);
  await service.query(
    `WITH attempts AS MATERIALIZED (
       SELECT n, gen_random_uuid() AS id, n % 7 <> 3 AS is_blocked,
              CASE WHEN n % 1000 = 500 THEN 'failed' WHEN n % 1000 = 501 THEN 'reversed'
                   WHEN n % 500 = 250 THEN 'pending' ELSE 'succeeded' END AS settled,
              timestamptz '2026-01-01' + n / 3 * interval '1 millisecond' + n % 3 / 2 * interval '400 microseconds' AS at
         FROM generate_series(1, $2::integer) n
     ), made AS (
       INSERT INTO transactions (wallet_id, seq, id, amount, merchant, merchant_name, recipient_account_no,
         recipient_bank_code, reason, block_reason, blocked_total, facts, spent_total, created_at, key_id)
       SELECT $1, n, id, n, 'shop ' || n % 50, 'Shop ' || n % 50, '0123456789', '058',
              CASE WHEN n % 100 = 0 THEN 'Order ' || n END,
              CASE WHEN is_blocked THEN 'INSUFFICIENT_FUNDS' END, n - (n + 4) / 7, '{"now": "2026-01-01T00:00:00.000Z"}', 0, at,
              CASE WHEN n % 3 = 0 THEN (SELECT id FROM api_keys WHERE wallet_id = $1) END
         FROM attempts
     ), refunded AS (
       INSERT INTO refunded_payments (wallet_id, transaction_id, amount, approved_at)
       SELECT $1, id, n, at FROM attempts WHERE NOT is_blocked AND settled IN ('failed', 'reversed')
     ), returned AS (
       INSERT INTO returned_payments (wallet_id, transaction_id, approved_at)
       SELECT $1, id, at FROM attempts WHERE NOT is_blocked AND settled = 'reversed'
     )
     INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, status, steps,
       approved_at, next_poll_at)
     SELECT id, $1, n, '0123456789', '058', 'x', settled, '[]', at,
            CASE WHEN settled = 'pending' THEN timestamptz '2099-01-01' END
       FROM attempts WHERE NOT is_blocked`,
    [id, count],
  );
}

async function keyOf({ id }: CreatedWallet): Promise<string> {
  const [key] = await service.query<{ id: string }>('SELECT id FROM api_keys WHERE wallet_id = $1', [id]);
  return key!.id;
}

/** What the database says of a filter, by an order and a derivation of its own. */
async function expected(where: string, user = owner): Promise<string[]> {
  const rows = await service.query<{ id: string }>(
    `SELECT t.id FROM transactions t JOIN wallets w ON w.id = t.wallet_id
       LEFT JOIN settlements s ON s.reference = t.id
      WHERE w.user_id = $1 AND (${where}) ORDER BY t.created_at DESC, t.wallet_id DESC, t.seq DESC`,
    [user.id],
  );
  return rows.map(({ id }) => id);
}

async function page(query: string, token = owner.token): Promise<Listed> {
  return expectStatus(200, await service.get<Listed>(`/v1/transactions?${query}`, { token })).body;
}

async function totals(query: string, token = owner.token): Promise<readonly Total[] | null> {
  const path = `/v1/transactions/totals?${query}`;
  return expectStatus(200, await service.get<{ data: Total[] | null }>(path, { token })).body.data;
}

const byName = (all: readonly Total[] | null) => all?.toSorted((a, b) => (a.status < b.status ? -1 : 1));

/** By status, payments on their way counted with the paid ones unless just one of the two is asked for. */
function totalled(rows: readonly Row[]): Total[] {
  const sums = new Map<string, Total>();
  for (const { status, amount } of rows) {
    const { count, amount: sum } = sums.get(status) ?? { count: 0, amount: 0 };
    sums.set(status, { status, count: count + 1, amount: sum + amount });
  }
  return [...sums.values()];
}

/** All that a filter lets through, page by page, or so many pages of it, and how many pages that took. */
async function walk(
  query: string,
  limit: number,
  pagesMax = Infinity,
): Promise<{ rows: Row[]; pages: number }> {
  const rows: Row[] = [];
  let cursor: string | null = '';
  let pages = 0;
  while (cursor !== null && pages < pagesMax) {
    const { data, nextCursor }: Listed = await page(
      `limit=${limit}&${query}${cursor && `&cursor=${cursor}`}`,
    );
    expect(data.length).toBeLessThanOrEqual(limit);
    rows.push(...data);
    cursor = nextCursor;
    if ((pages += 1) > 700) throw new Error(`${query} does not end`);
  }
  return { rows, pages };
}

const DERIVED: Readonly<Record<string, string>> = {
  paid: `s.status = 'succeeded'`,
  processing: `s.status IN ('pending', 'processing')`,
  failed: `s.status = 'failed'`,
  returned: `s.status = 'reversed'`,
  blocked: 't.block_reason IS NOT NULL',
  denied: 'false',
  expired: 'false',
  awaiting_approval: 'false',
};

/** So far from the newest, past where the attempts of a second wallet begin; the oldest are walked by `AT_THE_END`. */
const PAGES = 25;
/** The oldest attempts, of three wallets. */
const AT_THE_END = {
  query: 'to=2026-01-01T00:00:00.300Z',
  where: `t.created_at < '2026-01-01T00:00:00.300Z'`,
};

describe('the attempts over all wallets', () => {
  it('come page by page in the plain order, each once, without a filter', async () => {
    const { rows } = await walk('', 100, PAGES);
    expect(rows.map(({ id }) => id)).toEqual((await expected('true')).slice(0, PAGES * 100));
    expect(new Set(rows.map(({ walletId }) => walletId)).size).toBe(2);
    const end = await walk(AT_THE_END.query, 100);
    const oldest = await expected(AT_THE_END.where);
    expect(end.rows.map(({ id }) => id)).toEqual(oldest);
    expect(new Set(end.rows.map(({ walletId }) => walletId)).size).toBe(3);
    expect(end.pages).toBe(Math.ceil(oldest.length / 100));
  });

  it.each(Object.entries(DERIVED))('are narrowed to %s', async (status, where) => {
    const { rows } = await walk(`status=${status}`, 100, PAGES);
    expect(rows.map(({ id }) => id)).toEqual((await expected(where)).slice(0, PAGES * 100));
    const end = await walk(`status=${status}&${AT_THE_END.query}`, 100);
    expect(end.rows.map(({ id }) => id)).toEqual(await expected(`(${where}) AND ${AT_THE_END.where}`));
    expect([...rows, ...end.rows].filter((row) => row.status !== status)).toEqual([]);
  });

  it('show rare ones at once: failed and returned ones need no second page', async () => {
    const all = await expected(`s.status IN ('failed', 'reversed')`);
    const { data, nextCursor } = await page('status=failed,returned&limit=100');
    expect(data.map(({ id }) => id)).toEqual(all.slice(0, 100));
    expect(nextCursor).toBeNull();
  });

  it('end after few short pages when nothing matches', async () => {
    const { rows, pages } = await walk('search=nobody-sells-this', 50);
    expect(rows).toEqual([]);
    expect(pages).toBeLessThanOrEqual(6);
    expect(pages).toBeGreaterThan(1);
  });

  it('agree with the plain order for any filters, pages and wallets', async () => {
    const shop = fc.integer({ min: 0, max: 50 });
    const filter = fc.record(
      {
        status: fc.subarray(Object.keys(DERIVED), { minLength: 1 }),
        wallet: fc.subarray([0, 1, 2, 3], { minLength: 1 }),
        from: fc.integer({ min: 0, max: 9_000 }),
        length: fc.integer({ min: 1, max: 600 }),
        merchant: shop,
        search: fc.oneof(
          shop.map((n) => `hop ${n}`),
          fc.constant('ORDER 7'),
          fc.constant('0123456789'),
        ),
        min: fc.integer({ min: 0, max: 26_000 }),
        key: fc.integer({ min: 0, max: 3 }),
        spent: fc.constant(true),
      },
      { requiredKeys: ['from', 'length'] },
    );
    await fc.assert(
      fc.asyncProperty(filter, fc.integer({ min: 1, max: 100 }), async (f, limit) => {
        const at = (ms: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + ms).toISOString();
        const [from, to] = [at(f.from), at(f.from + f.length)];
        const query = new URLSearchParams({ from, to });
        const where = [`t.created_at >= '${from}' AND t.created_at < '${to}'`];
        if (f.status) {
          query.set('status', f.status.join(','));
          where.push(`(${f.status.map((each) => DERIVED[each]).join(' OR ')})`);
        }
        if (f.wallet) {
          const ids = f.wallet.map((each) => wallets[each]!.id);
          query.set('walletId', ids.join(','));
          where.push(`t.wallet_id IN ('${ids.join(`','`)}')`);
        }
        if (f.merchant !== undefined) {
          query.set('merchant', ` SHOP  ${f.merchant} `);
          where.push(`t.merchant = 'shop ${f.merchant}'`);
        }
        if (f.search !== undefined) {
          query.set('search', f.search);
          where.push(
            `(t.merchant ILIKE '%${f.search}%' OR t.reason ILIKE '%${f.search}%' OR t.recipient_account_no = '${f.search}')`,
          );
        }
        if (f.min !== undefined) {
          query.set('minAmount', String(f.min));
          query.set('maxAmount', String(f.min + 9_000));
          where.push(`t.amount BETWEEN ${f.min} AND ${f.min + 9_000}`);
        }
        if (f.key !== undefined) {
          const key = await keyOf(wallets[f.key]!);
          query.set('key', key.toUpperCase());
          where.push(`t.key_id = '${key}'`);
        }
        if (f.spent) {
          query.set('spent', 'true');
          where.push(`t.block_reason IS NULL AND s.status NOT IN ('failed', 'reversed')`);
        }
        // Every page is a request: few rows a page are walked over a part of the time alone.
        const { rows } = await walk(query.toString(), Math.max(limit, Math.ceil(f.length / 10)));
        expect(rows.map(({ id }) => id)).toEqual(await expected(where.join(' AND ')));
        expect(byName(await totals(query.toString()))).toEqual(byName(totalled(rows)));
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  it('are totalled by how they ended', async () => {
    const filter = 'to=2026-01-01T00:00:01Z';
    const { rows } = await walk(filter, 100);
    expect(rows).toHaveLength(6_698);
    const all = totalled(rows);
    expect(byName(await totals(filter))).toEqual(byName(all));
    const onTheirWay = all.filter(({ status }) => status === 'processing');
    expect(onTheirWay).toMatchObject([{ count: 2 }]);
    expect(await totals(`${filter}&status=processing`)).toEqual(onTheirWay);
    expect(await totals(`${filter}&status=paid`)).toEqual(all.filter(({ status }) => status === 'paid'));
    expect(await totals(`${filter}&search=nobody-sells-this`)).toEqual([]);
    expect(await totals('', stranger.owner.token)).toEqual(
      expect.arrayContaining([{ status: 'blocked', count: 257, amount: expect.any(Number) }]),
    );
  });

  it('are totalled up to 40,000 attempts of a period, and of one more there is no total', async () => {
    const rich = await service.signUp();
    const many = await service.createWallet(rich);
    await seed(many, 40_000);
    await service.query('ANALYZE transactions');
    const count = (all: readonly Total[] | null) => all?.reduce((sum, each) => sum + each.count, 0);
    expect(count(await totals('', rich.token))).toBe(40_000);
    await seed(await service.createWallet(rich), 1);
    expect(await totals('', rich.token)).toBeNull();
    expect(await totals('maxAmount=1', rich.token)).toBeNull();
    expect(count(await totals(`walletId=${many.id}`, rich.token))).toBe(40_000);
    expect(count(await totals('to=2026-01-01T00:00:00.001Z', rich.token))).toBe(3);
  }, 60_000);

  it('are read for a total up to one more than it may be of, however many a period has', async () => {
    let statement: readonly [string, unknown[]] = ['', []];
    const query = (text: string, values: unknown[]) => {
      statement = [text, values];
      return Promise.resolve([]);
    };
    const store = new TotalsStore({ reads: { query } } as never);
    const ids = wallets.map(({ id }) => id);
    await store.byStatus(ids, filterOf({ ...new PaymentsQuery(), maxAmount: 1 }), [], [], 999);
    const plan = await service.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${statement[0]}`,
      statement[1],
    );
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).toMatch(
      /Index Scan .*transactions_by_time on transactions a [^\n]*rows=1000(\.00)? loops=1/,
    );
    expect(lines).not.toMatch(/Bitmap/);
  });

  it('of another owner are totalled for nobody', async () => {
    const path = `/v1/transactions/totals?walletId=${wallets[2]!.id}`;
    const { token } = stranger.owner;
    expectStatus(404, await service.get(path, { token }));
    const key = await keyOf(wallets[2]!);
    expectStatus(404, await service.get(`/v1/transactions/totals?key=${key}`, { token }));
  });

  it('have bounds that take their own edge: amounts both, times the first alone', async () => {
    const wallet = wallets[2]!;
    const of = `walletId=${wallet.id}`;
    const amounts = (rows: readonly Row[]) => rows.map(({ amount }) => amount);
    expect(amounts((await page(`${of}&minAmount=699`)).data)).toEqual([700, 699]);
    expect(amounts((await page(`${of}&maxAmount=2`)).data)).toEqual([2, 1]);
    expect(amounts((await page(`${of}&minAmount=5&maxAmount=5`)).data)).toEqual([5]);
    expect(amounts((await page(`${of}&to=2026-01-01T00:00:00.001Z`)).data)).toEqual([2, 1]);
    expect(amounts((await page(`${of}&from=2026-01-01T00:00:00.233Z`)).data)).toEqual([700, 699]);
  });

  it('are found by their id, their account number and a part of their reason', async () => {
    const [{ id } = { id: '' }] = (await page('limit=1')).data;
    expect((await page(`search=${id.toUpperCase()}&limit=1`)).data.map((each) => each.id)).toEqual([id]);
    const byReason = await page(`search=${encodeURIComponent('oRDER 700')}&walletId=${wallets[2]!.id}`);
    expect(byReason.data.map(({ amount }) => amount)).toEqual([700]);
    expect((await page('search=0123456789&limit=3')).data).toHaveLength(3);
    expect((await page(`search=${encodeURIComponent('%')}&walletId=${wallets[2]!.id}`)).data).toEqual([]);
  });

  it.each(['Order  42', '½ kg of ata rodo', 'two\tcolumns', 'İstanbul'])(
    'are found by their reason as it was given: %j',
    async (reason) => {
      const wallet = await service.fundedWallet(1_000);
      expectStatus(201, await service.pay(wallet.key, { amount: 1_000, reason }));
      const path = `/v1/transactions?search=${encodeURIComponent(reason)}`;
      const { body } = await service.get<{ data: { reason: string }[] }>(path, { token: wallet.owner.token });
      expect(body.data.map((each) => each.reason)).toEqual([reason]);
    },
  );

  it('are one’s own alone, whatever is asked', async () => {
    const mine = new Set(wallets.map(({ id }) => id));
    for (const row of (await page('limit=100')).data) expect(mine.has(row.walletId)).toBe(true);
    const refused = await service.get<Refused>(`/v1/transactions?walletId=${wallets[0]!.id},${stranger.id}`, {
      token: owner.token,
    });
    expect([refused.status, refused.body.error.code]).toEqual([404, 'WALLET_NOT_FOUND']);
    const csv = await service.get(`/v1/transactions.csv?walletId=${stranger.id}`, { token: owner.token });
    expect(csv.status).toBe(404);
    for (const key of [await keyOf(stranger), '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f']) {
      const { status, body } = await service.get<Refused>(`/v1/transactions?key=${key}`, {
        token: owner.token,
      });
      expect([status, body.error.code]).toEqual([404, 'KEY_NOT_FOUND']);
    }
    // A cursor of somebody else leads nowhere but into one's own list.
    const { nextCursor } = await page('limit=5', stranger.owner.token);
    for (const row of (await page(`cursor=${nextCursor}&limit=100`)).data)
      expect(mine.has(row.walletId)).toBe(true);
    const [found] = await expected('true', stranger.owner);
    expect((await page(`search=${found}&walletId=${wallets[2]!.id}`)).data).toEqual([]);
  });

  const refused: [string, string][] = [
    ['status=approved', 'status'],
    ['status=', 'status'],
    ['status=paid,', 'status'],
    ['status=paid&status=failed', 'status'],
    ['spent=false', 'spent'],
    ['walletId=1', 'walletId'],
    ['key=apw_live_x', 'key'],
    ['key=', 'key'],
    [
      `walletId=${Array.from({ length: 101 }, (_, n) => `019aa4b2-7c10-7d3e-9a51-${String(n).padStart(12, '0')}`).join(',')}`,
      'walletId',
    ],
    ['from=yesterday', 'from'],
    ['to=2026-02-30T00:00:00Z', 'to'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z', 'to'],
    ['merchant=%20', 'merchant'],
    [`search=${'x'.repeat(201)}`, 'search'],
    ['search=%00', 'search'],
    ['minAmount=-1', 'minAmount'],
    ['minAmount=1.5', 'minAmount'],
    ['maxAmount=9007199254740992', 'maxAmount'],
    ['minAmount=2&maxAmount=1', 'maxAmount'],
    ['cursor=', 'cursor'],
    ['cursor=abc', 'cursor'],
    [
      `cursor=${Buffer.from(`2026-02-30T00:00:00.000000Z 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f 1`).toString('base64url')}`,
      'cursor',
    ],
    [`cursor=${'A'.repeat(5_000)}`, 'cursor'],
    ['limit=0', 'limit'],
  ];
  it.each(refused.map(([query, field]) => [query.slice(0, 50), query, field]))(
    'refuse %s',
    async (_, query, field) => {
      const { status, body } = await service.get<Refused>(`/v1/transactions?${query}`, {
        token: owner.token,
      });
      expect([status, body.error.code, body.error.errors[0]?.field]).toEqual([
        400,
        'VALIDATION_ERROR',
        field,
      ]);
    },
  );

  it('download as CSV, all that the filters let through', async () => {
    const query = 'status=blocked,failed&merchant=Shop%203';
    const { text, headers } = await service.get(`/v1/transactions.csv?${query}`, { token: owner.token });
    const [names, ...lines] = text.trimEnd().split('\r\n');
    expect(names).toBe(
      '\ufeffid,created_at (Africa/Lagos),decision,block_reason,amount_ngn,amount_kobo,merchant_name,recipient_account_no,recipient_bank_code,recipient_bank_name,reason,settlement_status,settlement_reference,status,wallet_id,wallet_name,key_id,key_prefix,key_name,purpose,run_id,rationale,memo,category,cost_centre',
    );
    expect(lines.map((line) => line.split(',')[0])).toEqual(
      await expected(`t.merchant = 'shop 3' AND (t.block_reason IS NOT NULL OR s.status = 'failed')`),
    );
    expect(headers['content-disposition']).toBe('attachment; filename="payments.csv"');
    expect((await service.get('/v1/transactions.csv?status=x', { token: owner.token })).status).toBe(400);
  });

  it('download with an apostrophe before what a spreadsheet would run', async () => {
    const wallet = await service.fundedWallet(10_000);
    await service.pay(wallet.key, { merchantName: '=HYPERLINK("x")', reason: '+1' });
    const { text } = await service.get('/v1/transactions.csv', { token: wallet.owner.token });
    expect(text).toContain(`"'=HYPERLINK(""x"")"`);
    expect(text).toContain(`'+1`);
  });

  it('download account numbers and bank codes as text, and times in the account’s zone', async () => {
    const wallet = await service.fundedWallet(10_000);
    const { body } = await service.pay(wallet.key, {
      recipientAccountNo: '0000123456',
      recipientBankCode: '044',
    });
    const { text } = await service.get('/v1/transactions.csv', { token: wallet.owner.token });
    const { id, createdAt } = body.data.transaction;
    // Lagos is an hour ahead of UTC.
    const local = new Date(Date.parse(createdAt) + 3_600_000).toISOString();
    expect(text).toContain(`${id},${local.slice(0, 10)} ${local.slice(11, 19)},approved,`);
    expect(text).toContain(',"=""0000123456""","=""044""",Access Bank,');
  });

  it('say of a payment what became of it, in every list', async () => {
    const wallet = await service.fundedWallet(10_000);
    const { body } = await service.pay(wallet.key);
    await service.pay(wallet.key, { amount: 1_000_000 });
    const statuses = (rows: readonly { status?: string }[]) => rows.map(({ status }) => status);
    const { token } = wallet.owner;
    await until(async () => (await page('status=processing', token)).data.length === 0);
    expect(statuses((await page('', token)).data)).toEqual(['blocked', 'paid']);
    const one = await service.get<{ data: Row }>(
      `/v1/wallets/${wallet.id}/transactions/${body.data.transaction.id}`,
      { token },
    );
    expect(one.body.data.status).toBe('paid');
  });
});
