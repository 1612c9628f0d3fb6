import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, mailingTo, newMember } from '../support/members.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  type TestUser,
} from '../support/service.js';

interface Labels {
  readonly memo?: string;
  readonly category?: string;
  readonly costCentre?: string;
}
type Change = { readonly [Name in keyof Labels]?: Labels[Name] | null | number };
interface Line {
  readonly act: string;
  readonly subject: string;
  readonly before: object;
  readonly after: object;
}

let mails: MailServer;
let service: TestService;
let wallet: CreatedWallet;
let others: CreatedWallet;
beforeAll(async () => {
  mails = await MailServer.start();
  service = await startService({ env: mailingTo(mails) });
  wallet = await service.createWallet(await businessOwner(service));
  await service.topUp(wallet.id, 1_000_000);
  others = await service.fundedWallet(10_000);
});
afterAll(async () => {
  await service.close();
  await mails.stop();
});

async function paid(fields: Record<string, unknown> = {}, by = wallet): Promise<string> {
  const { body } = expectStatus(201, await service.pay(by.key, fields));
  return body.data.transaction.id;
}
const addressOf = (id: string, walletId = wallet.id) => `/v1/wallets/${walletId}/transactions/${id}`;
const label = (id: string, body: Change, { token } = wallet.owner, walletId = wallet.id) =>
  service.call<{ data: Labels }>('PATCH', addressOf(id, walletId), { token, body });
const labelled = async (id: string, body: Change) => expectStatus(200, await label(id, body)).body.data;
const shown = async (id: string): Promise<Labels> => {
  const { body } = await service.get<{ data: Labels }>(addressOf(id), { token: wallet.owner.token });
  const { memo, category, costCentre } = body.data;
  return { memo, category, costCentre };
};
const linesOf = (id: string) =>
  service.query<Line>(
    `SELECT act, subject, before, after FROM account_activity WHERE subject = $1 ORDER BY id`,
    [id],
  );
const list = async (query: string): Promise<string[]> => {
  const path = `/v1/transactions?limit=100&${query}`;
  const { body } = expectStatus(
    200,
    await service.get<{ data: { id: string }[] }>(path, { token: wallet.owner.token }),
  );
  return body.data.map(({ id }) => id);
};

describe('the memo, category and cost centre of a payment', () => {
  it('are set, changed one by one and removed at any time, each with a line of what was and became', async () => {
    const id = await paid();
    expect(await shown(id)).toEqual({});
    const first = await labelled(id, { memo: '  Milk  for Ada ', category: 'Groceries' });
    expect(first).toMatchObject({ id, memo: 'Milk for Ada', category: 'Groceries' });
    await labelled(id, { costCentre: 'Lagos', category: 'Travel' });
    await labelled(id, { category: 'Travel' });
    await labelled(id, {});
    await labelled(id, { memo: null });
    expect(await shown(id)).toEqual({ category: 'Travel', costCentre: 'Lagos' });
    const act = { act: 'payment.labelled', subject: id };
    expect(await linesOf(id)).toEqual([
      {
        ...act,
        before: { memo: null, category: null },
        after: { memo: 'Milk for Ada', category: 'Groceries' },
      },
      {
        ...act,
        before: { category: 'Groceries', costCentre: null },
        after: { category: 'Travel', costCentre: 'Lagos' },
      },
      { ...act, before: { memo: 'Milk for Ada' }, after: { memo: null } },
    ]);
  });

  it('are those of a blocked attempt too, and change nothing of what was decided', async () => {
    const refused = await service.pay(wallet.key, { amount: 900_000_000 });
    const id = refused.body.transactionId;
    const before = await service.query('SELECT * FROM transactions WHERE id = $1', [id]);
    expect(await labelled(id, { memo: 'Too much' })).toMatchObject({ decision: 'blocked', memo: 'Too much' });
    expect(await service.query('SELECT * FROM transactions WHERE id = $1', [id])).toEqual(before);
  });

  it('hold exactly as many characters as they may, and no control character', async () => {
    const id = await paid();
    const wide = '\u{1F95B}';
    const full = { memo: wide.repeat(500), category: wide.repeat(60), costCentre: wide.repeat(60) };
    expect(await labelled(id, full)).toMatchObject(full);
    const refused: Change[] = [
      { memo: wide.repeat(501) },
      { category: wide.repeat(61) },
      { costCentre: wide.repeat(61) },
      { memo: '' },
      { category: ' ' },
      { category: '\u200b' },
      { category: 'a\nb' },
      { costCentre: 'a\u202eb' },
      { memo: 'a\u0000b' },
      { memo: 1 },
    ];
    for (const change of refused) {
      const { status, text } = await label(id, change);
      expect([change, status, text.includes(Object.keys(change)[0]!)]).toEqual([change, 400, true]);
    }
    expect(await shown(id)).toEqual(full);
  });

  it('are found again however they were spelled in spaces and composed letters', async () => {
    const id = await paid();
    const words = fc.array(fc.constantFrom('Caf\u00e9', 'Ọ\u0300dun', '\u1eccd\u00fan', 'B2B'), {
      minLength: 1,
      maxLength: 4,
    });
    const spaces = fc.constantFrom(' ', '  ', '\u00a0');
    await fc.assert(
      fc.asyncProperty(words, spaces, spaces, async (parts, between, around) => {
        const given = (form: string) => `${around}${parts.join(between)}${around}`.normalize(form);
        await labelled(id, { category: given('NFD') });
        expect((await shown(id)).category).toBe(parts.join(' ').normalize('NFC'));
        for (const form of ['NFC', 'NFD'])
          expect(await list(`category=${encodeURIComponent(given(form))}`)).toContain(id);
      }),
      { numRuns: 15 },
    );
  });

  it('keep what each of two members wrote at once in different fields, and the last word in one', async () => {
    const id = await paid();
    await Promise.all([labelled(id, { memo: 'One' }), labelled(id, { category: 'Two' })]);
    expect(await shown(id)).toEqual({ memo: 'One', category: 'Two' });
    await Promise.all(Array.from({ length: 8 }, (_, n) => labelled(id, { memo: `Word ${n}` })));
    const lines = (await linesOf(id)).slice(2);
    const memos = lines.map(({ before, after }) => [(before as Labels).memo, (after as Labels).memo]);
    expect(memos.map(([before]) => before)).toEqual(['One', ...memos.slice(0, -1).map(([, after]) => after)]);
    expect((await shown(id)).memo).toBe(memos.at(-1)![1]);
  });

  it('are set by owners, approvers and accountants alone', async () => {
    const id = await paid();
    for (const [role, status] of [
      ['approver', 200],
      ['accountant', 200],
      ['developer', 403],
      ['viewer', 403],
    ] as const) {
      const member: TestUser = await newMember(service, mails, wallet.owner, role);
      expect([role, (await label(id, { memo: role }, member)).status]).toEqual([role, status]);
      expect((await service.get(addressOf(id), { token: member.token })).status).toBe(200);
    }
    expect(await shown(id)).toEqual({ memo: 'accountant' });
  });

  it('of another account, wallet or no payment at all are not found', async () => {
    const id = await paid();
    const theirs = await paid({}, others);
    const second = await service.createWallet(wallet.owner);
    const code = async (answer: ReturnType<typeof label>) => {
      const { status, text } = await answer;
      return [status, /"code":"(\w+)"/.exec(text)?.[1]];
    };
    expect(await code(label(id, { memo: 'x' }, others.owner))).toEqual([404, 'WALLET_NOT_FOUND']);
    for (const [unknown, walletId] of [
      [theirs, wallet.id],
      [id, second.id],
      ['x', wallet.id],
    ] as const)
      expect(await code(label(unknown, { memo: 'x' }, wallet.owner, walletId))).toEqual([
        404,
        'TRANSACTION_NOT_FOUND',
      ]);
    const rows = await service.query('SELECT FROM payment_labels WHERE transaction_id = ANY ($1::uuid[])', [
      [id, theirs],
    ]);
    expect(rows).toEqual([]);
  });

  it('are not shown to the agent that paid', async () => {
    const id = await paid();
    await labelled(id, { memo: 'Between us', category: 'Between us', costCentre: 'Between us' });
    const { status, text } = await service.get('/api/payment-intent', { key: wallet.key });
    expect([status, text.includes(id), text.includes('Between us')]).toEqual([200, true, false]);
    expect((await service.get(`/api/payment-intent/${id}`, { key: wallet.key })).text).not.toContain(
      'Between us',
    );
  });
});

describe('payments by what members wrote on them', () => {
  let three: CreatedWallet;
  let ids: string[];
  const ask = <Body>(path: string) => service.get<Body>(path, { token: three.owner.token });
  const found = async (query: string) => {
    const { body } = expectStatus(200, await ask<{ data: { id: string }[] }>(`/v1/transactions?${query}`));
    return body.data.map(({ id }) => id);
  };
  beforeAll(async () => {
    three = await service.fundedWallet(100_000, { spendLimitPerTx: 5_000 });
    ids = [];
    for (const [amount, labels] of [
      [100, { category: 'Travel', costCentre: 'Lagos', memo: '=1+1' }],
      [20, { category: 'Travel', costCentre: 'Abuja' }],
      [3, { category: 'Food', costCentre: 'Lagos' }],
      [4, {}],
    ] as const) {
      const id = await paid({ amount }, three);
      ids.push(id);
      expectStatus(200, await label(id, labels, three.owner, three.id));
    }
    const refused = await service.pay(three.key, { amount: 5_001 });
    ids.push(refused.body.transactionId);
    expectStatus(200, await label(refused.body.transactionId, { category: 'Food' }, three.owner, three.id));
    await service.settled();
  });

  it('are filtered by category and cost centre, with the other filters, page by page', async () => {
    const [first, second, third, , blocked] = ids as [string, string, string, string, string];
    expect(await found('category=Travel')).toEqual([second, first]);
    expect(await found('costCentre=Lagos')).toEqual([third, first]);
    expect(await found('category=Travel&costCentre=Lagos')).toEqual([first]);
    expect(await found('category=Food')).toEqual([blocked, third]);
    expect(await found('category=Food&status=blocked')).toEqual([blocked]);
    expect(await found('category=Food&minAmount=4')).toEqual([blocked]);
    expect(await found('category=food')).toEqual([]);
    expect(await found(`category=Travel&walletId=${three.id}`)).toEqual([second, first]);
    const { body } = await ask<{ data: { id: string }[]; nextCursor: string }>(
      '/v1/transactions?category=Travel&limit=1',
    );
    expect(body.data.map(({ id }) => id)).toEqual([second]);
    expect(await found(`category=Travel&limit=1&cursor=${body.nextCursor}`)).toEqual([first]);
    expect((await ask(`/v1/transactions?category=${'x'.repeat(61)}`)).status).toBe(400);
    const totals = async (query: string) =>
      (
        await ask<{ data: { status: string; count: number; amount: number }[] }>(
          `/v1/transactions/totals?${query}`,
        )
      ).body.data;
    expect(await totals('category=Travel')).toEqual([{ status: 'paid', count: 2, amount: 120 }]);
    expect(await totals('category=Travel&costCentre=Abuja')).toEqual([
      { status: 'paid', count: 1, amount: 20 },
    ]);
    expect(await totals('costCentre=Lagos')).toEqual([{ status: 'paid', count: 2, amount: 103 }]);
    expect((await ask('/v1/transactions?category=')).status).toBe(400);
  });

  it('are found by what they lack, alone and beside other filters', async () => {
    const [first, second, third, fourth, blocked] = ids as [string, string, string, string, string];
    expect(await found('without=category')).toEqual([fourth]);
    expect(await found('without=costCentre')).toEqual([blocked, fourth]);
    expect(await found('without=costCentre&status=paid')).toEqual([fourth]);
    expect(await found('without=costCentre&category=Food')).toEqual([blocked]);
    for (const member of ['run', 'purpose'])
      expect(await found(`without=${member}`)).toEqual([blocked, fourth, third, second, first]);
    expect(await found('without=key')).toEqual([]);
    const { body } = await ask<{ data: object[] }>('/v1/transactions/totals?without=costCentre');
    expect(body.data).toEqual(
      expect.arrayContaining([
        { status: 'paid', count: 1, amount: 4 },
        { status: 'blocked', count: 1, amount: 5_001 },
      ]),
    );
    expect(body.data).toHaveLength(2);
    expect((await ask('/v1/transactions?without=memo')).status).toBe(400);
  });

  it('show them in rows and in the CSV, where a formula is none', async () => {
    const { body } = await ask<{ data: Labels[] }>('/v1/transactions?category=Travel&costCentre=Lagos');
    expect(body.data[0]).toMatchObject({ memo: '=1+1', category: 'Travel', costCentre: 'Lagos' });
    for (const path of ['/v1/transactions.csv', `/api/wallets/${three.id}/transactions.csv`]) {
      const [names, ...lines] = (await ask(path)).text.split('\r\n');
      expect(names!.endsWith(',memo,category,cost_centre')).toBe(true);
      expect(lines.filter((line) => line.endsWith(",'=1+1,Travel,Lagos"))).toHaveLength(1);
      expect(lines.filter((line) => line.endsWith(',,Food,Lagos'))).toHaveLength(1);
    }
  });

  it('are totalled by category and cost centre, each total of the payments that its filter finds', async () => {
    const totals = async (by: string, query = '') => {
      const { body } = expectStatus(
        200,
        await ask<{
          data: { rows: { value: string | null; spent: number; payments: number; blocked: number }[] };
        }>(`/v1/spend?by=${by}${query}`),
      );
      return body.data.rows.map(({ value, spent, payments, blocked }) => [value, spent, payments, blocked]);
    };
    expect(await totals('category')).toEqual([
      ['Travel', 120, 2, 0],
      [null, 4, 1, 0],
      ['Food', 3, 1, 1],
    ]);
    expect(await totals('costCentre')).toEqual([
      ['Lagos', 103, 2, 0],
      ['Abuja', 20, 1, 0],
      [null, 4, 1, 1],
    ]);
    expect(await totals('costCentre', '&category=Travel')).toEqual([
      ['Lagos', 100, 1, 0],
      ['Abuja', 20, 1, 0],
    ]);
    expect(await totals('wallet', '&costCentre=Abuja')).toEqual([[three.id, 20, 1, 0]]);
    const csv = expectStatus(200, await ask('/v1/spend.csv?by=category')).text;
    expect(csv.split('\r\n')[1]).toBe('Travel,,2,1.20,120,0,0,0');
  });

  it('offers what was used before, of this account alone', async () => {
    const used = async ({ token }: TestUser) =>
      (await service.get<{ data: object }>('/v1/payment-labels', { token })).body.data;
    expect(await used(three.owner)).toEqual({
      categories: ['Food', 'Travel'],
      costCentres: ['Abuja', 'Lagos'],
    });
    expect(await used(others.owner)).toEqual({ categories: [], costCentres: [] });
  });
});

it('a search by category reads its payments alone, and totals read the labels of their period alone', async () => {
  const { id } = await service.createWallet();
  await service.query(
    `WITH made AS (
       INSERT INTO transactions (wallet_id, seq, id, amount, merchant, merchant_name, recipient_account_no,
         recipient_bank_code, blocked_total, facts, spent_total, created_at)
       SELECT $1, n, gen_random_uuid(), n, 'shop', 'Shop', '0123456789', '058', 0,
              '{"now": "2026-01-01T00:00:00.000Z"}', n, timestamptz '2026-01-01' + n * interval '1 hour'
         FROM generate_series(1, 3000) n RETURNING wallet_id, id, seq, created_at)
     INSERT INTO payment_labels (wallet_id, transaction_id, account_id, requested_at, category, changed_at)
     SELECT wallet_id, id, wallet_id, created_at, CASE WHEN seq % 300 = 0 THEN 'Rare' ELSE 'Usual' END, created_at
       FROM made`,
    [id],
  );
  await service.query('ANALYZE transactions, payment_labels');
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const { SearchStore } = await import('../../src/contexts/payments/transactions/search.store.js');
  const { SpendStore } = await import('../../src/contexts/payments/spend/spend.store.js');
  const { soughtByWords, startOf } =
    await import('../../src/contexts/payments/transactions/search.domain.js');
  const planOf = async (ask: (database: never) => Promise<unknown>): Promise<string> => {
    let statement: [string, unknown[]] | undefined;
    const query = (...asked: [string, unknown[]]) => {
      statement = asked;
      return Promise.resolve([]);
    };
    await ask({ reads: { query } } as never);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${statement![0]}`,
      statement![1],
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const filter = { ...soughtByWords('x'), text: null, phrase: null, amount: null, category: 'Rare' };
  const searched = await planOf((database) =>
    new SearchStore(database).scan('inCategory', [id], filter, startOf('infinity'), null, 11, []),
  );
  expect(searched).toMatch(/Scan.* (using|on) payment_labels_category[^\n]*rows=10/);
  expect(searched).not.toMatch(/Seq Scan/);
  const from = new Date('2026-02-01T00:00:00.500Z');
  const period = {
    from,
    to: new Date(from.getTime() + 24 * 3_600_000),
    keyId: null,
    merchant: null,
    runId: null,
  };
  const totalled = await planOf((database) =>
    new SpendStore(database).sums(
      [id],
      'category',
      { ...period, purpose: null, category: null, costCentre: null },
      10,
      'Africa/Lagos',
    ),
  );
  await client.end();
  expect(totalled).toMatch(/Scan.* (using|on) payment_labels_\w+[^\n]*rows=(1|24)\b/);
  expect(totalled).not.toMatch(/Seq Scan on (transactions|payment_labels)/);
});
