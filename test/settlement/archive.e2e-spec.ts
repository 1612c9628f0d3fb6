import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { archiveBatch } from '../../src/contexts/settlement/settlement-archive.store.js';
import type { Queryable } from '../../src/platform/database/tx.js';
import { freshDatabase, withClient } from '../support/database.js';
import { INHERITED } from '../support/inherited.js';
import { brokenInvariants } from '../support/invariants.js';
import { ServiceBuild } from '../support/process.js';
import { SentBack } from '../support/sent-back.js';
import { asService } from '../support/service-database.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';
import { withdraw } from '../support/withdrawals.js';

/** `npm run archive` beside the service whose payments it moves, half a year later by the database's clock. */

const FAILS = '9000000002';
const NEVER_ENDS = '9000000003';
const TEST_MS_MAX = 120_000;
const DAY_MS = 24 * 60 * 60_000;
const LATER = new Date(Date.now() + 240 * DAY_MS);
/** The month after next: all that is paid in this test is from before it. */
const BEFORE = new Date(Date.now() + 60 * DAY_MS).toISOString().slice(0, 7);

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let service: TestService;
let bank: SentBack;
let build: ServiceBuild;
let wallet: CreatedWallet;
let folder: string;
let paid: string;
let takenBack: string;
const idempotencyKey = randomUUID();

function commandOn(url: string, name: string, ...flags: string[]): Promise<Ended> {
  const env = { ...INHERITED, DATABASE_URL: asService(url), DATABASE_OWNER_URL: url };
  const script = join(build.root, `scripts/${name}.js`);
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...flags], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out: out.trim(), err: err.trim() });
    });
  });
}

/** Runs it with the clock set ahead: sessions would end. */
async function archive(...flags: string[]): Promise<Ended> {
  await service.setClock(LATER);
  try {
    return await commandOn(service.databaseUrl, 'archive', ...flags);
  } finally {
    await service.setClock(null);
  }
}

async function countsOf(): Promise<{ hot: number; archived: number }> {
  const [counts] = await service.query<{ hot: number; archived: number }>(
    `SELECT (SELECT count(*) FROM settlements)::integer AS hot,
            (SELECT count(*) FROM archived_settlements)::integer AS archived`,
  );
  return counts!;
}

async function pay(amount: number, recipientAccountNo?: string): Promise<string> {
  const fields = { amount, ...(recipientAccountNo && { recipientAccountNo }) };
  return expectStatus(201, await service.pay(wallet.key, fields)).body.data.transaction.id;
}

async function statusOf(id: string): Promise<string | undefined> {
  const { data } = await service.history(wallet);
  return data.find((row) => row.id === id)?.settlement?.status;
}

const queryableOf = (of: TestService): Queryable => ({
  query: (text, values) => of.query(text, values as unknown[]),
});

const keyed = () => service.pay(wallet.key, { amount: 4_321 }, { 'idempotency-key': idempotencyKey });

/** Every answer that shows a settlement, by address. */
async function answers(): Promise<Record<string, string>> {
  const { id, owner, key } = wallet;
  const paths = [
    `/api/wallets/${id}/transactions`,
    `/api/wallets/${id}/transactions?page=2&pageSize=3`,
    `/api/wallets/${id}/transactions/${paid}`,
    `/v1/wallets/${id}/transactions/${paid}`,
    `/v1/wallets/${id}/transactions`,
    `/api/wallets/${id}/transactions.csv`,
    `/api/wallets/${id}/ledgers`,
    `/api/wallets/${id}/ledgers.csv`,
    '/v1/transactions',
    '/v1/transactions?status=paid',
    '/v1/transactions?status=failed',
    '/v1/transactions?status=returned',
    '/v1/transactions?status=processing',
    '/v1/transactions.csv',
    '/v1/stats/at-bank',
    `/v1/wallets/${id}/stats`,
    `/api/wallets/${id}/withdrawals`,
  ];
  const texts: Record<string, string> = {};
  for (const path of paths) {
    const { status, text } = await service.get(path, { token: owner.token });
    expect([path, status]).toEqual([path, 200]);
    texts[path] = text;
  }
  for (const path of ['/api/payment-intent', `/api/payment-intent/${paid}`]) {
    const { status, text } = await service.get(path, { key });
    expect([path, status]).toEqual([path, 200]);
    texts[path] = text;
  }
  const receipt = await service.get<{ data: { receipt: string } }>(`/api/payment-intent/${paid}/receipt`, {
    key,
  });
  // Signed anew each time.
  const { iat, ...claims } = decodeJwt(receipt.body.data.receipt);
  expect(iat).toEqual(expect.any(Number));
  texts.receipt = JSON.stringify({ ...receipt.body.data, receipt: claims });
  return texts;
}

beforeAll(async () => {
  build = new ServiceBuild();
  folder = mkdtempSync(join(tmpdir(), 'wallet-archive-'));
  service = await startService({ clock: true });
  bank = new SentBack(service);
  wallet = await service.fundedWallet(1_000_000);
  for (let i = 1; i <= 5; i += 1) paid = await pay(i);
  expectStatus(201, await keyed());
  const failed = await pay(77, FAILS);
  await pay(78, NEVER_ENDS);
  await service.query(
    `UPDATE sandbox_payouts SET accepted_at = accepted_at - interval '2 seconds' WHERE reference = $1`,
    [failed],
  );
  await withdraw(service, wallet, 500);
  // Both are taken back: the one's case stays open, the other's return comes once it is archived.
  await bank.returned(wallet, 1_000);
  takenBack = await bank.paid(wallet, 2_000);
  await until(async () => {
    await bank.poll(failed);
    const open = await service.query(`SELECT FROM settlements WHERE status IN ('pending', 'processing')`);
    return open.length === 1;
  });
}, TEST_MS_MAX);
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
  build.remove();
});

it('refuses a month that ended less than 90 days ago, and anything that is no month', async () => {
  expect(await commandOn(service.databaseUrl, 'archive', '--before', BEFORE)).toEqual({
    code: 1,
    out: '',
    err: `Not all is archived. --before ${BEFORE}: a month is archived 90 days after its end; name an earlier one`,
  });
  for (const flags of [[], ['--before', '2026-13'], ['--before', 'yesterday']])
    expect(await archive(...flags)).toEqual({
      code: 2,
      out: '',
      err: '--before must name a month such as 2026-06; see --help',
    });
});

it('says with --dry-run what would move, and moves nothing', async () => {
  const before = await countsOf();
  const { code, out } = await archive('--before', BEFORE, '--dry-run');
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /^9 settlements approved before \S+ would move, 0 MB of rows; 2 stay, as they or a case about/,
    ),
  ]);
  expect(await countsOf()).toEqual(before);
});

it('goes on after a kill, leaves what is open, and every answer stays the same to the byte', async () => {
  const before = await answers();
  const end = new Date(`${BEFORE}-01T00:00:00Z`);
  const first = await archiveBatch(end, null, queryableOf(service), 2);
  expect(first).toMatchObject({ rows: 2, next: expect.any(String) });
  expect(await countsOf()).toEqual({ hot: 9, archived: 2 });
  expect(await answers()).toEqual(before);
  const { code, out } = await archive('--before', BEFORE);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^Archived 7 settlements approved before \S+, .*; 2 stay/),
  ]);
  expect(await countsOf()).toEqual({ hot: 2, archived: 9 });
  expect(await answers()).toEqual(before);
  const [row] = await service.query<{ dense: number; whole: number }>(
    `SELECT count(paid_at)::integer AS dense, count(steps)::integer AS whole FROM archived_settlements`,
  );
  // The failed one keeps its steps.
  expect(row).toEqual({ dense: 8, whole: 1 });
  expect(await brokenInvariants(service)).toEqual({});
});

it('does nothing a second time', async () => {
  const { code, out } = await archive('--before', BEFORE);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^Nothing is left to archive of what was approved before/),
  ]);
  expect(await countsOf()).toEqual({ hot: 2, archived: 9 });
});

it('runs once at a time', async () => {
  await withClient(service.databaseUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock(7310421)');
    expect((await archive('--before', BEFORE)).err).toBe(
      'Not all is archived. Another npm run archive works on this database',
    );
  });
});

it('an old idempotency key gets its answer again and pays nothing', async () => {
  const { balance } = await service.stats(wallet);
  const { headers } = expectStatus(201, await keyed());
  expect(headers['idempotency-replayed']).toBe('true');
  expect((await service.stats(wallet)).balance).toBe(balance);
});

it('the role of the service can neither delete nor add what is archived', async () => {
  await withClient(asService(service.databaseUrl), async (client) => {
    await expect(client.query('DELETE FROM archived_settlements')).rejects.toThrow('permission denied');
    await expect(
      client.query('INSERT INTO archived_settlements SELECT * FROM archived_settlements'),
    ).rejects.toThrow('permission denied');
  });
});

it(
  'a backup holds the archive, and the restored books agree; they do not without a row of it',
  async () => {
    const file = join(folder, 'backup.sql.gz');
    const plain = await startService();
    const fresh = await freshDatabase();
    try {
      const { key } = await plain.fundedWallet(100_000);
      for (let i = 1; i <= 3; i += 1) expectStatus(201, await plain.pay(key, { amount: i }));
      await plain.settled();
      await archiveBatch(new Date(Date.now() + DAY_MS), null, queryableOf(plain), 2);
      expect((await commandOn(plain.databaseUrl, 'backup', '--to', file)).code).toBe(0);
      expect(await commandOn(fresh.url, 'restore', '--from', file)).toMatchObject({
        code: 0,
        out: expect.stringContaining('payment and settlement of 1 wallets agrees'),
      });
      await withClient(fresh.url, async (client) => {
        const { rowCount } = await client.query(
          'DELETE FROM archived_settlements WHERE reference IN (SELECT reference FROM archived_settlements LIMIT 1)',
        );
        expect(rowCount).toBe(1);
      });
      expect(await commandOn(fresh.url, 'restore', '--books')).toMatchObject({
        code: 2,
        out: expect.stringContaining('lack their settlement'),
      });
    } finally {
      await plain.close();
      await fresh.drop();
    }
  },
  TEST_MS_MAX,
);

it('a payout that the bank takes back is found and shown though it is archived, once, with a case', async () => {
  expect(await statusOf(takenBack)).toBe('succeeded');
  await bank.takeBack(takenBack);
  await Promise.all([bank.poll(takenBack), bank.poll(takenBack)]);
  expect(await statusOf(takenBack)).toBe('reversed');
  expect(await countsOf()).toEqual({ hot: 2, archived: 9 });
  const [row] = await service.query<{ steps: unknown[]; paidAt: Date | null }>(
    'SELECT steps, paid_at AS "paidAt" FROM archived_settlements WHERE reference = $1',
    [takenBack],
  );
  expect([row?.steps.length, row?.paidAt]).toEqual([2, null]);
  const cases = await service.query('SELECT kind FROM operator_cases WHERE subject = $1', [takenBack]);
  expect(cases).toEqual([{ kind: 'payout-undone-after-success' }]);
  expect(await brokenInvariants(service)).toEqual({});
});
