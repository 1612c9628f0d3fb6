import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';

interface Warning {
  readonly keyId: string | null;
  readonly budget: string;
  readonly percent: number;
  readonly limit: number;
  readonly spent: number;
}

let service: TestService;
let other: TestService;
beforeAll(async () => {
  service = await startService({ clock: true });
  other = await startService({ beside: service });
});
afterAll(async () => {
  await service.settled();
  expect(await brokenInvariants(service)).toEqual({});
  await other.close();
  await service.close();
});

/** A wallet that a webhook endpoint hears of; nothing listens there. */
async function walletOf(fields: Record<string, unknown> = {}): Promise<CreatedWallet> {
  const wallet = await service.fundedWallet(1_000_000, {
    spendLimitPerTx: 10_000,
    spendLimitPeriod: 10_000,
    ...fields,
  });
  const body = { url: 'http://127.0.0.1:1999/', events: ['wallet.limit_warning'] };
  expectStatus(201, await service.post('/v1/webhook-endpoints', { token: wallet.owner.token, body }));
  return wallet;
}

async function warnings({ id }: CreatedWallet): Promise<Warning[]> {
  const rows = await service.query<{ body: string }>(
    `SELECT body FROM webhook_deliveries WHERE wallet_id = $1 ORDER BY id`,
    [id],
  );
  return rows.map(({ body }) => {
    const { event, data } = JSON.parse(body) as { event: string; data: Warning };
    expect(event).toBe('wallet.limit_warning');
    const { keyId, budget, percent, limit, spent } = data;
    return { keyId, budget, percent, limit, spent };
  });
}

const pay = async ({ key }: { key: string }, amount: number, fields: object = {}): Promise<void> => {
  expectStatus(201, await service.pay(key, { amount, ...fields }));
};

const ofWallet = { keyId: null, budget: 'period', limit: 10_000 };

describe('a limit for a period', () => {
  it('is not warned of one kobo below 80 %, but at it, once, and again at all of it', async () => {
    const wallet = await walletOf();
    await pay(wallet, 7_999);
    expect(await warnings(wallet)).toEqual([]);
    await pay(wallet, 1);
    expect(await warnings(wallet)).toEqual([{ ...ofWallet, percent: 80, spent: 8_000 }]);
    await pay(wallet, 1_999);
    expect(await warnings(wallet)).toHaveLength(1);
    await pay(wallet, 1);
    expect((await warnings(wallet)).slice(1)).toEqual([{ ...ofWallet, percent: 100, spent: 10_000 }]);
    const { token } = wallet.owner;
    await until(async () => {
      const { body } = await service.get<{ data: { title: string }[] }>('/v1/notifications', { token });
      return ['100', '80'].every((share) =>
        body.data.some(({ title }) => title === `Research agent has used ${share} % of its limit`),
      );
    });
  });

  it('is warned of at 100 % alone by one payment that takes all', async () => {
    const wallet = await walletOf();
    await pay(wallet, 10_000);
    expect(await warnings(wallet)).toEqual([{ ...ofWallet, percent: 100, spent: 10_000 }]);
  });

  it('is warned of once in its window though a refund lets it be reached again, and again after a change', async () => {
    const wallet = await walletOf();
    await pay(wallet, 7_000);
    await pay(wallet, 1_500, { recipientAccountNo: '9000000001' });
    await service.settled();
    await until(async () => (await service.ledger(wallet)).data.length === 4);
    await pay(wallet, 1_200);
    expect(await warnings(wallet)).toHaveLength(1);
    const body = { spendLimitPeriod: 12_000 };
    expectStatus(
      200,
      await service.call('PATCH', `/api/wallets/${wallet.id}`, { token: wallet.owner.token, body }),
    );
    await pay(wallet, 1_400);
    expect((await warnings(wallet)).slice(1)).toEqual([
      { ...ofWallet, limit: 12_000, percent: 80, spent: 9_600 },
    ]);
  });

  it('is warned of again in the next window', async () => {
    const wallet = await walletOf({ periodWindowDays: 1 });
    const start = Date.now();
    await service.setClock(new Date(start));
    try {
      await pay(wallet, 8_000);
      await service.setClock(new Date(start + 25 * 3_600_000));
      await pay(wallet, 8_500);
    } finally {
      await service.setClock(null);
    }
    expect((await warnings(wallet)).map(({ spent }) => spent)).toEqual([8_000, 8_500]);
  });

  it('is warned of once by payments of two replicas at the same moment', async () => {
    const wallet = await walletOf();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        (i % 2 === 0 ? service : other).pay(wallet.key, {
          amount: 500,
          merchantName: `Shop ${i}`,
          recipientAccountNo: String(1_000_000_000 + i),
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const all = await warnings(wallet);
    expect(all.filter(({ percent }) => percent === 100)).toHaveLength(1);
    expect(all.filter(({ percent }) => percent === 80).length).toBeLessThanOrEqual(1);
  });
});

describe('the limits of a key', () => {
  it('are warned of by the key: its period and its total', async () => {
    const wallet = await walletOf({ spendLimitPeriod: 1_000_000 });
    const limits = { spendLimitPeriod: 5_000, periodWindowDays: 7, totalCap: 6_000 };
    const { body } = expectStatus(
      201,
      await service.post<{ data: { key: { id: string }; fullKey: string } }>(
        `/api/wallets/${wallet.id}/keys`,
        {
          token: wallet.owner.token,
          body: { name: 'Night job', limits },
        },
      ),
    );
    const keyId = (
      await service.query<{ id: string }>(
        'SELECT id FROM api_keys WHERE wallet_id = $1 AND limits IS NOT NULL',
        [wallet.id],
      )
    )[0]!.id;
    const { fullKey: key } = (body.data as unknown as { apiKey?: { fullKey: string } }).apiKey ?? body.data;
    await pay({ key }, 3_999);
    expect(await warnings(wallet)).toEqual([]);
    await pay({ key }, 801);
    expect(await warnings(wallet)).toEqual([
      { keyId, budget: 'period', percent: 80, limit: 5_000, spent: 4_800 },
      { keyId, budget: 'total', percent: 80, limit: 6_000, spent: 4_800 },
    ]);
    await pay({ key }, 200);
    expect((await warnings(wallet)).slice(2)).toEqual([
      { keyId, budget: 'period', percent: 100, limit: 5_000, spent: 5_000 },
    ]);
  });
});
