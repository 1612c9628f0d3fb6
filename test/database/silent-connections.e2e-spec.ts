import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { serviceDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { isUnreachable } from '../../src/platform/database/failures.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { startService, until } from '../support/service.js';
import { testWire } from '../support/wire.js';

/** Connections whose packets are dropped: nothing ever reports an error, and new connections work. */

const STATEMENT_MS_MAX = 1_000;
const POOL_MAX = 8;

@Entity('notes')
class Note {
  @PrimaryColumn('text')
  id: string;

  @Column('bigint')
  money: number;
}

describe('statements on connections that fell silent', () => {
  let fresh: TestDatabase;
  let proxy: DatabaseProxy;
  let database: Database;
  beforeAll(async () => {
    fresh = await freshDatabase();
    proxy = await DatabaseProxy.start();
  });
  const connected = (wire = testWire()) =>
    new Database(serviceDataSource(proxy.before(fresh.url), POOL_MAX, [Note], STATEMENT_MS_MAX), wire);
  beforeEach(async () => {
    database = connected();
    await database.connect();
    await database.query('CREATE TABLE IF NOT EXISTS notes (id text PRIMARY KEY, money bigint NOT NULL)');
    await database.query('DELETE FROM notes');
  });
  afterEach(() => database.close());
  afterAll(async () => {
    await proxy.cut();
    await fresh.drop();
  });

  const answers = (count: number) =>
    Promise.all(Array.from({ length: count }, () => database.query('SELECT pg_sleep(0.01)')));
  const endOf = async (send: () => Promise<unknown>): Promise<string | undefined> => {
    try {
      await send();
      return 'answered';
    } catch (error) {
      return isUnreachable(error) ? 'unreachable' : (error as { code?: string }).code;
    }
  };

  it('end, whatever sent them, and leave their places in the pool', async () => {
    const statements: Record<string, [expected: string, () => Promise<unknown>]> = {
      'a read': ['unreachable', () => database.query('SELECT 1')],
      'a write': ['OUTCOME_UNKNOWN', () => database.query('DELETE FROM notes')],
      'a repository': ['unreachable', () => database.repository(Note).find()],
      'a write of a repository': ['OUTCOME_UNKNOWN', () => database.repository(Note).delete({ id: 'x' })],
      'a library': ['unreachable', () => database.pool.query('SELECT 1')],
      'a list': ['unreachable', () => database.reads.query('SELECT 1')],
      'a list of a repository': ['unreachable', () => database.reads.repository(Note).find()],
      'a transaction': ['unreachable', () => database.transaction((tx) => tx.query('SELECT 1'))],
    };
    expect(Object.keys(statements)).toHaveLength(POOL_MAX);
    await answers(POOL_MAX);
    proxy.silenceOpen();
    const ended = Object.entries(statements).map(async ([name, [, send]]) => [name, await endOf(send)]);
    expect(Object.fromEntries(await Promise.all(ended))).toEqual(
      Object.fromEntries(Object.entries(statements).map(([name, [expected]]) => [name, expected])),
    );
    await answers(2 * POOL_MAX);
  });

  // Plain queries send COMMIT only after the answer to what is written.
  it('leave it unknown whether a transaction was committed that sent COMMIT along with its writes', async () => {
    await database.close();
    database = connected(testWire('packets'));
    await database.connect();
    await answers(POOL_MAX);
    proxy.silenceOpen();
    const write = () => database.transaction((tx) => tx.write('DELETE FROM notes'));
    expect(await endOf(write)).toBe('OUTCOME_UNKNOWN');
  });

  it('leave nothing committed by plain queries that had not sent COMMIT', async () => {
    await database.close();
    database = connected(testWire('plain'));
    await database.connect();
    await answers(POOL_MAX);
    proxy.silenceOpen();
    const write = () => database.transaction((tx) => tx.write('DELETE FROM notes'));
    expect(await endOf(write)).toBe('unreachable');
  });

  it('take the connections with them that nobody had asked: the next statement meets no other', async () => {
    await answers(POOL_MAX);
    proxy.silenceOpen();
    await expect(database.query('SELECT 1')).rejects.toThrow('sent nothing for 1000 ms');
    expect(database.pool.totalCount).toBeLessThanOrEqual(1);
    await answers(2 * POOL_MAX);
  });

  it('end where the other end is there and takes too long, and are waited for where it does not', async () => {
    expect(await endOf(() => database.query('SELECT pg_sleep(0.7)'))).toBe('answered');
    expect(await endOf(() => database.query('SELECT pg_sleep(30)'))).toBe('unreachable');
  });
});

it('a service whose connections fell silent works again without a restart, jobs included', async () => {
  const proxy = await DatabaseProxy.start();
  const service = await startService({ proxy, env: { DATABASE_POOL_MAX: '8' } });
  const wallet = await service.fundedWallet(100_000, { payeePolicy: 'first_use' });
  const { token } = wallet.owner;
  const everything = () => [
    service.pay(wallet.key, { amount: 1 }),
    service.get('/v1/auth/session', { token }),
    service.get('/api/ledger', { token }),
    service.post('/v1/auth/login', { body: { email: wallet.owner.email, password: 'wrong password' } }),
    service.get('/health/ready'),
  ];
  const all = async () =>
    (await Promise.all([everything(), everything(), everything()].flat())).map(statusOf);
  await all();
  proxy.silenceOpen();
  const during = await all();
  expect(during.filter((status) => status === 503).length).toBeGreaterThan(0);
  const after = await all();
  expect(after.filter((status) => status === 503)).toEqual([]);
  await until(async () => {
    const { body } = await service.get<{ data: { accountName: string | null }[] }>(
      `/api/wallets/${wallet.id}/payees`,
      { token },
    );
    return typeof body.data[0]?.accountName === 'string';
  }, 30_000);
  await service.close();
  await proxy.cut();
});

function statusOf({ status }: { readonly status: number }): number {
  return status;
}
