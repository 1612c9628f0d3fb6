import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type CreatedWallet,
  type LedgerRow,
  type PageOf,
  startService,
  type TestService,
} from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Gives a wallet `count` entries whose times rise with `seq`, many of them in the same millisecond. */
async function fill({ id }: CreatedWallet, count: number, steps: readonly number[]): Promise<void> {
  await service.query(
    `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, reference, created_at)
     SELECT $1, n, gen_random_uuid(), 'topup', 1, n, gen_random_uuid(),
            timestamptz '2026-01-01' + sum(($3::float8[])[1 + n % cardinality($3::float8[])]) OVER (ORDER BY n)
              * interval '1 millisecond'
       FROM generate_series(1, $2::integer) n`,
    [id, count, steps],
  );
}

it('pages over several wallets hold every entry once, newest first, however deep', async () => {
  const first = await service.createWallet();
  const wallets = [first];
  while (wallets.length < 4) wallets.push(await service.createWallet(first.owner));
  await fill(wallets[0]!, 900, [0, 0, 1, 0, 0.25]);
  await fill(wallets[1]!, 700, [0, 40]);
  await fill(wallets[2]!, 1, [5]);
  const expected = await service.query<{ id: string }>(
    `SELECT id FROM ledger_entries ORDER BY created_at DESC, wallet_id DESC, seq DESC`,
  );
  const size = 100;
  const shown: string[] = [];
  for (let page = 1; page <= 17; page += 1) {
    const { body } = await service.get<PageOf<LedgerRow>>(`/api/ledger?page=${page}&pageSize=${size}`, {
      token: first.owner.token,
    });
    expect(body.pagination).toEqual({ page, pageSize: size, totalCount: 1_601, totalPages: 17 });
    shown.push(...body.data.map(({ id }) => id));
  }
  expect(shown).toEqual(expected.map(({ id }) => id));
  const { body } = await service.get<PageOf<LedgerRow>>('/api/ledger?page=18&pageSize=100', {
    token: first.owner.token,
  });
  expect(body).toMatchObject({ data: [], pagination: { page: 18, totalCount: 1_601, totalPages: 17 } });
});

it('pages whose entries were all made in one moment hold every entry once', async () => {
  const wallet = await service.createWallet();
  const other = await service.createWallet(wallet.owner);
  for (const each of [wallet, other]) await fill(each, 600, [0]);
  const ids = new Set<string>();
  for (let page = 1; page <= 12; page += 1) {
    const { body } = await service.get<PageOf<LedgerRow>>(`/api/ledger?page=${page}&pageSize=100`, {
      token: wallet.owner.token,
    });
    for (const { id } of body.data) ids.add(id);
  }
  expect(ids.size).toBe(1_200);
});
