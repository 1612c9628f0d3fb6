import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { brokenInvariants } from '../support/invariants.js';
import { type Answer, startService, type TestService, until } from '../support/service.js';

const PAYMENTS = 20;

let service: TestService;
let name: string;

beforeAll(async () => {
  service = await startService();
  name = new URL(service.databaseUrl).pathname.slice(1);
});
afterAll(() => service.close());

const allow = (connections: number) =>
  service.query(`ALTER DATABASE ${name} CONNECTION LIMIT ${connections}`);
/** All but this test's own. */
const endConnections = () =>
  service.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND usename <> current_user`,
  );

it('payments are refused with the time to come back while PostgreSQL has no connection left, and made once after it', async () => {
  const wallet = await service.fundedWallet(10_000_000, { spendLimitPeriod: 10_000_000 });
  const keys = Array.from({ length: PAYMENTS }, () => randomUUID());
  const payAll = (): Promise<Answer<unknown>[]> =>
    Promise.all(keys.map((key) => service.pay(wallet.key, { amount: 1_000 }, { 'idempotency-key': key })));
  await allow(0);
  try {
    const underWay = payAll();
    await endConnections();
    for (const { status } of await underWay) expect([201, 503]).toContain(status);
    for (const { status, headers } of await payAll()) {
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('1');
    }
    expect((await service.get('/health/ready')).status).toBe(503);
    expect((await service.get('/health/live')).status).toBe(200);
  } finally {
    await allow(-1);
  }
  await until(async () => (await service.get('/health/ready')).status === 200);
  expect((await payAll()).map(({ status }) => status)).toEqual(keys.map(() => 201));
  expect(await service.stats(wallet)).toMatchObject({ balance: 10_000_000 - PAYMENTS * 1_000 });
  await service.settled();
  expect(await brokenInvariants(service)).toEqual({});
});
