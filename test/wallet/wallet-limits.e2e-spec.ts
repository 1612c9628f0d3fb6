import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  startService,
  type TestService,
  type TestUser,
  type TestWallet,
  walletBody,
} from '../support/service.js';

let one: TestService;
let other: TestService;
beforeAll(async () => {
  one = await startService();
  other = await startService({ beside: one });
});
afterAll(async () => {
  await other.close();
  await one.close();
});

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
const create = (owner: TestUser, fields: Record<string, unknown> = {}, service = one) =>
  service.post<{ error: { code: string } }>('/api/wallets', {
    token: owner.token,
    body: walletBody(owner.id, fields),
  });
const outcome = async (...args: Parameters<typeof create>): Promise<string> => {
  const { status, body } = await create(...args);
  return status === 201 ? 'created' : `${status} ${body.error.code}`;
};
const listOf = ({ id, token }: TestUser) =>
  one.get<TestWallet[]>(`/api/wallets/user/${id}`, { token, headers: { accept: '*/*' } });

/** Gives a user `count` wallets like those that the service makes, each with `entries` of 200 characters. */
async function seed(owner: TestUser, count: number, entries = 0): Promise<void> {
  await one.query(
    `WITH made AS (
       INSERT INTO wallets (id, user_id, name, spend_limit_per_tx, spend_limit_period, period_window_days, expiry,
         use_allowlist, merchant_allowlist, allowed_merchants, created_at, updated_at)
       SELECT gen_random_uuid(), $1, 'W' || n, 1, 1, 30, '2099-01-01', $3::integer > 0, list, list, at, at
         FROM generate_series(1, $2::integer) n
        CROSS JOIN LATERAL (SELECT date_trunc('milliseconds', now()) - n % 7 * interval '1 ms' AS at) t
        CROSS JOIN LATERAL (SELECT coalesce(array_agg(rpad('m' || i, 200, 'x') ORDER BY i), '{}') AS list
                              FROM generate_series(1, $3::integer) i) l
       RETURNING id, created_at
     )
     INSERT INTO virtual_accounts (id, wallet_id, account_number, account_name, bank_name, bank_code, provider_ref,
       created_at)
     SELECT gen_random_uuid(), id, lpad((1e9 + next.value)::bigint::text, 10, '0'), 'A', 'B', '999', 'r', created_at
       FROM made CROSS JOIN LATERAL (SELECT nextval('seeded_accounts') AS value WHERE made.id IS NOT NULL) next`,
    [owner.id, count, entries],
  );
}
beforeAll(() => one.query('CREATE SEQUENCE seeded_accounts'));

describe('the wallets of one user', () => {
  it('are 1,000 at most, also when many are asked for at once through two replicas', async () => {
    const owner = await one.signUp();
    await seed(owner, 997);
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => outcome(owner, {}, either(i))));
    expect(outcomes.sort()).toEqual([
      ...Array<string>(17).fill('409 WALLET_LIMIT_REACHED'),
      ...Array<string>(3).fill('created'),
    ]);
    expect((await listOf(owner)).body).toHaveLength(1_000);
    expect(await outcome(await one.signUp())).toBe('created');
  });

  it('have 20,000 allowlist entries in all at most, also when they are asked for at once', async () => {
    const owner = await one.signUp();
    await seed(owner, 20, 999);
    const twelve = { useAllowlist: true, merchantAllowlist: Array.from({ length: 12 }, (_, i) => `m${i}`) };
    expect(await outcome(owner, { ...twelve, merchantAllowlist: ['a', 'b', 'c'] })).toBe('created');
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, i) => outcome(owner, twelve, either(i))),
    );
    expect(outcomes.sort()).toEqual([...Array<string>(5).fill('409 WALLET_LIMIT_REACHED'), 'created']);
    expect(await outcome(owner, { ...twelve, merchantAllowlist: Array.from('abcde') })).toBe('created');
    expect(await outcome(owner, { ...twelve, merchantAllowlist: ['a'] })).toBe('409 WALLET_LIMIT_REACHED');
    expect(await outcome(owner)).toBe('created');
  });

  it('have 20,000 allowlist entries in all at most, also when many are changed at once', async () => {
    const owner = await one.signUp();
    await seed(owner, 19, 1_000);
    await seed(owner, 20);
    const empty = (await listOf(owner)).body.filter(
      ({ merchantAllowlist }) => merchantAllowlist.length === 0,
    );
    const merchantAllowlist = Array.from({ length: 300 }, (_, i) => `m${i}`);
    const answers = await Promise.all(
      empty.map(({ id }, i) =>
        either(i).call('PATCH', `/api/wallets/${id}`, {
          token: owner.token,
          body: { useAllowlist: true, merchantAllowlist },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      200,
      200,
      ...Array<number>(17).fill(409),
    ]);
  });

  it('are refused for their fields and rules before their number', async () => {
    const owner = await one.signUp();
    await seed(owner, 1_000);
    expect(await outcome(owner, { name: '' })).toBe('400 VALIDATION_ERROR');
    expect(await outcome(owner, { expiry: '2001-01-01T00:00:00Z' })).toBe('400 EXPIRY_IN_PAST');
    expect(await outcome(owner)).toBe('409 WALLET_LIMIT_REACHED');
  });
});

describe('the list of a user with as many allowlist entries as can be', () => {
  it('is a bare array with all of them, newest first, each once', async () => {
    const owner = await one.signUp();
    await seed(owner, 45, 400);
    const { status, headers, body } = await listOf(owner);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.map(({ merchantAllowlist }) => merchantAllowlist.length)).toEqual(Array(45).fill(400));
    expect(new Set(body.map(({ id }) => id)).size).toBe(45);
    const order = body.map(({ createdAt, id }) => `${createdAt} ${id}`);
    expect(order).toEqual([...order].sort().reverse());
  });
});

describe('the statistics of wallets', () => {
  it('read no allowlists', async () => {
    const wallet = await one.fundedWallet(5_000, { useAllowlist: true, merchantAllowlist: ['Acme Stores'] });
    const { token } = wallet.owner;
    await one.query('ALTER TABLE wallets RENAME COLUMN merchant_allowlist TO out_of_reach');
    try {
      expect((await one.stats(wallet)).balance).toBe(5_000);
      expect((await one.get('/v1/stats', { token })).status).toBe(200);
      expect((await one.history(wallet)).pagination.totalCount).toBe(0);
      expect((await one.ledger(wallet)).pagination.totalCount).toBe(1);
      expect((await one.get(`/api/wallets/${wallet.id}`, { token })).status).toBe(500);
    } finally {
      await one.query('ALTER TABLE wallets RENAME COLUMN out_of_reach TO merchant_allowlist');
    }
  });
});
