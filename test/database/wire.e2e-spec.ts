import 'reflect-metadata';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { serviceDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { isUnreachable } from '../../src/platform/database/failures.js';
import { driverVersion, KNOWN_DRIVER, wireOf } from '../../src/platform/database/wire/choose.js';
import type { Sent, Wire } from '../../src/platform/database/wire/wire.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { testWire } from '../support/wire.js';

let fresh: TestDatabase;
/** One connection alone: what a transaction leaves behind on it meets the next one. */
let database: Database;
let wire: Wire;

const ids = async (): Promise<unknown[]> =>
  (await database.query<{ id: number }>('SELECT id FROM packet_rows ORDER BY id')).map(({ id }) => id);
const INSERT = 'INSERT INTO packet_rows (id) VALUES ($1)';

beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

async function connect(name: 'packets' | 'plain'): Promise<void> {
  wire = testWire(name);
  database = new Database(serviceDataSource(fresh.url, 1, []), wire);
  await database.connect();
  await database.query('DROP TABLE IF EXISTS packet_rows, packet_shapes');
  await database.query('CREATE TABLE packet_rows (id integer CONSTRAINT packet_rows_once PRIMARY KEY)');
}

describe.each(['packets', 'plain'] as const)(
  'the statements of one turn of a transaction, as %s,',
  (name) => {
    beforeAll(() => connect(name));
    beforeEach(() => database.query('DELETE FROM packet_rows'));
    afterAll(() => database.close());

    it('are carried out in order, each with its own rows', async () => {
      const answers = await database.transaction((tx) => {
        tx.write(INSERT, [1]);
        return Promise.all([
          tx.query('SELECT id FROM packet_rows'),
          tx.query('SELECT 4 AS never WHERE false'),
        ]);
      });
      expect(answers).toEqual([[{ id: 1 }], []]);
      expect(await ids()).toEqual([1]);
    });

    it('are carried out up to the one that fails, which says why, and COMMIT with none of them', async () => {
      await database.query(INSERT, [7]);
      const seen: unknown[] = [];
      const work = database.transaction((tx) => {
        void tx.query('SELECT 1 AS before').then((rows) => seen.push(rows));
        tx.write(INSERT, [8]);
        tx.write(INSERT, [7]);
        tx.query('SELECT 1 AS after').then(
          () => seen.push('after'),
          (error: unknown) => seen.push((error as Error).message),
        );
      });
      await expect(work).rejects.toMatchObject({ constraint: 'packet_rows_once' });
      expect(seen).toEqual([[{ before: 1 }], 'a statement before it failed']);
      expect(await ids()).toEqual([7]);
    });

    it('can be sent again on the connection where one before them failed', async () => {
      const both = (amount: number) =>
        database.transaction(async (tx) => {
          tx.write('INSERT INTO packet_rows (id) VALUES (6 / $1::integer)', [amount]);
          const [first, again] = await Promise.all([
            tx.query('SELECT count(*)::integer AS rows FROM packet_rows WHERE id > $1', [0]),
            tx.query('SELECT count(*)::integer AS rows FROM packet_rows WHERE id > $1', [100]),
          ]);
          return [first, again];
        });
      await expect(both(0)).rejects.toMatchObject({ code: '22012' });
      expect(await both(1)).toEqual([[{ rows: 1 }], [{ rows: 0 }]]);
      await expect(both(0)).rejects.toMatchObject({ code: '22012' });
      expect(await both(2)).toEqual([[{ rows: 2 }], [{ rows: 0 }]]);
      expect(await ids()).toEqual([3, 6]);
    });

    it('are given up with COMMIT when one has values that cannot be written, and the connection goes on', async () => {
      const circular: { self?: unknown } = {};
      circular.self = circular;
      const writing = (value: unknown) =>
        database.transaction((tx) => {
          tx.write(INSERT, [1]);
          tx.write('INSERT INTO packet_rows SELECT 2 WHERE $1::jsonb IS NOT NULL', [value]);
          tx.write(INSERT, [3]);
        });
      await expect(writing(circular)).rejects.toThrow('circular');
      expect(await ids()).toEqual([]);
      await writing({ plain: true });
      expect(await ids()).toEqual([1, 2, 3]);
      // The same statements, prepared by now.
      await database.query('DELETE FROM packet_rows');
      await expect(writing(circular)).rejects.toThrow('circular');
      expect(await ids()).toEqual([]);
    });

    it('are given up behind one whose name stands for another text, and the connection goes on', async () => {
      const client = await database.pool.connect();
      const sent = (texts: readonly string[]) => {
        const answers = texts.map((text) => ({ name: `one ${text.length}`, text })).map(answerOf);
        wire.send(client, answers);
        return Promise.allSettled(answers.map(({ answer }) => answer));
      };
      const messages = async (texts: readonly string[]) =>
        (await sent(texts)).map((answer) =>
          answer.status === 'fulfilled' ? answer.value.rows : (answer.reason as Error).message,
        );
      try {
        // Of one length, and so of one name.
        expect(await messages(['SELECT 1 AS a'])).toEqual([[{ a: 1 }]]);
        const refused = expect.stringContaining('must be unique');
        const behind = 'a statement before it failed';
        expect(await messages(['SELECT 10 AS b', 'SELECT 2 AS a', 'SELECT 100 AS c'])).toEqual([
          [{ b: 10 }],
          refused,
          behind,
        ]);
        expect(await messages(['SELECT 3 AS a'])).toEqual([refused]);
        expect(await messages(['SELECT 1 AS a', 'SELECT 100 AS c'])).toEqual([[{ a: 1 }], [{ c: 100 }]]);
      } finally {
        client.release();
      }
    });

    it('are known not to be carried out when PostgreSQL ends the session at one of them', async () => {
      const error: unknown = await database
        .transaction((tx) => {
          tx.write(INSERT, [1]);
          tx.write('SELECT pg_terminate_backend(pg_backend_pid())');
        })
        .catch((thrown: unknown) => thrown);
      expect(isUnreachable(error)).toBe(true);
      expect(await ids()).toEqual([]);
    });

    it('are refused by PostgreSQL where their rows would look different from what was described', async () => {
      const all = () => database.transaction((tx) => tx.query('SELECT * FROM packet_shapes'));
      await database.query('CREATE TABLE packet_shapes AS SELECT 1 AS one');
      expect(await all()).toEqual([{ one: 1 }]);
      await database.query('ALTER TABLE packet_shapes ADD COLUMN two integer DEFAULT 2');
      await expect(all()).rejects.toMatchObject({ code: '0A000' });
    });

    it('read through the parsers of the connection', async () => {
      const work = database.transaction((tx) => tx.query('SELECT 9007199254740993::bigint AS kobo'));
      await expect(work).rejects.toThrow('does not fit a number exactly');
      const [row] = await database.transaction((tx) => tx.query('SELECT 9007199254740991::bigint AS kobo'));
      expect(row).toEqual({ kobo: Number.MAX_SAFE_INTEGER });
    });
  },
);

describe('packets', () => {
  beforeAll(() => connect('packets'));
  beforeEach(() => database.query('DELETE FROM packet_rows'));
  afterAll(() => database.close());

  it('are answered together, each with its own rows', async () => {
    const answers = await counted(async () => {
      const [one, two, three] = await database.transaction((tx) => {
        tx.write(INSERT, [1]);
        return Promise.all([
          tx.query('SELECT id FROM packet_rows'),
          tx.query('SELECT 2 AS two UNION ALL SELECT 3 ORDER BY 1'),
          tx.query('SELECT 4 AS never WHERE false'),
        ]);
      });
      expect([one, two, three]).toEqual([[{ id: 1 }], [{ two: 2 }, { two: 3 }], []]);
    });
    // One for BEGIN with the statements, one for COMMIT.
    expect(answers).toBe(2);
    expect(await ids()).toEqual([1]);
  });

  it('travel with COMMIT when none of them is waited for', async () => {
    const answers = await counted(() =>
      database.transaction((tx) => {
        tx.write(INSERT, [1]);
        tx.write(INSERT, [2]);
      }),
    );
    expect(answers).toBe(1);
    expect(await ids()).toEqual([1, 2]);
  });

  it('have their rows described when they are prepared, and read the same ever after', async () => {
    const read = (least: number) =>
      database.transaction(async (tx) => {
        tx.write('INSERT INTO packet_rows (id) VALUES ($1) ON CONFLICT DO NOTHING', [5]);
        return tx.query('SELECT id, null AS nothing FROM packet_rows WHERE id > $1', [least]);
      });
    const rows = [{ id: 5, nothing: null }];
    expect(await read(100)).toEqual([]);
    const described = await counted(async () => {
      expect(await read(0)).toEqual(rows);
      expect(await read(100)).toEqual([]);
      expect(await read(0)).toEqual(rows);
    }, 'rowDescription');
    expect(described).toBe(0);
    // Values that cannot be written: the driver has the statement closed.
    await expect(read({} as number)).rejects.toThrow();
    expect(await read(0)).toEqual(rows);
  });

  it('are written for the driver that is installed', () => {
    expect(driverVersion()).toBe(KNOWN_DRIVER);
  });

  it('give way to plain queries, with a line in the log, where the driver is another one', () => {
    const lines: string[] = [];
    const warn = (line: string): void => void lines.push(line);
    expect(wireOf('packets', warn)).toEqual(testWire('packets'));
    expect(wireOf('plain', warn, '9.0.0')).toEqual(testWire('plain'));
    expect(lines).toEqual([]);
    expect(wireOf('packets', warn, '9.0.0')).toEqual(testWire('plain'));
    expect(lines).toEqual([expect.stringContaining('pg 8.23.1, and this is 9.0.0')]);
  });
});

function answerOf(statement: pg.QueryConfig): Sent & { readonly answer: Promise<pg.QueryResult> } {
  const { promise: answer, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
  const onAnswer: Sent['onAnswer'] = (error, result) => {
    if (error) reject(error);
    else resolve(result as pg.QueryResult);
  };
  return { statement, onAnswer, answer };
}

/** How often PostgreSQL sent a message while `work` ran: that it is ready for more, unless another one is meant. */
async function counted(work: () => Promise<unknown>, message = 'readyForQuery'): Promise<number> {
  const client = await database.pool.connect();
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
  client.release();
  let count = 0;
  const onMessage = (): void => void (count += 1);
  connection.on(message, onMessage);
  await work();
  connection.off(message, onMessage);
  return count;
}
