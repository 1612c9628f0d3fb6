import dns from 'node:dns';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { reachDatabase } from '../../src/platform/database/reach.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/ports.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => database.drop());

/** What PostgreSQL answers to a connection while it recovers: an ErrorResponse of its protocol. */
function startingUp(): Buffer {
  const fields = `SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0`;
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}

/** A server before the database, of which the first connection gets `answer`, and each other one the database. */
async function startsLate(answer: (client: Socket) => void): Promise<{ url: string; close: () => void }> {
  let seen = 0;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    seen += 1;
    if (seen === 1) {
      answer(client);
      return;
    }
    const { hostname, port } = new URL(database.url);
    const upstream = connect(Number(port), hostname).on('error', () => undefined);
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  return { url: at((server.address() as AddressInfo).port), close: () => server.close() };
}

function at(port: number): string {
  const url = new URL(database.url);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

it.each([
  [
    'is starting up',
    (client: Socket) => client.once('data', () => client.end(startingUp())),
    'the database system is starting up',
  ],
  [
    'has no server behind its port yet',
    (client: Socket) => client.once('data', () => client.destroy()),
    '(Connection terminated unexpectedly|read ECONNRESET)',
  ],
])('a database that %s is waited for, and one line says so', async (_, answer, reason) => {
  const late = await startsLate(answer);
  const said: string[] = [];
  await reachDatabase('DATABASE_URL', late.url, (line) => said.push(line));
  late.close();
  expect(said).toEqual([
    expect.stringMatching(
      new RegExp(
        `^DATABASE_URL: the database at 127\\.0\\.0\\.1:\\d+/\\S+ does not answer yet: ${reason}; waiting for it, 30 s at most…$`,
      ),
    ),
  ]);
});

it.each(['ENOTFOUND', 'EAI_AGAIN'])(
  'a database whose name has no address yet (%s) is waited for',
  async (code) => {
    const url = new URL(database.url);
    const address = url.hostname;
    url.hostname = 'database.internal';
    let asked = 0;
    jest.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
      asked += 1;
      const done = args.at(-1) as (error: Error | null, found?: object[]) => void;
      if (asked === 1) done(Object.assign(new Error(`getaddrinfo ${code}`), { code }));
      else done(null, [{ address, family: 4 }]);
    });
    const said: string[] = [];
    await reachDatabase('DATABASE_URL', url.href, (line) => said.push(line));
    expect(said).toEqual([
      expect.stringContaining('does not answer yet: there is no such host; waiting for it, 30 s'),
    ]);
    // The third is the second connection of one that answers: whether sessions are kept takes two.
    expect(asked).toBe(3);
  },
);

it('a database whose name never has an address is waited for no longer than the bound', async () => {
  const said: string[] = [];
  const url = 'postgres://wallet:secret@database.invalid:5432/wallet';
  await expect(reachDatabase('DATABASE_URL', url, (line) => said.push(line), 1_200)).rejects.toThrow(
    /^DATABASE_URL: the database at database\.invalid:5432\/wallet can't be used: there is no such host$/,
  );
  expect(said).toHaveLength(1);
});

it('a database at which nothing listens is waited for no longer than the bound', async () => {
  const said: string[] = [];
  const url = at(await freePort());
  await expect(reachDatabase('DATABASE_URL', url, (line) => said.push(line), 1_200)).rejects.toThrow(
    /^DATABASE_URL: the database at 127\.0\.0\.1:\d+\/\S+ can't be used: nothing listens there$/,
  );
  expect(said).toEqual([expect.stringContaining('waiting for it, 1.2 s at most…')]);
});

it('a database that refuses for good is not waited for', async () => {
  const said: string[] = [];
  const url = new URL(database.url);
  url.pathname = '/nowhere';
  await expect(reachDatabase('DATABASE_URL', url.href, (line) => said.push(line))).rejects.toThrow(
    'database "nowhere" does not exist',
  );
  expect(said).toEqual([]);
});
