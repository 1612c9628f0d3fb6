import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { isUnreachable } from '../../src/platform/database/failures.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { startService, type TestService, type TestUser, until } from '../support/service.js';
import { testWire } from '../support/wire.js';

describe('a service beside which the next release changes the type of a column', () => {
  let service: TestService;
  let user: TestUser;

  beforeAll(async () => {
    service = await startService();
    user = await service.signUp();
  });
  afterAll(() => service.close());

  const session = () => service.get('/v1/auth/session', { token: user.token });
  const sessions = async () =>
    new Set((await Promise.all(Array.from({ length: 40 }, session))).map(({ status }) => status));

  it('has its connections read it anew, and says until then that it can be asked again', async () => {
    expect(await sessions()).toEqual(new Set([200]));
    await service.query(
      'CREATE DOMAIN yes_or_no AS boolean; ALTER TABLE users ALTER COLUMN is_operator TYPE yes_or_no',
    );
    const answered = new Set<number>();
    await until(async () => {
      const now = await sessions();
      for (const status of now) answered.add(status);
      return now.size === 1 && now.has(200);
    });
    expect([...answered].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });
});

describe('a connection whose statements were prepared for tables that look different now', () => {
  let fresh: TestDatabase;
  /** One connection alone. */
  let database: Database;

  beforeAll(async () => {
    fresh = await freshDatabase();
    database = new Database(serviceDataSource(fresh.url, 1, []), testWire());
    await database.connect();
  });
  afterAll(async () => {
    await database.close();
    await fresh.drop();
  });

  it.each<[string, (text: string) => Promise<unknown>]>([
    ['a statement of its own', (text) => database.query(text)],
    ['a transaction', (text) => database.transaction((tx) => tx.query(text))],
    ['a list', (text) => database.reads.query(text)],
  ])('is given up once %s was refused on it', async (name, read) => {
    const table = `shapes_of_${name.replaceAll(' ', '_')}`;
    await database.query(`CREATE TABLE ${table} AS SELECT 1 AS one`);
    const all = `SELECT * FROM ${table}`;
    expect(await read(all)).toEqual([{ one: 1 }]);
    await database.query(`ALTER TABLE ${table} ADD COLUMN two integer DEFAULT 2`);
    const error: unknown = await read(all).catch((reason: unknown) => reason);
    expect(isUnreachable(error)).toBe(true);
    expect(await read(all)).toEqual([{ one: 1, two: 2 }]);
  });
});
