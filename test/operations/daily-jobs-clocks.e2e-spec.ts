import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BODIES_ARCHIVE } from '../../src/contexts/funding/inbound-archive.store.js';
import { FACTS_ARCHIVE } from '../../src/contexts/payments/transactions/facts-archive.store.js';
import { archiveBatch } from '../../src/contexts/settlement/settlement-archive.store.js';
import { Jobs } from '../../src/platform/jobs/jobs.js';
import type { Queryable } from '../../src/platform/database/tx.js';
import { setZone } from '../statements/statement-helpers.js';
import { brokenInvariants } from '../support/invariants.js';
import { MailServer } from '../support/mail-server.js';
import { businessOwner, invite, mailingTo } from '../support/members.js';
import { freePort } from '../support/ports.js';
import { ServiceBuild, type ServiceProcess } from '../support/process.js';
import { SENT_BACK } from '../support/sent-back.js';
import {
  type CreatedWallet,
  expectStatus,
  paymentBody,
  startService,
  type TestService,
  until,
} from '../support/service.js';
import { asService, JWT_SECRET } from '../support/service-database.js';

/**
 * Jobs of the day and of the hour in a replica whose clock is an hour wrong, around a midnight that begins a month. The
 * database's clock, which decides, is the test's, also for the queue of jobs.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TEST_MS_MAX = 60_000;
/** In UTC. */
const MIDNIGHT = Date.parse('2026-03-01T00:00:00.000Z');
/** By name, at what time of the day. */
const DAILY: Readonly<Record<string, string>> = {
  'funding.reconcile-daily': '01:30',
  'settlement.reconcile-daily': '02:00',
  'payments.reconcile-holds-daily': '02:30',
  'payments.rotate-receipt-key-daily': '02:40',
  'operations.check-invariants-daily': '03:00',
  'funding.purge-ignored-daily': '03:30',
  'identity.record-expired-invitations-daily': '03:40',
  'activity.delete-old-daily': '04:10',
};

const build = new ServiceBuild();
let mails: MailServer;
beforeAll(async () => {
  mails = await MailServer.start();
});
afterAll(async () => {
  await mails.stop();
  build.remove();
});

/** A service whose jobs others run: it has none of its own. */
async function withoutJobs(): Promise<TestService> {
  const service = await startService({ clock: true, env: mailingTo(mails) });
  await service.app.get(Jobs, { strict: false }).stop();
  await service.query(
    `CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT public.statement_timestamp()'`,
  );
  return service;
}

const setClock = (service: TestService, at: number): Promise<void> => service.setClock(new Date(at));

async function startReplica({ databaseUrl }: TestService, clock: number): Promise<ServiceProcess> {
  return build.start(
    await freePort(),
    {
      ...mailingTo(mails),
      AUTO_REFUND_RETURNED: 'true',
      INVARIANT_CHECK_SECONDS: '0',
      DATABASE_URL: asService(databaseUrl),
      DATABASE_OWNER_URL: databaseUrl,
      JWT_SECRET,
      CLOCK_SHIFT_MS: String(clock - Date.now()),
    },
    join(import.meta.dirname, '../support/shifted-clock.mjs'),
  );
}

/** Waits until nothing is due by the database's clock, with all that follows from it. */
async function idle(service: TestService): Promise<void> {
  await until(async () => {
    const due = await service.query(
      `SELECT FROM graphile_worker.jobs WHERE run_at <= now()
       UNION ALL SELECT FROM statements WHERE status IN ('waiting', 'making')`,
    );
    return due.length === 0;
  }, 30_000);
  expect(
    await service.query('SELECT task_identifier, last_error FROM graphile_worker.jobs WHERE attempts > 0'),
  ).toEqual([]);
}

describe.each([
  ['behind', -HOUR_MS],
  ['ahead', HOUR_MS],
])('a replica whose clock is an hour %s', (_, shiftMs) => {
  let service: TestService;
  let replica: ServiceProcess;
  beforeAll(async () => {
    service = await withoutJobs();
    await setClock(service, MIDNIGHT);
    replica = await startReplica(service, MIDNIGHT + shiftMs);
  }, TEST_MS_MAX);
  afterAll(async () => {
    await replica.kill('SIGTERM');
    await service.close();
  });

  const run = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) {
      await service.query(`SELECT graphile_worker.add_job($1, '{}')`, [name]);
      await idle(service);
    }
  };

  async function walletAt(at: number, fields?: Record<string, unknown>): Promise<CreatedWallet> {
    await setClock(service, at);
    return service.fundedWallet(1_000_000, fields);
  }

  /** Decided, with an id made, by the replica. */
  async function payThere({ key }: CreatedWallet, fields: Record<string, unknown>): Promise<string> {
    const { data } = await replica.call<{ data: { transaction: { id: string } } }>(
      'POST',
      '/api/payment-intent',
      {
        key,
        body: paymentBody(fields),
      },
    );
    await service.settled();
    return data.transaction.id;
  }

  const casesOf = (subject: string) =>
    service.query<{ kind: string }>('SELECT kind FROM operator_cases WHERE subject = $1 ORDER BY kind', [
      subject,
    ]);

  it(
    'mails the statement of a month once it is final by the database, and never again',
    async () => {
      const FINAL = MIDNIGHT + 10 * MINUTE_MS;
      const { owner } = await walletAt(MIDNIGHT - 14 * DAY_MS);
      await setZone(service, owner, 'Europe/London');
      expectStatus(
        200,
        await service.call('PUT', '/v1/statement-mail', { token: owner.token, body: { mail: true } }),
      );
      const letters = () =>
        mails.to(owner.email).filter(({ subject }) => subject.startsWith('Statement for'));
      for (const at of [MIDNIGHT - HOUR_MS, MIDNIGHT - 1, MIDNIGHT, FINAL - 1]) {
        await setClock(service, at);
        await run('statements.mail-hourly');
        expect([at, letters()]).toEqual([at, []]);
      }
      for (const at of [FINAL, FINAL, FINAL + HOUR_MS, FINAL + DAY_MS]) {
        await setClock(service, at);
        await run('statements.mail-hourly');
        expect(letters().map(({ subject }) => subject)).toEqual(['Statement for February 2026']);
      }
      expect(letters()[0]!.text).toContain('Closing balance: ₦10,000.00');
    },
    TEST_MS_MAX,
  );

  it(
    'deletes and renews what is old by the database, to the millisecond',
    async () => {
      const owner = await businessOwner(service);
      await setClock(service, MIDNIGHT);
      const around = (end: number) => [-HOUR_MS / 2, -1, 0, 1, HOUR_MS / 2].map((ms) => new Date(end + ms));
      const accountId = randomUUID();
      for (const [slot, at] of around(MIDNIGHT - 30 * DAY_MS).entries())
        await service.query(
          `INSERT INTO inbound_transfers (id, status, reason, body, body_hash, received_at, ignored_slot)
           VALUES (gen_random_uuid(), 'ignored', 'another event', '{}', '\\x00', $1, $2)`,
          [at, slot],
        );
      for (const at of around(MIDNIGHT - 730 * DAY_MS))
        await service.query(
          `INSERT INTO account_activity (account_id, id, at, act) VALUES ($1, gen_random_uuid(), $2, 'key.created')`,
          [accountId, at],
        );
      for (const [i, at] of around(MIDNIGHT).entries()) {
        const email = `${i}-${randomUUID()}@example.com`;
        expectStatus(201, await invite(service, owner, email, 'viewer'));
        await service.query('UPDATE member_invitations SET expires_at = $1 WHERE email = $2', [at, email]);
      }
      const left = async () => {
        const [counts] = await service.query<Record<string, number>>(
          `SELECT (SELECT count(*) FROM inbound_transfers WHERE status = 'ignored')::integer AS ignored,
                  (SELECT count(*) FROM account_activity WHERE account_id = $1)::integer AS lines,
                  (SELECT count(*) FROM account_activity WHERE account_id = $2 AND act = 'member.invitation-expired')::integer
                    AS expired`,
          [accountId, owner.id],
        );
        return counts;
      };
      expect(await left()).toEqual({ ignored: 5, lines: 5, expired: 0 });
      for (let time = 1; time <= 2; time += 1) {
        await run(
          'funding.purge-ignored-daily',
          'activity.delete-old-daily',
          'identity.record-expired-invitations-daily',
        );
        expect(await left()).toEqual({ ignored: 3, lines: 3, expired: 3 });
      }

      const signing = async (age: number) => {
        await service.query('UPDATE receipt_keys SET created_at = $1 WHERE retired_at IS NULL', [
          new Date(MIDNIGHT - age),
        ]);
        await run('payments.rotate-receipt-key-daily');
        const keys = await service.query<{ kid: string }>(
          'SELECT kid FROM receipt_keys WHERE retired_at IS NULL',
        );
        return keys.map(({ kid }) => kid);
      };
      const [young] = await signing(0);
      expect(await signing(90 * DAY_MS - HOUR_MS / 2)).toEqual([young]);
      expect(await signing(90 * DAY_MS - 1)).toEqual([young]);
      const [next, ...others] = await signing(90 * DAY_MS);
      expect([others, next === young]).toEqual([[], false]);
      expect(await signing(0)).toEqual([next]);
    },
    TEST_MS_MAX,
  );

  it(
    'finds in the night what the bank took back and what no webhook told of, and books each once',
    async () => {
      const wallet = await walletAt(MIDNIGHT - MINUTE_MS);
      const payments = [
        await payThere(wallet, { amount: 1_000, recipientAccountNo: SENT_BACK }),
        await payThere(wallet, { amount: 2_000, recipientAccountNo: SENT_BACK }),
      ];
      await service.query(
        `INSERT INTO sandbox_collections (reference, account_number, amount, at) VALUES ($1, $2, 5000, $3), ($4, $2, 7000, $5)`,
        [
          randomUUID(),
          wallet.virtualAccount.accountNumber,
          new Date(MIDNIGHT - 3 * DAY_MS),
          randomUUID(),
          new Date(MIDNIGHT - 1),
        ],
      );
      await setClock(service, MIDNIGHT);
      const nightly = [
        'funding.reconcile-daily',
        'settlement.reconcile-daily',
        'settlement.check-paid-hourly',
      ];
      await run(...nightly);
      await setClock(service, MIDNIGHT + DAY_MS);
      await run(...nightly);
      const entries = (await service.ledger(wallet, '?pageSize=100')).data;
      const refunds = entries.filter(({ type }) => type === 'refund');
      expect(refunds.map(({ transactionId }) => transactionId).sort()).toEqual([...payments].sort());
      const credits = entries.filter(({ type }) => type === 'topup').map(({ amount }) => amount);
      expect(credits.sort((one, other) => one - other)).toEqual([5_000, 7_000, 1_000_000]);
      for (const id of payments) expect(await casesOf(id)).toEqual([{ kind: 'payout-undone-after-success' }]);
      expect(await brokenInvariants(service)).toEqual({});
    },
    TEST_MS_MAX,
  );

  it(
    'checks all books by the times of the database, and opens the case of a broken one once',
    async () => {
      const cap = { spendLimitPerTx: 1_000, spendLimitPeriod: 1_000, periodWindowDays: 1 };
      const wallet = await walletAt(MIDNIGHT - DAY_MS, cap);
      await payThere(wallet, { amount: 1_000 });
      await setClock(service, MIDNIGHT - 1);
      await expect(payThere(wallet, { amount: 1_000 })).rejects.toThrow('SPEND_LIMIT_PER_PERIOD_EXCEEDED');
      await setClock(service, MIDNIGHT);
      await payThere(wallet, { amount: 1_000 });
      const broken = () =>
        service.query<{ kind: string }>(
          'SELECT kind FROM operator_cases WHERE wallet_id = $1 ORDER BY kind',
          [wallet.id],
        );
      const books = ['operations.check-invariants-daily', 'payments.reconcile-holds-daily'];
      await run(...books);
      expect(await broken()).toEqual([]);
      await service.query('UPDATE wallets SET held = held + 1, held_count = held_count + 1 WHERE id = $1', [
        wallet.id,
      ]);
      await run(...books, ...books);
      expect(await broken()).toEqual([{ kind: 'hold-mismatch' }, { kind: 'invariant-broken' }]);
      await service.query('UPDATE wallets SET held = 0, held_count = 0 WHERE id = $1', [wallet.id]);
    },
    TEST_MS_MAX,
  );

  it(
    'leaves to the archive of a month what the database dates before its end, and nothing else',
    async () => {
      const wallet = await walletAt(MIDNIGHT - 1);
      const fromThere = async (at: number) => {
        await setClock(service, at);
        const id = await payThere(wallet, { amount: 100 });
        const reference = randomUUID();
        const body = {
          event: 'charge.success',
          data: {
            reference,
            amount: 1,
            currency: 'NGN',
            virtual_bank_account: { account_reference: wallet.id },
          },
        };
        await replica.call('POST', '/api/webhooks', { body });
        return { id, reference };
      };
      const ofMonth = await fromThere(MIDNIGHT - 1);
      const ofNext = await fromThere(MIDNIGHT);
      const database: Queryable = { query: (text, values) => service.query(text, values as unknown[]) };
      for (const archive of [archiveBatch, FACTS_ARCHIVE.move, BODIES_ARCHIVE.move])
        for (
          let next: string | null = null;
          ({ next } = await archive(new Date(MIDNIGHT), next, database)), next !== null;
        );
      const archived = async ({ id, reference }: typeof ofMonth) => {
        const [found] = await service.query(
          `SELECT EXISTS (SELECT FROM archived_settlements WHERE reference = $1) AS settlement,
                  archived_facts($1) IS NOT NULL AS facts,
                  (SELECT archived_body(id) IS NOT NULL FROM inbound_transfers WHERE reference = $2) AS body`,
          [id, reference],
        );
        return found;
      };
      expect(await archived(ofMonth)).toEqual({ settlement: true, facts: true, body: true });
      expect(await archived(ofNext)).toEqual({ settlement: false, facts: false, body: false });
      expect(await brokenInvariants(service)).toEqual({});
    },
    TEST_MS_MAX,
  );
});

it(
  'each daily job is run once a day, at its time by the database, though replicas are an hour behind and an hour ahead',
  async () => {
    const service = await withoutJobs();
    try {
      const known = await service.query<{ identifier: string }>(
        `SELECT identifier FROM graphile_worker._private_known_crontabs WHERE identifier LIKE '%-daily'`,
      );
      expect(known.map(({ identifier }) => identifier).sort()).toEqual(Object.keys(DAILY).sort());
      await service.query('UPDATE graphile_worker._private_known_crontabs SET known_since = $1', [
        new Date(MIDNIGHT - 12 * HOUR_MS),
      ]);
      await service.query('CREATE TABLE ended_jobs (name text, run_at timestamptz, ended_at timestamptz)');
      await service.query(
        `CREATE FUNCTION note_end() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
         BEGIN
           INSERT INTO public.ended_jobs SELECT t.identifier, OLD.run_at, public.now() FROM graphile_worker._private_tasks t
            WHERE t.id = OLD.task_id AND t.identifier LIKE '%-daily';
           RETURN OLD;
         END $$`,
      );
      await service.query(
        'CREATE TRIGGER note_end AFTER DELETE ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION note_end()',
      );
      const timeOf = (name: string) => Date.parse(`2026-03-01T${DAILY[name]}:00Z`);
      // Each job is due at one of these for the replica ahead alone, and at the next for all but the one behind.
      for (const time of ['01:29', '02:29', '03:29', '04:29']) {
        const clock = Date.parse(`2026-03-01T${time}:00Z`);
        await setClock(service, clock);
        const replicas = await Promise.all(
          [-HOUR_MS, HOUR_MS].map((shiftMs) => startReplica(service, clock + shiftMs)),
        );
        const due = Object.keys(DAILY).filter((name) => timeOf(name) <= clock);
        const ended = () =>
          service.query<{ name: string; run_at: Date; ended_at: Date }>(
            'SELECT * FROM ended_jobs ORDER BY run_at',
          );
        try {
          await until(async () => (await ended()).length >= due.length);
          await idle(service);
        } finally {
          await Promise.all(replicas.map((each) => each.kill('SIGTERM')));
        }
        const rows = await ended();
        expect([time, rows.map(({ name }) => name).sort()]).toEqual([time, due.sort()]);
        for (const { name, run_at, ended_at } of rows) {
          expect([name, run_at.getTime()]).toEqual([name, timeOf(name)]);
          expect(ended_at.getTime()).toBeGreaterThanOrEqual(run_at.getTime());
        }
      }
    } finally {
      await service.close();
    }
  },
  2 * TEST_MS_MAX,
);
