import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SettlementLookups } from '../../src/contexts/settlement/settlement-lookups.store.js';
import { askAbove } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { freePort } from '../support/ports.js';
import { ServiceBuild, type ServiceProcess } from '../support/process.js';
import { isVerified, Receiver } from '../support/receiver.js';
import {
  type CreatedWallet,
  expectStatus,
  PASSWORD,
  paymentBody,
  startService,
  type TestService,
  type TestUser,
  until,
} from '../support/service.js';
import { asService, JWT_SECRET } from '../support/service-database.js';
import { madeStatement } from '../statements/statement-helpers.js';

/** A replica whose clock is an hour wrong, beside a correct one: nothing is lost, doubled or stopped. */

const HOUR_MS = 60 * 60_000;
const PAYMENTS = 40;
/** Below 20 no replica admits anything by itself, so that the limit is exact. */
const READS_PER_SECOND = 10;
const ENV = {
  WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.2',
  INVARIANT_CHECK_SECONDS: '1',
  LOGIN_FAILURES_MAX: '3',
  KEY_REQUESTS_PER_SECOND_MAX: String(READS_PER_SECOND),
};
const PRELOAD = join(import.meta.dirname, '../support/shifted-clock.mjs');
const TEST_MS_MAX = 60_000;

const build = new ServiceBuild();
afterAll(() => build.remove());

const start = async (databaseUrl: string, shiftMs: number): Promise<ServiceProcess> =>
  build.start(
    await freePort(),
    {
      ...ENV,
      DATABASE_URL: asService(databaseUrl),
      DATABASE_OWNER_URL: databaseUrl,
      JWT_SECRET,
      CLOCK_SHIFT_MS: String(shiftMs),
    },
    PRELOAD,
  );

describe.each([
  ['behind', -HOUR_MS],
  ['ahead', HOUR_MS],
])('a replica whose clock is an hour %s, beside a correct one', (_, shiftMs) => {
  let service: TestService;
  let shifted: ServiceProcess;
  let receiver: Receiver;
  beforeAll(async () => {
    service = await startService({ env: ENV });
    receiver = await Receiver.start();
    shifted = await start(service.databaseUrl, shiftMs);
  }, TEST_MS_MAX);
  afterAll(async () => {
    await shifted.kill('SIGTERM');
    await service.close();
    await receiver.close();
  });

  interface Paid {
    readonly data: { readonly transaction: { readonly id: string; readonly createdAt: string } };
  }

  async function payThere({ key }: CreatedWallet, amount: number, idempotencyKey: string): Promise<Paid> {
    const response = await fetch(`${shifted.url}/api/payment-intent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': idempotencyKey },
      body: JSON.stringify(paymentBody({ amount })),
    });
    const body = (await response.json()) as Paid;
    if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(body)}`);
    return body;
  }

  const whoAmI = (at: string, token: string): Promise<Response> =>
    fetch(`${at}/v1/auth/session`, { headers: { authorization: `Bearer ${token}` } });

  it(
    'pays what both are asked once, at the time of the database, settles it and tells of it once',
    async () => {
      const wallet = await service.fundedWallet(1_000_000);
      const endpoint = expectStatus(
        201,
        await service.post<{ data: { secret: string } }>('/v1/webhook-endpoints', {
          token: wallet.owner.token,
          body: { url: receiver.url('/hook'), events: ['payment.approved', 'payment.settled'] },
        }),
      ).body.data;
      const began = Date.now();
      const ids = await Promise.all(
        Array.from({ length: PAYMENTS }, async (_, i) => {
          const key = randomUUID();
          const [here, there] = await Promise.all([
            service.pay(wallet.key, { amount: i + 1 }, { 'idempotency-key': key }),
            payThere(wallet, i + 1, key),
          ]);
          const { id, createdAt } = there.data.transaction;
          expect(expectStatus(201, here).body.data.transaction.id).toBe(id);
          expect(Math.abs(Date.parse(createdAt) - began)).toBeLessThan(TEST_MS_MAX);
          return id;
        }),
      );
      expect(new Set(ids).size).toBe(PAYMENTS);
      await service.settled();
      const [payouts] = await service.query<{ count: number }>(
        'SELECT count(*)::integer AS count FROM sandbox_payouts WHERE reference = ANY ($1::uuid[])',
        [ids],
      );
      expect(payouts).toEqual({ count: PAYMENTS });
      const told = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size;
      await until(() => Promise.resolve(told() === 2 * PAYMENTS));
      expect(receiver.received).toHaveLength(2 * PAYMENTS);
      expect(receiver.received.filter((each) => !isVerified(each, endpoint.secret))).toEqual([]);
      const { data } = await service.history(wallet, '?pageSize=100');
      const times = data.map(({ createdAt }) => createdAt);
      expect(times).toEqual([...times].sort().reverse());
      expect((await service.stats(wallet)).balance).toBe(1_000_000 - (PAYMENTS * (PAYMENTS + 1)) / 2);
      expect(await brokenInvariants(service)).toEqual({});
    },
    TEST_MS_MAX,
  );

  it(
    'settles what the other left when it was killed',
    async () => {
      const wallet = await service.fundedWallet(1_000_000);
      const underWay = Array.from({ length: PAYMENTS }, (_, i) =>
        payThere(wallet, i + 1, randomUUID()).catch(() => undefined),
      );
      await Promise.race(underWay);
      await shifted.kill('SIGKILL');
      await Promise.all(underWay);
      shifted = await start(service.databaseUrl, shiftMs);
      // Moves the leases of the dead nearer, which are of 40 s at most: one made by an hour's wrong clock stays.
      await service.query(
        `UPDATE settlements SET next_poll_at = next_poll_at - interval '40 seconds' WHERE status = 'processing'`,
      );
      await until(async () => {
        const open = await service.query(
          `SELECT 1 FROM settlements WHERE status IN ('pending', 'processing')`,
        );
        return open.length === 0;
      }, TEST_MS_MAX);
      expect(await brokenInvariants(service)).toEqual({});
    },
    2 * TEST_MS_MAX,
  );

  it(
    'expires an approval when the database says so, once, and asks its owner once',
    async () => {
      const wallet = await service.fundedWallet(1_000_000);
      await askAbove(service, wallet, 100, { approvalTtlMinutes: 5 });
      await Promise.all([
        payThere(wallet, 200, randomUUID()),
        service.pay(wallet.key, { amount: 300 }).then((answer) => expectStatus(202, answer)),
      ]);
      const states = () =>
        service.query<{ approval: string; minutes: number }>(
          `SELECT approval, (extract(epoch FROM approval_expires_at - created_at) / 60)::float8 AS minutes
             FROM transactions WHERE wallet_id = $1`,
          [wallet.id],
        );
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      expect(await states()).toEqual(Array(2).fill({ approval: 'pending', minutes: 5 }));
      await service.query(
        `UPDATE transactions SET approval_expires_at = clock_timestamp() WHERE approval = 'pending' AND wallet_id = $1`,
        [wallet.id],
      );
      await until(async () => (await states()).every(({ approval }) => approval === 'expired'));
      expect((await service.stats(wallet)).balance).toBe(1_000_000);
      const notices = () =>
        service.get<{ data: { kind: string; outcome: string | null }[] }>('/v1/notifications', {
          token: wallet.owner.token,
        });
      await until(
        async () => (await notices()).body.data.filter(({ outcome }) => outcome === 'expired').length >= 2,
      );
      const asked = (await notices()).body.data.filter(({ kind }) => kind === 'approval.requested');
      expect(asked).toHaveLength(2);
      expect(await brokenInvariants(service)).toEqual({});
    },
    TEST_MS_MAX,
  );

  it('takes sessions of the other until they end', async () => {
    const here: TestUser = await service.signUp();
    const { data: there } = await shifted.call<{ data: { token: string } }>('POST', '/v1/auth/signup', {
      body: { email: `${randomUUID()}@example.com`, password: PASSWORD, accountType: 'developer' },
    });
    expect((await whoAmI(shifted.url, here.token)).status).toBe(200);
    expectStatus(200, await service.get('/v1/auth/session', { token: there.token }));
    await shifted.call('POST', '/v1/auth/logout', { token: here.token });
    expectStatus(401, await service.get('/v1/auth/session', { token: here.token }));
    expectStatus(200, await service.post('/v1/auth/logout', { token: there.token }));
    expect((await whoAmI(shifted.url, there.token)).status).toBe(401);
  });

  it('tells of a sign-in at the time of the database', async () => {
    const { id, email } = await service.signUp();
    const response = await fetch(`${shifted.url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'another browser' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    expect(response.status).toBe(200);
    const told = () =>
      service.query<{ at: string }>(
        `SELECT data->>'at' AS at FROM notices WHERE kind = 'session.started' AND user_id = $1`,
        [id],
      );
    await until(async () => (await told()).length === 1);
    expect(Math.abs(Date.parse((await told())[0]!.at) - Date.now())).toBeLessThan(TEST_MS_MAX);
  });

  it(
    'holds the limits of requests and of failed logins with the other, and lets go of them in time',
    async () => {
      const { key, owner } = await service.createWallet();
      const read = async (i: number): Promise<number> =>
        i % 2 === 0
          ? (await service.get('/api/wallet', { key })).status
          : (await fetch(`${shifted.url}/api/wallet`, { headers: { 'x-api-key': key } })).status;
      const began = performance.now();
      const statuses = await Promise.all(Array.from({ length: 5 * READS_PER_SECOND }, (_, i) => read(i)));
      const seconds = Math.floor((performance.now() - began) / 1_000) + 2;
      const passed = statuses.filter((status) => status === 200).length;
      expect(passed).toBeGreaterThanOrEqual(READS_PER_SECOND);
      expect(passed).toBeLessThanOrEqual(seconds * READS_PER_SECOND);
      for (const i of [0, 1]) await until(async () => (await read(i)) === 200);

      const body = JSON.stringify({ email: owner.email, password: 'a wrong guess' });
      const logIn = async (i: number): Promise<number> =>
        i % 2 === 0
          ? (await service.post('/v1/auth/login', { body })).status
          : (
              await fetch(`${shifted.url}/v1/auth/login`, {
                method: 'POST',
                headers: { 'content-type': 'application/json' },
                body,
              })
            ).status;
      const answers: number[] = [];
      for (let i = 0; i < 5; i += 1) answers.push(await logIn(i));
      expect(answers).toEqual([401, 401, 401, 429, 429]);
    },
    TEST_MS_MAX,
  );

  it(
    'makes a statement once',
    async () => {
      const wallet = await service.fundedWallet(7_000);
      const month = new Date().toISOString().slice(0, 7);
      const made = await madeStatement(service, wallet.owner, month, wallet.id);
      expect([made.status, made.figures?.closing]).toEqual(['done', 7_000]);
      const again = await shifted.call<{ data: { pagination?: unknown; id: string }[] }>(
        'GET',
        '/v1/statements',
        {
          token: wallet.owner.token,
        },
      );
      expect(again.data.map(({ id }) => id)).toEqual([made.id]);
    },
    TEST_MS_MAX,
  );

  it('finds paid payouts whose ids the other made, where it asks the bank for them again', async () => {
    const wallet = await service.fundedWallet(1_000_000);
    const { data } = await payThere(wallet, 55, randomUUID());
    await service.settled();
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now - shiftMs);
    try {
      const found = await service.app.get(SettlementLookups, { strict: false }).paidWithin(24, null, 200);
      expect(found.map(({ reference }) => reference)).toContain(data.transaction.id);
    } finally {
      clock.mockRestore();
    }
  });

  it('breaks no invariant in the eyes of either', async () => {
    const cases = await service.query('SELECT kind FROM operator_cases');
    expect(cases).toEqual([]);
  });
});

it.each([
  ['behind', -1],
  ['ahead', 1],
])(
  'an hourly job is run once for its hour though the clocks of replicas are apart, by some an hour %s',
  async (_, sign) => {
    const service = await startService();
    const processes: ServiceProcess[] = [];
    try {
      await service.query('CREATE TABLE seen_jobs (name text, run_at timestamptz)');
      await service.query(
        `CREATE FUNCTION note_job() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
         BEGIN
           INSERT INTO public.seen_jobs SELECT t.identifier, NEW.run_at FROM graphile_worker._private_tasks t
            WHERE t.id = NEW.task_id;
           RETURN NEW;
         END $$`,
      );
      await service.query(
        'CREATE TRIGGER note_job AFTER INSERT ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION note_job()',
      );
      // Each clock reaches a quarter past, when the job is due, some seconds after the start: at most an hour off.
      const reads = (seconds: number): number => {
        const untilDue = (HOUR_MS + 15 * 60_000 - (Date.now() % HOUR_MS)) % HOUR_MS;
        return (sign > 0 ? untilDue : untilDue - HOUR_MS) - seconds * 1_000;
      };
      const due = () =>
        service.query<{ run_at: Date }>(`SELECT run_at FROM seen_jobs WHERE name = 'statements.mail-hourly'`);
      // A start that takes longer than that is too late for it: the next ones have more time.
      for (const seconds of [5, 20, 60]) {
        const giveUp = performance.now() + (seconds + 12) * 1_000;
        const both = [reads(seconds), reads(seconds + 3)].map((shift) => start(service.databaseUrl, shift));
        processes.push(...(await Promise.all(both)));
        while ((await due()).length === 0 && performance.now() < giveUp) await sleep(200);
        if ((await due()).length > 0) break;
        await Promise.all(processes.splice(0).map((each) => each.kill('SIGTERM')));
      }
      await sleep(6_000);
      expect(await due()).toHaveLength(1);
      const stuck = () =>
        service.query(
          `SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = 'statements.mail-hourly' AND run_at <= now()`,
        );
      await until(async () => (await stuck()).length === 0);
      const failed = await service.query(
        'SELECT 1 FROM graphile_worker.jobs WHERE attempts > 1 OR last_error IS NOT NULL',
      );
      expect(failed).toEqual([]);
    } finally {
      await Promise.all(processes.map((each) => each.kill('SIGTERM')));
      await service.close();
    }
  },
  3 * TEST_MS_MAX,
);
