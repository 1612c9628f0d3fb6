import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import pg from 'pg';
import { createService } from '../../src/bootstrap.js';
import { readConfig } from '../../src/platform/config.js';
import { PostgresServer } from '../support/postgres-server.js';
import { type CreatedWallet, TestService, until } from '../support/service.js';
import { JWT_SECRET } from '../support/service-database.js';

/** A primary that comes back from a failover as a standby, at the address that the service was given. */

let server: PostgresServer;
let databaseUrl: string;
const warn = jest.fn<(line: string, context: string) => void>();
const silent = () => undefined;
const logger: LoggerService = { log: silent, error: silent, debug: silent, warn };
const services: TestService[] = [];

async function start(): Promise<TestService> {
  const app = await createService({
    config: readConfig({ NODE_ENV: 'test' }),
    databaseUrl,
    jwtSecret: JWT_SECRET,
    logger,
    singleInstance: false,
  });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 }).on('error', silent);
  const service = new TestService(app, databaseUrl, pool, () => Promise.resolve());
  services.push(service);
  return service;
}

let service: TestService;
let wallet: CreatedWallet;
beforeAll(async () => {
  server = await PostgresServer.start();
  databaseUrl = await server.createDatabase('wallet');
  service = await start();
  wallet = await service.fundedWallet(100_000);
});
afterAll(async () => {
  for (const each of services) await each.close();
  await server.remove();
});

const ready = (of: TestService) => of.get<{ error?: { code: string; message: string } }>('/health/ready');
const isReady = async (of: TestService) => (await ready(of)).status === 200;
const READ_ONLY = {
  code: 'DATABASE_UNAVAILABLE',
  message: 'The database takes no changes: it is read-only.',
};
const warnings = (): string[] =>
  warn.mock.calls.map(([line]) => line).filter((line) => /takes no changes/.test(line));

it('a start on a primary says nothing of changes', () => {
  expect(warnings()).toEqual([]);
});

it('on a standby no payment is approved, reads are answered, and ready says that it takes no changes', async () => {
  await server.demote();
  await until(async () => (await ready(service)).body.error?.message === READ_ONLY.message);
  expect((await ready(service)).body.error).toEqual(READ_ONLY);
  const paid = await service.pay(wallet.key, { amount: 1 });
  expect([paid.status, paid.body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
  expect((await service.stats(wallet)).balance).toBe(100_000);
});

it('a start on a standby with this schema says in one line that it takes no changes, and answers reads', async () => {
  const late = await start();
  expect(warnings()).toEqual([
    expect.stringMatching(
      /^DATABASE_URL: the database at 127\.0\.0\.1:\d+\/wallet takes no changes: it is read-only\. Payments are refused and \/health\/ready is 503 until it does; if it is a standby, name the address of the primary\.$/,
    ),
  ]);
  expect((await ready(late)).body.error).toEqual(READ_ONLY);
  expect((await late.stats(wallet)).balance).toBe(100_000);
});

it('both pay again by themselves once it is the primary', async () => {
  await server.promote();
  for (const each of services) {
    await until(() => isReady(each));
    expect((await each.pay(wallet.key, { amount: 1 })).status).toBe(201);
  }
});
