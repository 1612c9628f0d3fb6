import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { WalletClient } from '../../sdk/src/client.js';
import type { TestDatabase } from '../support/database.js';
import { freePort } from '../support/ports.js';
import { plainDatabase } from '../support/service-database.js';
import { ServiceBuild, type ServiceProcess } from '../support/process.js';
import { chargeBody, PASSWORD, paymentBody, walletBody } from '../support/service.js';

const PAYMENTS = 120;
const CLIENTS = 12;
const KILLS = 2;
const AMOUNT = 100;
const FUNDS = 1_000_000;

let build: ServiceBuild;
let database: TestDatabase;
let service: ServiceProcess;
let tables: pg.Pool;

beforeAll(async () => {
  build = new ServiceBuild();
  database = await plainDatabase();
  tables = new pg.Pool({ connectionString: database.url, max: 1 });
  // A pool ends before its connections do: the last one may still be there when the database is dropped.
  tables.on('error', () => undefined);
});
afterAll(async () => {
  await service.kill('SIGTERM');
  await tables.end();
  await database.drop();
  build.remove();
});

it('the SDK pays each purchase once through kill -9 of the service, again and again', async () => {
  const env = {
    DATABASE_URL: database.url,
    JWT_SECRET: 'a secret that signs the session tokens of the tests',
  };
  const port = await freePort();
  service = await build.start(port, env);
  const { data: owner } = await service.call<{ data: { user: { id: string }; token: string } }>(
    'POST',
    '/v1/auth/signup',
    { body: { email: `${randomUUID()}@example.com`, password: PASSWORD, accountType: 'developer' } },
  );
  const { data: made } = await service.call<{
    data: { wallet: { id: string }; apiKey: { fullKey: string } };
  }>('POST', '/api/wallets', { token: owner.token, body: walletBody(owner.user.id) });
  await service.call('POST', '/api/webhooks', { body: chargeBody(made.wallet.id, { amount: FUNDS / 100 }) });

  let lost = 0;
  let kills = 0;
  let restarting: Promise<void> = Promise.resolve();
  const killAndRestart = async (): Promise<void> => {
    await service.kill('SIGKILL');
    service = await build.start(port, env);
  };
  const client = new WalletClient({
    baseUrl: service.url,
    apiKey: made.apiKey.fullKey,
    retry: { retriesMax: 200, backoffMs: 20, backoffMsMax: 500 },
    fetch: async (...asked) => {
      const answer = await fetch(...asked).catch((error: unknown) => {
        lost += 1;
        throw error;
      });
      if (kills < KILLS && paid.length > (PAYMENTS * (kills + 1)) / (KILLS + 1)) {
        // The payment is committed; its answer dies with the service.
        kills += 1;
        restarting = killAndRestart();
        throw new TypeError('the answer was lost');
      }
      return answer;
    },
  });
  const paid: { id: string; replayed: boolean }[] = [];
  let next = 0;
  const shop = async (): Promise<void> => {
    while (next < PAYMENTS) {
      const idempotencyKey = `order-${(next += 1)}`;
      const intent = paymentBody({ amount: AMOUNT }) as unknown as Parameters<typeof client.pay>[0];
      paid.push(await client.pay(intent, { idempotencyKey }));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, shop));
  await restarting;

  expect(kills).toBe(KILLS);
  expect(lost).toBeGreaterThan(0);
  expect(new Set(paid.map(({ id }) => id)).size).toBe(PAYMENTS);
  const { rows } = await tables.query<{ debits: string; keys: string; balance: string }>(
    `SELECT count(*) AS debits, count(DISTINCT transaction_id) AS keys,
            (SELECT balance FROM wallets WHERE id = $1) AS balance
       FROM ledger_entries WHERE wallet_id = $1 AND type = 'debit'`,
    [made.wallet.id],
  );
  expect(rows).toEqual([
    { debits: String(PAYMENTS), keys: String(PAYMENTS), balance: String(FUNDS - PAYMENTS * AMOUNT) },
  ]);
  // Without their keys these would have been paid twice.
  expect(paid.filter(({ replayed }) => replayed).length).toBeGreaterThanOrEqual(KILLS);
}, 120_000);
