import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { freshDatabase, type TestDatabase, withClient } from '../support/database.js';
import { INHERITED } from '../support/inherited.js';
import { brokenInvariants } from '../support/invariants.js';
import { ServiceBuild } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { asService } from '../support/service-database.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';

const AGREES =
  /^Restored [\d,]+ rows, taken at \S+; every balance, hold, ledger entry, payment and settlement of/;

/** Commands are processes, each with all migrations to run. */
const TEST_MS_MAX = 120_000;

interface Ended {
  readonly code: number;
  /** The verdict. */
  readonly out: string;
  readonly err: string;
}

let build: ServiceBuild;
let folder: string;
/** One payment, and its backup. */
let service: TestService;
let wallet: CreatedWallet;
let file: string;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  build = new ServiceBuild();
  folder = fs.mkdtempSync(join(tmpdir(), 'wallet-backup-'));
  // PostgreSQL's own user passes through where root runs the tests.
  fs.chmodSync(folder, 0o711);
  service = await startService();
  wallet = await service.fundedWallet(100_000);
  await service.pay(wallet.key);
  await service.settled();
  file = await backUp(service.databaseUrl);
});

afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop();
});

afterAll(async () => {
  await service.close();
  build.remove();
  fs.rmSync(folder, { recursive: true, force: true });
});

function command(
  name: 'backup' | 'restore',
  env: Record<string, string>,
  ...flags: string[]
): Promise<Ended> {
  return new Promise((resolve) => {
    const script = join(build.root, `scripts/${name}.js`);
    execFile(process.execPath, [script, ...flags], { env: { ...INHERITED, ...env } }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out: out.trim(), err: err.trim() });
    });
  });
}

const on = (ownerUrl: string): Record<string, string> => ({
  DATABASE_URL: asService(ownerUrl),
  DATABASE_OWNER_URL: ownerUrl,
});
const newFile = (): string => join(folder, `${randomUUID()}.sql.gz`);

async function backUp(url: string): Promise<string> {
  const file = newFile();
  const { code, out, err } = await command('backup', on(url), '--to', file);
  expect([code, err]).toEqual([0, expect.any(String)]);
  expect(out).toContain(`${file}, `);
  return file;
}

async function emptyDatabase(): Promise<string> {
  const database = await freshDatabase();
  databases.push(database);
  return database.url;
}

const queryOn = async <Row>(url: string, text: string): Promise<Row[]> => {
  let rows: Row[] = [];
  await withClient(url, async (client) => {
    rows = (await client.query(text)).rows as Row[];
  });
  return rows;
};

/** A sum of each table's rows, whatever their order. */
async function sumsOf(url: string): Promise<Record<string, string>> {
  const tables = await queryOn<{ name: string }>(
    url,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname IN ('public', 'graphile_worker') AND tablename <> 'migrations'`,
  );
  const sums: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await queryOn<{ sum: string }>(
      url,
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS sum FROM ${name} t`,
    );
    sums[name] = row!.sum;
  }
  return sums;
}

const sequencesOf = (url: string) =>
  queryOn(
    url,
    `SELECT schemaname, sequencename, last_value FROM pg_sequences
      WHERE sequencename <> 'migrations_id_seq' ORDER BY 1, 2`,
  );

/** A service that answers no more; its database is left. */
async function withStoppedService(work: (service: TestService, receiver: Receiver) => Promise<void>) {
  const receiver = await Receiver.start();
  const service = await startService({ env: { WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1,1' } });
  try {
    await work(service, receiver);
  } finally {
    await service.close();
    await receiver.close();
  }
}

/** The backup with `edit` made to its text. */
function edited(file: string, edit: (text: string) => string): string {
  const copy = newFile();
  fs.writeFileSync(copy, gzipSync(edit(gunzipSync(fs.readFileSync(file)).toString())));
  return copy;
}

const tableCount = async (url: string): Promise<number> =>
  (await queryOn(url, `SELECT FROM pg_tables WHERE schemaname IN ('public', 'graphile_worker')`)).length;

describe('a backup', () => {
  it(
    'taken while payments go on is one moment, whose books agree once it is restored',
    async () => {
      const service = await startService();
      try {
        const wallets = await Promise.all([1, 2, 3].map(() => service.fundedWallet(10_000_000)));
        const count = async () =>
          Number((await service.query<{ n: string }>('SELECT count(*) AS n FROM transactions'))[0]!.n);
        let isOver = false;
        const pay = async ({ key }: CreatedWallet) => {
          while (!isOver) expectStatus(201, await service.pay(key));
        };
        const payers = wallets.flatMap((wallet) => [pay(wallet), pay(wallet)]);
        await until(async () => (await count()) > 50);
        const before = await count();
        const file = await backUp(service.databaseUrl);
        const after = await count();
        isOver = true;
        await Promise.all(payers);
        expect(after).toBeGreaterThan(before);

        const url = await emptyDatabase();
        const { code, out } = await command('restore', on(url), '--from', file);
        expect([code, out]).toEqual([0, expect.stringMatching(AGREES)]);
        const [{ n } = { n: 0 }] = await queryOn<{ n: number }>(
          url,
          'SELECT count(*)::integer AS n FROM transactions',
        );
        expect(n).toBeGreaterThanOrEqual(before);
        expect(n).toBeLessThanOrEqual(after);
        expect(await brokenInvariants({ query: (text) => queryOn(url, text) })).toEqual({});
      } finally {
        await service.close();
      }
    },
    TEST_MS_MAX,
  );

  it(
    'holds every table and sequence, and a service goes on from it: keys, webhooks, approvals, jobs',
    () =>
      withStoppedService(async (service, receiver) => {
        const wallet = await service.fundedWallet(1_000_000);
        const { token } = wallet.owner;
        receiver.behave('/hook', (response) => response.writeHead(500).end());
        const body = { url: receiver.url('/hook'), events: ['payment.approved'] };
        expectStatus(201, await service.post('/v1/webhook-endpoints', { token, body }));
        const first = expectStatus(
          201,
          await service.pay(
            wallet.key,
            { reason: 'tab\there, \\. back\\slash\nline\r ünï' },
            { 'idempotency-key': 'once' },
          ),
        );
        expectStatus(403, await service.pay(wallet.key, { amount: 100_001 }));
        await askAbove(service, wallet, 50_000);
        const pending = await payPending(service, wallet, { amount: 60_000 });
        await service.settled();
        await until(() => Promise.resolve(receiver.at('/hook').length > 0));
        await service.app.close();

        const file = await backUp(service.databaseUrl);
        const url = await emptyDatabase();
        const { code, out } = await command('restore', on(url), '--from', file);
        expect([code, out]).toEqual([0, expect.stringMatching(AGREES)]);
        const sums = await sumsOf(url);
        expect(sums).toEqual(await sumsOf(service.databaseUrl));
        expect(await sequencesOf(url)).toEqual(await sequencesOf(service.databaseUrl));
        expect(Object.values(sums).filter((sum) => !sum.startsWith('0 ')).length).toBeGreaterThan(15);

        receiver.behave('/hook', (response) => response.writeHead(200).end());
        const restored = await startService({ beside: { databaseUrl: url } as TestService });
        try {
          const again = await restored.pay(
            wallet.key,
            { reason: 'tab\there, \\. back\\slash\nline\r ünï' },
            { 'idempotency-key': 'once' },
          );
          expect([again.status, again.text]).toEqual([first.status, first.text]);
          expect(again.headers['idempotency-replayed']).toBe('true');
          await until(async () => {
            const due = await restored.query(`SELECT FROM webhook_deliveries WHERE status <> 'succeeded'`);
            return due.length === 0;
          });
          expectStatus(200, await decide(restored, wallet, pending.id, 'approve'));
          await restored.settled();
          expect((await restored.stats(wallet)).balance).toBe(1_000_000 - 1_000 - 60_000);
          expect(await brokenInvariants(restored)).toEqual({});
        } finally {
          await restored.close();
        }
      }),
    TEST_MS_MAX,
  );

  it(
    'is read by its owner alone, is never overwritten, and leaves nothing behind where it fails',
    async () => {
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
      const before = fs.readdirSync(folder);
      const again = await command('backup', on(service.databaseUrl), '--to', file);
      expect([again.code, again.err]).toEqual([1, expect.stringContaining(`${file} exists`)]);
      const lost = await command('backup', on(service.databaseUrl), '--to', join(folder, 'no', 'file'));
      expect([lost.code, lost.err]).toEqual([1, expect.stringContaining('There is no folder')]);
      const nothing = await command('backup', on(await emptyDatabase()), '--to', newFile());
      expect([nothing.code, nothing.err]).toEqual([
        1,
        expect.stringContaining('There is nothing to back up'),
      ]);
      expect(fs.readdirSync(folder)).toEqual(before);
    },
    TEST_MS_MAX,
  );

  it(
    'goes into the embedded database and out of it again',
    async () => {
      const service = await startService();
      try {
        await service.pay((await service.fundedWallet(10_000)).key);
        await service.settled();
        await service.app.close();
        const file = await backUp(service.databaseUrl);
        const DATA_DIR = join(folder, 'embedded');
        const restored = await command('restore', { DATA_DIR }, '--from', file);
        expect([restored.code, restored.out]).toEqual([0, expect.stringMatching(AGREES)]);
        const copy = newFile();
        const taken = await command('backup', { DATA_DIR }, '--to', copy);
        expect([taken.code, taken.err]).toEqual([0, expect.stringContaining('jwt-secret')]);
        const rowsOf = (path: string) =>
          gunzipSync(fs.readFileSync(path))
            .toString()
            .split('BEGIN;')[1]!
            .split('COMMIT;')[0]!
            .split('\n')
            .sort();
        expect(rowsOf(copy)).toEqual(rowsOf(file));
      } finally {
        await service.close();
      }
    },
    TEST_MS_MAX,
  );
});

describe('a restore', () => {
  async function refused(path: string, line: string | RegExp): Promise<void> {
    const url = await emptyDatabase();
    const { code, out, err } = await command('restore', on(url), '--from', path);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(line);
    expect(await tableCount(url)).toBe(0);
  }

  it('finds a row that was changed before anything is kept', () =>
    refused(
      edited(file, (text) =>
        text.replace(`${wallet.id}\t${wallet.owner.id}`, `${wallet.id}\t${randomUUID()}`),
      ),
      /is damaged: the rows of public\.wallets do not match their checksum/,
    ));

  it('finds a sequence that was changed', () =>
    refused(
      edited(file, (text) => text.replace(/(sandbox_accounts_serial_seq', )\d+/, '$1 1')),
      /is damaged: it does not match its checksum/,
    ));

  it(
    'finds a file that was cut off, and one whose bytes were changed',
    async () => {
      const bytes = fs.readFileSync(file);
      const cut = newFile();
      fs.writeFileSync(cut, bytes.subarray(0, bytes.length - 100));
      await refused(cut, /is damaged: unexpected end of file/);
      const flipped = newFile();
      bytes[Math.floor(bytes.length / 2)]! ^= 1;
      fs.writeFileSync(flipped, bytes);
      await refused(flipped, /damaged/);
      const { code, err } = await command('restore', {}, '--check', '--from', flipped);
      expect([code, err]).toEqual([1, expect.stringContaining('damaged')]);
    },
    TEST_MS_MAX,
  );

  it('refuses what is no backup, and one of another format', async () => {
    const other = newFile();
    fs.writeFileSync(other, gzipSync('CREATE TABLE t ();\n'));
    await refused(other, /is not a backup of this service/);
    await refused(
      edited(file, (text) => text.replace('"format":1', '"format":2')),
      /has format 2, made by release .* restore with the release that made it/,
    );
  });

  it('refuses the backup of a release whose migrations it does not know', () =>
    refused(
      edited(file, (text) => text.replace('"migrations":[', '"migrations":["FromTomorrow1999999999999",')),
      /whose schema this release does not know \(FromTomorrow1999999999999\): restore with release/,
    ));

  it(
    'refuses a database that a service works on, and one that holds a row',
    async () => {
      const busy = await command('restore', on(service.databaseUrl), '--from', file);
      expect([busy.code, busy.err]).toEqual([1, expect.stringContaining('A service works on this database')]);
      const url = await emptyDatabase();
      await queryOn(url, 'CREATE TABLE public.mine AS SELECT 1 AS one');
      const full = await command('restore', on(url), '--from', file);
      expect([full.code, full.err]).toEqual([
        1,
        expect.stringContaining('The database is not empty (public.mine)'),
      ]);
    },
    TEST_MS_MAX,
  );

  it(
    'brings an older schema up to date after its rows are in',
    async () => {
      const url = await emptyDatabase();
      const newest = 'BankAccessDenied1764790000050';
      const older = edited(file, (text) => resealed(text.replace(`,"${newest}"`, '')));
      const { code, out } = await command('restore', on(url), '--from', older);
      expect([code, out]).toEqual([0, expect.stringMatching(AGREES)]);
      const names = await queryOn<{ name: string }>(url, 'SELECT name FROM migrations');
      expect(names.map(({ name }) => name)).toContain(newest);
    },
    TEST_MS_MAX,
  );

  it(
    'ends with status 2 and names the wallets where the books it restored are wrong',
    async () => {
      const off: [RegExp, (text: string) => string][] = [
        [/1 wallets whose balance is not the sum/, (text) => text.replace(/\t99000\t/, '\t99001\t')],
        [/do not follow from each other/, (text) => text.replace(/(\tdebit\t1000)\t99000\t/, '$1\t98999\t')],
      ];
      for (const [line, edit] of off) {
        const url = await emptyDatabase();
        const wrong = edited(file, (text) =>
          resealed(onlyIn(text, line.source.startsWith('1') ? 'wallets' : 'ledger_entries', edit)),
        );
        const { code, out, err } = await command('restore', on(url), '--from', wrong);
        if (code !== 2) throw new Error(err);
        expect([code, out]).toEqual([2, expect.stringMatching(line)]);
        expect(out).toContain('the books are WRONG');
        expect(out).toContain(wallet.id);
        const again = await command('restore', on(url), '--books');
        expect([again.code, again.out]).toEqual([2, expect.stringMatching(line)]);
      }
    },
    TEST_MS_MAX,
  );

  it('computes the books of a database that a service works on, and changes nothing', async () => {
    const { code, out } = await command('restore', on(service.databaseUrl), '--books');
    expect([code, out]).toEqual([
      0,
      'Computed again; every balance, hold, ledger entry, payment and settlement of 1 wallets agrees, 99,000 kobo in all',
    ]);
  });

  // 2 is an answer of a restore: wrong books.
  it.each([
    ['backup', '--help', 0],
    ['backup', '--wrong', 2],
    ['restore', '--help', 0],
    ['restore', '--wrong', 1],
  ] as const)('%s does nothing for %s', async (name, flag, code) => {
    const url = await emptyDatabase();
    expect((await command(name, on(url), flag)).code).toBe(code);
    expect(await tableCount(url)).toBe(0);
  });
});

/** Applies `edit` to the rows of one table; fails where it changes nothing. */
function onlyIn(text: string, table: string, edit: (rows: string) => string): string {
  const start = text.indexOf(`\nCOPY public.${table} (`);
  const end = text.indexOf('\n\\.\n', start);
  const changed = edit(text.slice(start, end));
  expect(changed).not.toBe(text.slice(start, end));
  return text.slice(0, start) + changed + text.slice(end);
}

/** The text with checksums that match, as a forger could write them. */
function resealed(text: string): string {
  const end = text.indexOf('\nCOMMIT;\n') + '\nCOMMIT;\n'.length;
  const script = text.slice(0, end);
  const sha = (part: string): string => createHash('sha256').update(part).digest('hex');
  const { tables } = JSON.parse(text.slice(end).replace(/^-- /, '')) as {
    tables: Record<string, { rows: number; sha256: string }>;
  };
  for (const [, name, rows] of script.matchAll(/^COPY (\S+) \(.*\) FROM stdin;\n([\s\S]*?)^\\\.\n/gm))
    tables[name!] = { rows: tables[name!]!.rows, sha256: sha(rows!) };
  return `${script}-- ${JSON.stringify({ tables, sha256: sha(script) })}\n`;
}
