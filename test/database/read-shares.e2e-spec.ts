import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { HISTORY, pageByPlace, WALLET } from '../../src/contexts/payments/transactions/attempt-pages.js';
import { Database } from '../../src/platform/database/database.js';
import { READS_WAITING_MAX } from '../../src/platform/database/read-shares.js';
import { type Answer, startService, type TestService, until } from '../support/service.js';

/** Reads of one user or key leave the others theirs, whatever the statistics of PostgreSQL say. */

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('the places for reads', () => {
  /** Counts the lists that wait for the table. Jobs of the service wait for it too. */
  const waiting = async (): Promise<number> =>
    (
      await service.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND query LIKE '%, 0) AS high,%'`,
      )
    ).length;

  /** Does `work` while no statement can read `transactions`. */
  async function whileStuck<T>(work: () => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
      return await work();
    } finally {
      await client.end();
    }
  }

  it('are shared: one key takes one of five at once, and past its queue is refused alone', async () => {
    const [flooding, other] = [await service.fundedWallet(1_000), await service.fundedWallet(1_000)];
    const list = () =>
      service.get<{ success: boolean; code: string }>('/api/payment-intent', { key: flooding.key });
    const lists: Promise<Answer<{ success: boolean; code: string }>>[] = [];
    const refused = await whileStuck(async () => {
      // One reads, the queue takes its fill, and the one past it is the only one to be answered.
      const requests = Array.from({ length: 1 + READS_WAITING_MAX + 1 }, list);
      const first = await Promise.race(
        requests.map((request) => request.then((answer) => ({ request, answer }))),
      );
      const query = jest.spyOn(service.app.get(Database, { strict: false }), 'query');
      expect((await list()).status).toBe(429);
      expect(query.mock.calls.filter(([sql]) => sql.includes('api_keys'))).toEqual([]);
      query.mockRestore();
      for (const token of [other.owner.token, flooding.owner.token]) {
        const { userId } = token === other.owner.token ? other : flooding;
        expect((await service.get(`/api/wallets/user/${userId}`, { token })).status).toBe(200);
      }
      expect(await waiting()).toBe(1);
      lists.push(...requests.filter((request) => request !== first.request));
      return first.answer;
    });
    expect([refused.status, refused.body.success, refused.body.code, refused.headers['retry-after']]).toEqual(
      [429, false, 'RATE_LIMITED', '1'],
    );
    expect(new Set((await Promise.all(lists)).map(({ status }) => status))).toEqual(new Set([200]));
    expect((await list()).status).toBe(200);
  });

  it('are shared: all keys and sessions of one user take two of five together', async () => {
    const [flooding, other] = [await service.fundedWallet(1_000), await service.fundedWallet(1_000)];
    const keys = [flooding.key];
    for (let i = 0; i < 3; i += 1) keys.push((await service.createWallet(flooding.owner)).key);
    const answers: Promise<Answer<unknown>>[] = [];
    await whileStuck(async () => {
      for (let i = 0; i < 20; i += 1) {
        answers.push(service.get('/api/payment-intent', { key: keys[i % keys.length]! }));
        answers.push(
          service.get(`/api/wallets/${flooding.id}/transactions`, { token: flooding.owner.token }),
        );
      }
      await until(async () => (await waiting()) >= 2);
      const path = `/api/wallets/user/${other.userId}`;
      expect((await service.get(path, { token: other.owner.token })).status).toBe(200);
      expect(await waiting()).toBe(2);
    });
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('the attempts of a decision', () => {
  beforeAll(async () => {
    const { id, key } = await service.fundedWallet(10_000);
    await service.pay(key);
    await service.query(
      `INSERT INTO transactions
       SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'seq', t.seq + n,
                 'created_at', t.created_at + n * interval '1 second'))).*
         FROM transactions t, generate_series(1, 5000) n WHERE t.wallet_id = $1`,
      [id],
    );
  });

  /** The plan as the service has it: see the options of its connections. */
  async function planOf(statement: string): Promise<string> {
    const options = '-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off';
    const client = new pg.Client({ connectionString: service.databaseUrl, options });
    await client.connect();
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${statement}`);
    await client.end();
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }

  it.each([
    ['none', `DELETE FROM pg_statistic WHERE starelid = 'transactions'::regclass`],
    [
      'of an empty table',
      `UPDATE pg_class SET reltuples = 0, relpages = 0 WHERE relname LIKE 'transactions%'`,
    ],
    ['of one wallet alone', 'ANALYZE transactions'],
    [
      'of many rows',
      `UPDATE pg_class SET reltuples = 1e8, relpages = 5000000 WHERE relname = 'transactions'`,
    ],
  ])('are sought one by one, whatever the statistics: %s', async (_, statistics) => {
    await service.query(statistics);
    for (const line of [WALLET, HISTORY]) {
      for (const decision of ['approved', 'blocked', 'pending', 'any'] as const) {
        const plan = await planOf(pageByPlace('t.id', line, decision, 'up-to'));
        expect(plan).not.toMatch(/Hash|Merge/);
        const seeks = plan.match(/on transactions t(_\d+)?(?= ).*\n\s*Index Cond: .*/g) ?? [];
        expect(seeks.length).toBeGreaterThanOrEqual(2);
        for (const seek of seeks) expect(seek).toMatch(/Index Cond: .*(seq = |created_at < )/);
      }
    }
  });
});
