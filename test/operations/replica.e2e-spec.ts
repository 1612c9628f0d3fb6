import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import pg from 'pg';
import { createService } from '../../src/bootstrap.js';
import { readConfig } from '../../src/platform/config.js';
import { Database } from '../../src/platform/database/database.js';
import { PostgresServer } from '../support/postgres-server.js';
import { type CreatedWallet, TestService, until } from '../support/service.js';
import { asService, JWT_SECRET } from '../support/service-database.js';

/** Downloads from a streaming replica, whose replay is paused, which is killed, and which is not one. */

let primary: PostgresServer;
let replica: PostgresServer;
let service: TestService;
let wallet: CreatedWallet;
const lines = jest.fn<(line: string) => void>();
const silent = () => undefined;
const logger: LoggerService = {
  error: silent,
  debug: silent,
  log: (line: unknown) => lines(String(line)),
  warn: (line: unknown) => lines(String(line)),
};
/** What the lines say of the replica, since `clear`. */
const said = (): string[] =>
  lines.mock.calls.flatMap(([line]) => (line.startsWith('DATABASE_REPLICA_URL') ? line : []));
const isReadLine = (line: string | undefined): boolean => line?.endsWith(' is read by downloads') === true;
/** A busy machine may add changes; none is said twice. */
function expectChanges(): void {
  const states = said().map(isReadLine);
  expect(states).toEqual(states.map((_, i) => (i % 2 === 0) === states[0]));
}

async function start(replicaUrl: string): Promise<TestService> {
  const databaseUrl = primary.url('wallet');
  const app = await createService({
    config: readConfig({
      NODE_ENV: 'test',
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_MAX: '8',
      DATABASE_REPLICA_URL: replicaUrl,
      DATABASE_REPLICA_MAX_LAG_SECONDS: '2',
      INVARIANT_CHECK_SECONDS: '0',
    }),
    databaseUrl: asService(databaseUrl),
    ownerUrl: databaseUrl,
    jwtSecret: JWT_SECRET,
    logger,
    singleInstance: true,
  });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 }).on('error', silent);
  return new TestService(app, databaseUrl, pool, () => Promise.resolve());
}

beforeAll(async () => {
  primary = await PostgresServer.start();
  await primary.createDatabase('wallet');
  replica = await primary.replica();
  service = await start(asService(replica.url('wallet')));
  wallet = await service.fundedWallet(100_000);
});
afterAll(async () => {
  await service.close();
  await replica.remove();
  await primary.remove();
});

const PATHS = (id: string) => [
  `/api/wallets/${id}/transactions.csv`,
  `/api/wallets/${id}/ledgers.csv`,
  '/v1/transactions.csv',
];
const downloads = () =>
  Promise.all(PATHS(wallet.id).map((path) => service.get(path, { token: wallet.owner.token })));
const lagsOf = (answers: readonly { headers: Record<string, unknown> }[]) =>
  answers.map(({ headers }) => headers['x-read-lag-ms']);
const isRead = async (): Promise<boolean> =>
  (await downloads()).every(({ headers }) => 'x-read-lag-ms' in headers);
const NONE = [undefined, undefined, undefined];
const pay = async (amount: number) => expect((await service.pay(wallet.key, { amount })).status).toBe(201);
const pause = () => replica.run('SELECT pg_wal_replay_pause()');

it('downloads come from the replica, say how old they may be, and one line says so', async () => {
  await pay(11);
  await service.settled();
  await until(isRead);
  expect(said().at(-1)).toMatch(
    /^DATABASE_REPLICA_URL: the replica at 127\.0\.0\.1:\d+\/wallet is read by downloads$/,
  );
  expectChanges();
  for (const lag of lagsOf(await downloads())) {
    expect(String(lag)).toMatch(/^\d+$/);
    expect(Number(lag)).toBeLessThanOrEqual(2_001);
  }
});

it('they are the same as from the primary', async () => {
  await until(isRead);
  const copied = await downloads();
  const database = service.app.get(Database, { strict: false });
  const { replica: used } = database;
  Object.assign(database.reads, { replica: undefined });
  const own = await downloads();
  Object.assign(database.reads, { replica: used });
  expect(lagsOf(own)).toEqual(NONE);
  expect(own.map(({ text }) => text)).toEqual(copied.map(({ text }) => text));
  expect(own[0]?.text.split('\r\n')).toHaveLength(3);
});

it('no list, balance or decision comes from it: each shows what was just paid while it stands still', async () => {
  await until(isRead);
  await pause();
  await pay(12);
  const lists = await service.get<unknown>(`/api/wallets/${wallet.id}/transactions`, {
    token: wallet.owner.token,
  });
  expect(lists.headers).not.toHaveProperty('x-read-lag-ms');
  expect((await service.history(wallet)).data[0]?.amount).toBe(12);
  expect((await service.ledger(wallet)).data[0]?.amount).toBe(12);
  expect((await service.stats(wallet)).balance).toBe(100_000 - 23);
  await replica.run('SELECT pg_wal_replay_resume()');
});

it('past the allowed lag downloads come from the primary, one line says so, and they go back by themselves', async () => {
  await until(isRead);
  await pause();
  await pay(13);
  await until(async () => !(await isRead()));
  const answers = await downloads();
  expect(lagsOf(answers)).toEqual(NONE);
  for (const { text } of answers) expect(text).toContain(',13,');
  await until(async () => {
    await downloads();
    return /is not read, downloads read the primary: it is [2-9]\d*\.\d s behind$/.test(said().at(-1) ?? '');
  });
  await replica.run('SELECT pg_wal_replay_resume()');
  await until(isRead);
  expect(isReadLine(said().at(-1))).toBe(true);
  expectChanges();
});

it('a killed replica costs no answer and no readiness, and is read again once it is back', async () => {
  await until(isRead);
  await replica.aim()();
  const answers = await downloads();
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(lagsOf(answers)).toEqual(NONE);
  expect((await service.get('/health/ready')).status).toBe(200);
  await pay(14);
  expect(isReadLine(said().at(-1))).toBe(false);
  await replica.start();
  await until(isRead);
  expect(isReadLine(said().at(-1))).toBe(true);
  expectChanges();
});

it('one that is killed during a download is replaced by the primary, and no row is missing', async () => {
  for (let i = 0; i < 120; i += 1) await pay(1);
  await service.settled();
  await until(isRead);
  const { reads } = service.app.get(Database, { strict: false });
  const query = reads.query.bind(reads) as (...args: unknown[]) => Promise<never>;
  let asked = 0;
  jest.spyOn(reads, 'query').mockImplementation(async (...args: unknown[]) => {
    if (String(args[0]).includes('ledger_entries')) asked += 1;
    // The newest entry's number, the first page; then the second page.
    if (asked === 3 && replica.isRunning) await replica.aim()();
    return query(...args);
  });
  const { status, text, headers } = await service.get(`/api/wallets/${wallet.id}/ledgers.csv`, {
    token: wallet.owner.token,
  });
  expect([status, asked, 'x-read-lag-ms' in headers]).toEqual([200, 3, true]);
  expect(text.trimEnd().split('\r\n')).toHaveLength(1 + 1 + 124);
  jest.restoreAllMocks();
  await replica.start();
});

it('the primary itself, another database and a silent address are not read, each in one line, and a start waits for none', async () => {
  await primary.createDatabase('another');
  const refusals: [string, string][] = [
    [primary.url('wallet'), 'it is no standby'],
    [replica.url('postgres'), 'it is another database'],
    ['postgres://wallet@127.0.0.1:1/wallet', 'nothing listens there'],
  ];
  await service.close();
  for (const [url, reason] of refusals) {
    lines.mockClear();
    service = await start(url);
    await until(() => Promise.resolve(said().length > 0));
    expect(lagsOf(await downloads())).toEqual(NONE);
    expect(said()).toEqual([expect.stringContaining(`downloads read the primary: ${reason}`)]);
    if (url !== refusals.at(-1)?.[0]) await service.close();
  }
});
