import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { brokenInvariants } from '../support/invariants.js';
import {
  type Answer,
  expectStatus,
  paymentBody,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';

/** Below 20 no replica admits anything by itself, so that the limit is exact. */
const LIMIT = 10;
const LIMITS = {
  USER_REQUESTS_PER_SECOND_MAX: String(LIMIT),
  KEY_REQUESTS_PER_SECOND_MAX: String(LIMIT),
  KEY_PAYMENTS_PER_SECOND_MAX: String(LIMIT),
};
/** The beginning of a second, at which the database's clock stands still. */
const SECOND = Date.parse('2030-01-01T00:00:00Z');

const warnings: string[] = [];
let service: TestService;
let replica: TestService;

beforeAll(async () => {
  const ignored = () => undefined;
  const logger = { log: ignored, error: ignored, warn: (line: unknown) => warnings.push(String(line)) };
  service = await startService({ clock: true, env: LIMITS, logger });
  replica = await startService({ beside: service, clock: true, env: LIMITS, logger });
  await service.setClock(new Date(SECOND));
});
afterAll(async () => {
  await replica.close();
  await service.close();
});

const whoAmI = ({ token }: TestUser, at = service) => at.get('/v1/auth/session', { token });
const ownWallet = (key: string, at = service) => at.get('/api/wallet', { key });

async function statuses(requests: readonly Promise<Answer<unknown>>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(requests)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe.each([1, 2])('the requests of a user in one second on %i replicas', (replicas) => {
  const on = (i: number) => (i % replicas === 0 ? service : replica);

  it.each([
    [LIMIT - 1, { 200: LIMIT - 1 }],
    [LIMIT, { 200: LIMIT }],
    [LIMIT + 1, { 200: LIMIT, 429: 1 }],
    [3 * LIMIT, { 200: LIMIT, 429: 2 * LIMIT }],
  ])('of %i at once are answered %o', async (count, expected) => {
    const user = await service.signUp();
    expect(await statuses(times(count, (i) => whoAmI(user, on(i))))).toEqual(expected);
  });
});

it('are admitted again in the next second', async () => {
  const user = await service.signUp();
  await statuses(times(LIMIT, () => whoAmI(user)));
  expectStatus(429, await whoAmI(user, replica));
  await service.setClock(new Date(SECOND + 1_000));
  try {
    // A replica believes in a second for as long as it lasts.
    await until(async () => (await whoAmI(user)).status === 200);
    await until(async () => (await whoAmI(user, replica)).status === 200);
  } finally {
    await service.setClock(new Date(SECOND));
  }
});

it('are counted from the beginning where the clock of the database is set back', async () => {
  const user = await service.signUp();
  await statuses(times(LIMIT, () => whoAmI(user)));
  await service.setClock(new Date(SECOND - 3_600_000));
  try {
    expectStatus(200, await whoAmI(user, replica));
  } finally {
    await service.setClock(new Date(SECOND));
  }
});

it('say in each answer how many are left, and in a refusal when to come back', async () => {
  const user = await service.signUp();
  const first = expectStatus(200, await whoAmI(user));
  expect(first.headers).toMatchObject({
    'ratelimit-policy': `"user";q=${LIMIT};w=1`,
    ratelimit: `"user";r=${LIMIT - 1};t=1`,
  });
  const answers = await Promise.all(times(LIMIT, () => whoAmI(user)));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"user";r=0;t=1' });
  expect(refused?.body).toEqual({
    status: 'error',
    code: 'RATE_LIMITED',
    message: `At most ${LIMIT} requests a second. Try again in 1 s.`,
  });
});

describe('the limits of', () => {
  it('two users, and of two keys of one wallet, have nothing to do with each other', async () => {
    const wallet = await service.fundedWallet(100_000);
    await statuses(times(LIMIT, () => ownWallet(wallet.key)));
    expectStatus(429, await ownWallet(wallet.key));
    const made = await service.post<{ data: { apiKey: { fullKey: string } } }>(
      `/api/wallets/${wallet.id}/keys`,
      {
        token: wallet.owner.token,
        body: { name: 'Another' },
      },
    );
    expectStatus(200, await ownWallet(expectStatus(201, made).body.data.apiKey.fullKey));
    expectStatus(200, await whoAmI(await service.signUp()));
  });

  it('a key hold over MCP, too', async () => {
    const { key } = await service.fundedWallet(100_000);
    const ask = () =>
      service.post('/mcp', {
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json, text/event-stream',
          host: '127.0.0.1',
        },
        body: { jsonrpc: '2.0', id: 1, method: 'ping' },
      });
    const { 429: refused } = await statuses([
      ...times(LIMIT, ask),
      ...times(LIMIT, () => ownWallet(key, replica)),
    ]);
    expect(refused).toBe(LIMIT);
  });

  it('its payments are apart from its other requests, and a refused payment has not happened', async () => {
    const wallet = await service.fundedWallet(100_000);
    const paid = await statuses(
      times(3 * LIMIT, (i) => (i % 2 ? service : replica).pay(wallet.key, { amount: 1_000 })),
    );
    expect(paid).toEqual({ 201: LIMIT, 429: 2 * LIMIT });
    expectStatus(200, await ownWallet(wallet.key));
    expect(await service.query('SELECT FROM transactions WHERE wallet_id = $1', [wallet.id])).toHaveLength(
      LIMIT,
    );
    const refused = expectStatus(429, await service.pay(wallet.key));
    expect(refused.body).toMatchObject({ success: false, code: 'RATE_LIMITED' });
  });
});

it('requests are refused within their time where the count is locked, and none is carried out', async () => {
  const wallet = await service.fundedWallet(100_000);
  const idempotency = { 'idempotency-key': randomUUID() };
  const locks = new pg.Client({ connectionString: service.databaseUrl });
  await locks.connect();
  await locks.query('BEGIN; LOCK TABLE request_windows');
  try {
    warnings.length = 0;
    const asked = times(5, () => service.pay(wallet.key, { amount: 1_000 }, idempotency));
    const answers: Answer<unknown>[] = await Promise.all([...asked, ownWallet(wallet.key)]);
    for (const answer of answers) {
      expectStatus(503, answer);
      expect(answer.headers['retry-after']).toBe('1');
      expect(JSON.stringify(answer.body)).toContain('DATABASE_UNAVAILABLE');
    }
    expectStatus(503, await whoAmI(wallet.owner));
    expect(warnings.filter((line) => line.includes('requests are refused'))).toHaveLength(1);
  } finally {
    await locks.query('ROLLBACK');
    await locks.end();
  }
  await until(async () => (await service.pay(wallet.key, { amount: 1_000 }, idempotency)).status === 201);
  expect(await service.query('SELECT FROM transactions WHERE wallet_id = $1', [wallet.id])).toHaveLength(1);
  expect(await brokenInvariants(service)).toEqual({});
});

describe('by default', () => {
  it('payments have no limit, and who asks little costs the database nothing', async () => {
    const usual = await startService();
    try {
      const wallet = await usual.fundedWallet(10_000_000, { spendLimitPeriod: 10_000_000 });
      expect(await statuses(times(50, () => usual.pay(wallet.key, paymentBody())))).toEqual({ 201: 50 });
      const answer = expectStatus(200, await whoAmI(wallet.owner, usual));
      expect(answer.headers['ratelimit-policy']).toBe('"user";q=1000;w=1');
      expect((await usual.pay(wallet.key)).headers).not.toHaveProperty('ratelimit');
      expect(await usual.query('SELECT FROM request_windows')).toEqual([]);
    } finally {
      await usual.close();
    }
  });
});
