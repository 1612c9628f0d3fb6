import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { TestDatabase } from '../support/database.js';
import { freePort } from '../support/ports.js';
import { ServiceBuild, type ServiceProcess } from '../support/process.js';
import { plainDatabase } from '../support/service-database.js';
import { PASSWORD, until, walletBody } from '../support/service.js';
import type { MadeStatement } from './statement-helpers.js';

/** Several chunks of each file, with a long narration in each entry. */
const ENTRIES = 2_000;
/** Three starts and as many makings. */
const TEST_MS_MAX = 240_000;

let build: ServiceBuild;
let database: TestDatabase;
let client: pg.Client;
let service: ServiceProcess;

beforeAll(async () => {
  build = new ServiceBuild();
  database = await plainDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await service.kill('SIGTERM');
  await client.end();
  await database.drop();
  build.remove();
});

it(
  'kill -9 before the first chunk of a statement, and again after some were stored, leaves it to another process, which makes all of it once',
  async () => {
    const env = {
      DATABASE_URL: database.url,
      JWT_SECRET: 'a secret that signs the session tokens of the tests',
    };
    const port = await freePort();
    service = await build.start(port, env);
    const { data } = await service.call<{ data: { user: { id: string }; token: string } }>(
      'POST',
      '/v1/auth/signup',
      { body: { email: `${randomUUID()}@example.com`, password: PASSWORD, accountType: 'developer' } },
    );
    const { token } = data;
    const { data: made } = await service.call<{ data: { wallet: { id: string } } }>('POST', '/api/wallets', {
      token,
      body: walletBody(data.user.id),
    });
    const walletId = made.wallet.id;
    await client.query(
      `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, reference, narration, created_at)
     SELECT $1, n, gen_random_uuid(), 'topup', 7, 7 * n, gen_random_uuid(),
            (SELECT string_agg(md5(n || ' ' || i), ' ') FROM generate_series(1, 4) i), '2026-05-12'
       FROM generate_series(1, $2::integer) n`,
      [walletId, ENTRIES],
    );
    const { data: asked } = await service.call<{ data: MadeStatement }>('POST', '/v1/statements', {
      token,
      body: { month: '2026-05', walletId },
    });
    const stored = async () =>
      (
        await client.query<{ status: string; done: number; tries: number }>(
          'SELECT status, rows_done::integer AS done, tries FROM statements',
        )
      ).rows;
    const chunks = async (format?: 'pdf' | 'csv') =>
      (
        await client.query<{ bytes: Buffer }>(
          'SELECT bytes FROM statement_chunks WHERE statement_id = $1 AND ($2::text IS NULL OR format = $2) ORDER BY place',
          [asked.id, format],
        )
      ).rows;
    const kill = async (tries: number) => {
      await service.kill('SIGKILL');
      expect(await stored()).toMatchObject([{ status: 'making', tries }]);
      // Its lease runs out now, not in a minute.
      await client.query('UPDATE statements SET leased_until = clock_timestamp()');
      return (await chunks()).length;
    };
    await until(async () => ((await stored())[0]?.done ?? 0) >= 100, 60_000);
    expect(await kill(1)).toBe(0);
    service = await build.start(port, env);
    await until(async () => (await chunks()).length >= 2, 60_000);
    expect(await kill(2)).toBeGreaterThanOrEqual(2);
    service = await build.start(port, env);
    await until(async () => (await stored()).every(({ status }) => status === 'done'), 120_000);
    expect(await stored()).toEqual([{ status: 'done', done: ENTRIES, tries: 3 }]);
    const { data: statement } = await service.call<{ data: MadeStatement }>(
      'GET',
      `/v1/statements/${asked.id}`,
      { token },
    );
    expect(statement).toMatchObject({
      rows: ENTRIES,
      figures: { opening: 0, received: 7 * ENTRIES, paidOut: 0, refunded: 0, closing: 7 * ENTRIES },
    });
    for (const format of ['pdf', 'csv'] as const) {
      const pieces = await chunks(format);
      expect(pieces.length).toBeGreaterThan(1);
      const file = Buffer.concat(pieces.map(({ bytes }) => bytes));
      expect(createHash('sha256').update(file).digest('hex')).toBe(statement.files?.[format].sha256);
    }
  },
  TEST_MS_MAX,
);
