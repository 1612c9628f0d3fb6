import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { freePort } from '../support/ports.js';
import { ServiceBuild, type ServiceProcess } from '../support/process.js';
import {
  type CreatedWallet,
  expectStatus,
  paymentBody,
  startService,
  type TestService,
  until,
} from '../support/service.js';
import { asService, JWT_SECRET } from '../support/service-database.js';

let build: ServiceBuild;
let replica: ServiceProcess;
let other: TestService;
let wallet: CreatedWallet;
beforeAll(async () => {
  other = await startService();
  build = new ServiceBuild();
  replica = await build.start(await freePort(), {
    DATABASE_URL: asService(other.databaseUrl),
    DATABASE_OWNER_URL: other.databaseUrl,
    JWT_SECRET,
  });
  wallet = await other.fundedWallet(10_000);
  const body = { url: 'http://127.0.0.1:65535/' };
  expectStatus(201, await other.post('/v1/webhook-endpoints', { token: wallet.owner.token, body }));
}, 60_000);
afterAll(async () => {
  replica.thaw();
  await replica.kill('SIGKILL');
  build.remove();
  await other.close();
});

it('a replica that freezes while it holds a wallet keeps it locked for a moment, and pays again when it thaws', async () => {
  const payThere = () =>
    replica.call<unknown>('POST', '/api/payment-intent', { key: wallet.key, body: paymentBody() });
  await payThere();
  // Read behind the lock of the wallet: the replica holds the one and waits for the other.
  const holder = new pg.Client({ connectionString: other.databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE webhook_endpoints IN ACCESS EXCLUSIVE MODE');
  const frozen = payThere().then(
    () => 'paid',
    (error: unknown) => String(error),
  );
  const sessions = (state: string) =>
    other.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agent-payment-wallet'
          AND ${state}`,
    );
  await until(async () => (await sessions(`wait_event_type = 'Lock'`)).length === 1);
  replica.freeze();
  await holder.query('COMMIT');
  await holder.end();
  await until(async () => (await sessions(`state = 'idle in transaction'`)).length === 1);

  expect((await other.pay(wallet.key)).status).toBe(201);

  replica.thaw();
  // By the session that PostgreSQL ended, or by the deadline of its transaction where that is over before it thaws.
  expect(await frozen).toMatch(/Nothing was carried out.*"code":"(DATABASE_UNAVAILABLE|OVERLOADED)"/);
  await payThere();
  expect((await other.stats(wallet)).balance).toBe(10_000 - 3 * 1_000);
}, 60_000);
