import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brokenInvariants } from '../support/invariants.js';
import { startService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await service.close();
  expect(broken).toEqual({});
});

describe('what a wallet has paid', () => {
  it('may come to more than 2^63 kobo in all: payments go on', async () => {
    const wallet = await service.fundedWallet(5_000);
    await service.pay(wallet.key, { amount: 100 });
    await service.settled();
    const nearly = 2n ** 63n - 150n;
    await service.query('UPDATE wallets SET spent_total = $2 WHERE id = $1', [wallet.id, String(nearly)]);
    // Long ago, so that the window begins after it.
    await service.query(
      `UPDATE transactions SET spent_total = $2, created_at = created_at - interval '40 days' WHERE wallet_id = $1`,
      [wallet.id, String(nearly)],
    );
    const answers = [];
    for (const amount of [100, 100, 5_000]) answers.push((await service.pay(wallet.key, { amount })).status);
    expect(answers).toEqual([201, 201, 402]);
    // Also where the window has to be read again.
    await service.query('UPDATE wallets SET window_days = NULL WHERE id = $1', [wallet.id]);
    expect((await service.pay(wallet.key, { amount: 50 })).status).toBe(201);
    const totals = await service.query<{ spent_total: string }>(
      'SELECT spent_total::text FROM transactions WHERE wallet_id = $1 ORDER BY seq',
      [wallet.id],
    );
    expect(totals.map(({ spent_total }) => BigInt(spent_total) - nearly)).toEqual([
      0n,
      100n,
      200n,
      200n,
      250n,
    ]);
    expect((await service.stats(wallet)).balance).toBe(4_650);
    expect(
      (await service.get(`/v1/wallets/${wallet.id}/spend-by-day`, { token: wallet.owner.token })).status,
    ).toBe(200);
    await service.query('UPDATE wallets SET spent_total = 350 WHERE id = $1', [wallet.id]);
    await service.query(
      `UPDATE transactions t SET spent_total = (SELECT sum(p.amount) FROM transactions p
         WHERE p.wallet_id = t.wallet_id AND p.seq <= t.seq AND p.block_reason IS NULL) WHERE wallet_id = $1`,
      [wallet.id],
    );
  });

  const SPELLINGS = ['Café  Noir', 'CAFÉ NOIR', 'café noir', 'Café Noir'];
  it.each([
    ['one after the other', SPELLINGS],
    ['with another merchant in between', SPELLINGS.flatMap((spelling) => [spelling, 'Between'])],
  ])(
    'is remembered under the first spelling of a merchant, also of those decided together, %s',
    async (_, names) => {
      const wallet = await service.fundedWallet(50_000);
      // The first is under way alone while the others gather, to be decided as one.
      await Promise.all(
        ['Elsewhere', ...names].map((merchantName) => service.pay(wallet.key, { merchantName })),
      );
      const [first] = await service.query<{ merchant_name: string }>(
        `SELECT merchant_name FROM transactions WHERE wallet_id = $1 AND merchant = 'café noir' ORDER BY seq LIMIT 1`,
        [wallet.id],
      );
      const kept = await service.query<{ name: string }>(
        `SELECT name FROM wallet_merchants WHERE wallet_id = $1 AND merchant = 'café noir'`,
        [wallet.id],
      );
      expect(kept).toEqual([{ name: first!.merchant_name }]);
    },
  );

  it('names a merchant that several wallets paid in each of them, also when they are decided together', async () => {
    const wallets = await Promise.all([1, 2, 3, 4].map(() => service.fundedWallet(50_000)));
    const [first, ...others] = wallets;
    // The first is under way alone while the others gather, to be decided as one.
    await Promise.all([
      service.pay(first!.key, { merchantName: 'Elsewhere' }),
      ...others.map(({ key }) => service.pay(key, { merchantName: 'Café Noir' })),
    ]);
    const kept = await service.query<{ wallet_id: string }>(
      `SELECT wallet_id FROM wallet_merchants WHERE wallet_id = ANY ($1) AND merchant = 'café noir'`,
      [wallets.map(({ id }) => id)],
    );
    expect(kept.map(({ wallet_id }) => wallet_id).sort()).toEqual(others.map(({ id }) => id).sort());
  });
});
