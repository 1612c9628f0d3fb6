import { type ChildProcess, execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { archiveBatch } from '../../src/contexts/settlement/settlement-archive.store.js';
import { BODIES_ARCHIVE } from '../../src/contexts/funding/inbound-archive.store.js';
import { storedFacts } from '../../src/contexts/payments/payments.store.js';
import { FACTS_ARCHIVE } from '../../src/contexts/payments/transactions/facts-archive.store.js';
import type { Queryable } from '../../src/platform/database/tx.js';
import { askAbove, payPending } from '../support/approvals.js';
import { freshDatabase, withClient } from '../support/database.js';
import { INHERITED } from '../support/inherited.js';
import { brokenInvariants } from '../support/invariants.js';
import { ServiceBuild } from '../support/process.js';
import { SentBack } from '../support/sent-back.js';
import { asService } from '../support/service-database.js';
import {
  chargeBody,
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';
import { withdraw } from '../support/withdrawals.js';

/** `npm run archive` beside the service whose payments it moves, months later by the database's clock. */

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
let blocked: string;
const idempotencyKey = randomUUID();

function start(
  url: string,
  name: string,
  flags: readonly string[],
  ended: (end: Ended) => void,
): ChildProcess {
  const env = { ...INHERITED, DATABASE_URL: asService(url), DATABASE_OWNER_URL: url };
  const script = join(build.root, `scripts/${name}.js`);
  return execFile(process.execPath, [script, ...flags], { env }, (error, out, err) => {
    ended({ code: error ? Number(error.code) : 0, out: out.trim(), err: err.trim() });
  });
}

const commandOn = (url: string, name: string, ...flags: string[]): Promise<Ended> =>
  new Promise((ended) => start(url, name, flags, ended));

/** Runs it with the clock set ahead: sessions would end. */
async function archive(...flags: string[]): Promise<Ended> {
  await service.setClock(LATER);
  try {
    return await commandOn(service.databaseUrl, 'archive', ...flags);
  } finally {
    await service.setClock(null);
  }
}

/** Rows of each kind: where they were, and archived. */
async function countsOf(): Promise<Record<'settlements' | 'bodies' | 'facts', readonly [number, number]>> {
  const [row] = await service.query<{ counts: never }>(
    `SELECT json_build_object(
       'settlements', ARRAY[(SELECT count(*) FROM settlements), (SELECT count(*) FROM archived_settlements)],
       'bodies', ARRAY[(SELECT count(*) FROM inbound_transfers WHERE body <> ''),
                       (SELECT count(*) FROM archived_bodies, unnest(ids))],
       'facts', ARRAY[(SELECT count(*) FROM transactions WHERE json_typeof(facts) <> 'null'),
                      (SELECT count(*) FROM archived_facts, unnest(ids))]) AS counts`,
  );
  return row!.counts;
}

/** By transfer. */
const bodies = () =>
  service.query(
    `SELECT id, coalesce(nullif(body, ''), archived_body(id)) AS body FROM inbound_transfers ORDER BY id`,
  );

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

/** Above the limit of a payment. */
const blockedKeyed = () =>
  service.pay(wallet.key, { amount: 900_000_000 }, { 'idempotency-key': `blocked-${idempotencyKey}` });

const keyed = () => service.pay(wallet.key, { amount: 4_321 }, { 'idempotency-key': idempotencyKey });

/** Every answer that shows a settlement, facts or a transfer, by address. */
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
    '/v1/transactions?status=blocked',
    '/v1/approvals',
    '/v1/stats/at-bank',
    '/v1/stats/total',
    '/v1/spend',
    '/v1/spend.csv',
    '/v1/spend-by-day',
    '/v1/search?q=Acme',
    '/v1/statements',
    `/v1/bookkeeping.csv?month=${new Date().toISOString().slice(0, 7)}`,
    '/v1/home',
    '/api/ledger',
    `/v1/wallets/${id}/ledger`,
    `/v1/wallets/${id}/ledger.csv`,
    `/v1/wallets/${id}/stats`,
    `/v1/wallets/${id}/spend-by-day`,
    `/api/wallets/${id}/payees`,
    `/api/wallets/${id}/withdrawals`,
    `/api/wallets/${id}/transactions/${blocked}`,
    `/v1/wallets/${id}/transactions/${blocked}`,
  ];
  const texts: Record<string, string> = {};
  for (const path of paths) {
    const { status, text } = await service.get(path, { token: owner.token });
    expect([path, status]).toEqual([path, 200]);
    // The period that was asked for ends now.
    texts[path] = text.replaceAll(/"(from|to)":"[^"]*Z"/g, '');
  }
  for (const path of [
    '/api/payment-intent',
    `/api/payment-intent/${paid}`,
    `/api/payment-intent/${blocked}`,
  ]) {
    const { status, text } = await service.get(path, { key });
    expect([path, status]).toEqual([path, 200]);
    texts[path] = text;
  }
  const rules = { token: owner.token, body: { spendLimitPerTx: 3, days: 30 } };
  texts.backtest = expectStatus(200, await service.post(`/api/wallets/${id}/backtest`, rules)).text;
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
  blocked = expectStatus(403, await blockedKeyed()).body.transactionId!;
  await askAbove(service, wallet, 50_000);
  const { id: pending } = await payPending(service, wallet, { amount: 50_001 });
  await service.query(`UPDATE transactions SET approval_expires_at = '2099-01-01' WHERE id = $1`, [pending]);
  await service.topUp(wallet.id, 300);
  expect((await service.webhook(chargeBody(randomUUID(), { reference: 'unmatched' }))).status).toBe(400);
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
  expect([
    code,
    out
      .replaceAll(BEFORE, 'then')
      .replaceAll(/\d\S* MB/g, '… MB')
      .split('\n'),
  ]).toEqual([
    0,
    [
      '9 settlements approved before then would move, … MB; 2 stay, as they or a case about them are open',
      '2 bodies of inbound webhooks received before then would move, … MB; 1 stay, as their transfers are open',
      '11 facts of attempts made before then would move, … MB; 1 stay, as the payments wait for approval',
      'Nothing is moved yet: … MB would be free for new rows.',
    ],
  ]);
  expect(await countsOf()).toEqual(before);
});

it('--help moves nothing, also beside --before', async () => {
  const before = await countsOf();
  const { code, out } = await archive('--before', BEFORE, '--help');
  expect([code, out]).toEqual([0, expect.stringMatching(/^Moves bulky data of closed months/)]);
  expect(await countsOf()).toEqual(before);
});

it(
  'goes on after a kill -9, leaves what is open, and every answer stays the same to the byte',
  async () => {
    const before = await answers();
    const sent = await bodies();
    const end = new Date(`${BEFORE}-01T00:00:00Z`);
    const first = await archiveBatch(end, null, queryableOf(service), 2);
    expect(first).toMatchObject({ rows: 2, next: expect.any(String) });

    await service.query(
      `CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$`,
    );
    await service.query(
      'CREATE TRIGGER wait_here BEFORE INSERT ON archived_facts FOR EACH ROW EXECUTE FUNCTION wait_here()',
    );
    await withClient(service.databaseUrl, async (client) => {
      await client.query('SELECT pg_advisory_lock(1)');
      await service.setClock(LATER);
      const killed = new Promise<Ended>((ended) => {
        const command = start(service.databaseUrl, 'archive', ['--before', BEFORE], ended);
        void until(async () => (await waiting()).length === 1).then(() => command.kill('SIGKILL'));
      });
      await killed;
      await service.setClock(null);
      await service.query('SELECT pg_terminate_backend($1)', [(await waiting())[0]!.pid]);
      await until(async () => (await waiting()).length === 0);
    });
    await service.query('DROP TRIGGER wait_here ON archived_facts');
    expect(await countsOf()).toEqual({ settlements: [2, 9], bodies: [1, 2], facts: [12, 0] });
    expect(await answers()).toEqual(before);

    const { code, out } = await archive('--before', BEFORE);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /\n11 facts of .*\nNothing is left to archive: \S+ MB are free for new rows, the archive took \S+ MB\.$/,
      ),
    ]);
    expect(await countsOf()).toEqual({ settlements: [2, 9], bodies: [1, 2], facts: [1, 11] });
    expect(await answers()).toEqual(before);
    expect(await bodies()).toEqual(sent);
    const [row] = await service.query<{ dense: number; whole: number }>(
      `SELECT count(paid_at)::integer AS dense, count(steps)::integer AS whole FROM archived_settlements`,
    );
    // The failed one keeps its steps.
    expect(row).toEqual({ dense: 8, whole: 1 });
    expect(await brokenInvariants(service)).toEqual({});
  },
  TEST_MS_MAX,
);

/** Sessions of the command that wait for the lock of the test. */
const waiting = () =>
  service.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'npm run archive'
        AND wait_event = 'advisory'`,
  );

it('finds facts by their attempt also where a later run archived what an earlier one left', async () => {
  const { databaseUrl } = service;
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ ids: string[] }>('SELECT ids FROM archived_facts');
    const [ids] = rows.map((row) => row.ids);
    await client.query('BEGIN');
    const left = [ids![0], ids!.at(-1)];
    await client.query('UPDATE transactions SET facts = archived_facts(id) WHERE id = ANY ($1::uuid[])', [
      left,
    ]);
    await client.query(
      `UPDATE archived_facts SET ids = ids[2:10], facts = facts[2:10], first_id = ids[2], last_id = ids[10]`,
    );
    const facts = `SELECT t.id, (${storedFacts('t')})::text AS facts FROM transactions t ORDER BY t.id`;
    const { rows: before } = await client.query(facts);
    const again = await FACTS_ARCHIVE.move(new Date(`${BEFORE}-01T00:00:00Z`), null, {
      query: async (text, values) => (await client.query(text, values as unknown[])).rows as never,
    });
    expect(again).toMatchObject({ rows: 2, next: null });
    const { rows: after } = await client.query(facts);
    expect(after).toEqual(before);
    await client.query('ROLLBACK');
  });
});

it('does nothing a second time', async () => {
  const { code, out } = await archive('--before', BEFORE);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^0 settlements .*\nNothing is left to archive: 0 MB are free/s),
  ]);
  expect(await countsOf()).toEqual({ settlements: [2, 9], bodies: [1, 2], facts: [1, 11] });
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
  const again = expectStatus(403, await blockedKeyed());
  expect(again.body).toMatchObject({
    replayed: true,
    transactionId: blocked,
    code: 'SPEND_LIMIT_PER_TX_EXCEEDED',
  });
});

it('a transfer whose body is archived is credited once all the same', async () => {
  const [transfer] = await service.query<{ reference: string; body: string; status: string }>(
    `SELECT reference, archived_body(id) AS body FROM inbound_transfers WHERE body = '' LIMIT 1`,
  );
  const { balance } = await service.stats(wallet);
  expectStatus(200, await service.webhook(transfer!.body));
  expect((await service.stats(wallet)).balance).toBe(balance);
});

it('the role of the service can neither delete nor add what is archived', async () => {
  await withClient(asService(service.databaseUrl), async (client) => {
    for (const table of ['archived_settlements', 'archived_facts', 'archived_bodies'])
      await expect(client.query(`DELETE FROM ${table}`)).rejects.toThrow('permission denied');
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
      const tomorrow = new Date(Date.now() + DAY_MS);
      await archiveBatch(tomorrow, null, queryableOf(plain), 2);
      await FACTS_ARCHIVE.move(tomorrow, null, queryableOf(plain));
      await BODIES_ARCHIVE.move(tomorrow, null, queryableOf(plain));
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
        await client.query('UPDATE archived_facts SET ids = ids[2:], facts = facts[2:]');
        await client.query('DELETE FROM archived_bodies');
      });
      expect(await commandOn(fresh.url, 'restore', '--books')).toMatchObject({
        code: 2,
        out: expect.stringMatching(/lack their settlement.*lack the facts.*lack the body/s),
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
  expect((await countsOf()).settlements).toEqual([2, 9]);
  const [row] = await service.query<{ steps: unknown[]; paidAt: Date | null }>(
    'SELECT steps, paid_at AS "paidAt" FROM archived_settlements WHERE reference = $1',
    [takenBack],
  );
  expect([row?.steps.length, row?.paidAt]).toEqual([2, null]);
  const cases = await service.query('SELECT kind FROM operator_cases WHERE subject = $1', [takenBack]);
  expect(cases).toEqual([{ kind: 'payout-undone-after-success' }]);
  expect(await brokenInvariants(service)).toEqual({});
});
