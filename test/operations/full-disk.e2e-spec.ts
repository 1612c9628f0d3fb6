import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { brokenInvariants } from '../support/invariants.js';
import {
  type Answer,
  chargeBody,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';

/** PostgreSQL's refusal when there is no room on its disk. */
const FULL = `RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'`;

const TEST_MS_MAX = 60_000;

let service: TestService;
beforeAll(async () => {
  // The service then finds what `public` has before what PostgreSQL has.
  service = await startService({ clock: true });
});
afterAll(() => service.close());

const ready = () => service.get<{ error: { code: string; message: string } }>('/health/ready');

it('a service whose database has a full disk is not ready, says so to writers, and recovers by itself', async () => {
  const wallet = await service.fundedWallet(100_000);
  await service.query(
    `CREATE FUNCTION refuse_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${FULL}; END $$`,
  );
  await service.query(
    'CREATE TRIGGER refuse_rows BEFORE INSERT ON transactions FOR EACH ROW EXECUTE FUNCTION refuse_rows()',
  );
  // Temporary files, which the service has written to find out.
  await service.query(
    `CREATE FUNCTION public.generate_series(integer, integer) RETURNS SETOF integer LANGUAGE plpgsql AS
       $$ BEGIN ${FULL}; END $$`,
  );
  expect((await ready()).status).toBe(200);
  const paid = await service.pay(wallet.key, { amount: 1 });
  expect([paid.status, paid.body.code, paid.headers['retry-after']]).toEqual([
    503,
    'DATABASE_UNAVAILABLE',
    '1',
  ]);
  expect(paid.body.message).toContain('takes no changes');
  await until(async () => (await ready()).status === 503);
  expect((await ready()).body).toEqual({
    error: { code: 'DATABASE_UNAVAILABLE', message: 'The database takes no changes: its disk is full.' },
  });
  expect((await service.stats(wallet)).balance).toBe(100_000);

  await service.query('DROP TRIGGER refuse_rows ON transactions');
  await service.query('DROP FUNCTION public.generate_series(integer, integer)');
  await until(async () => (await ready()).status === 200);
  expect((await service.pay(wallet.key, { amount: 1 })).status).toBe(201);
});

it(
  'what was asked while the disk was full is refused, and done once when it is asked again',
  async () => {
    const FULL_TABLES = ['transactions', 'ledger_entries', 'settlements', 'inbound_transfers'];
    const wallet = await service.fundedWallet(10_000_000);
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const payAll = (): Promise<Answer<unknown>[]> =>
      Promise.all(keys.map((key) => service.pay(wallet.key, { amount: 1_000 }, { 'idempotency-key': key })));
    const transfer = chargeBody(wallet.id, { reference: randomUUID(), amount: 50 });
    const underWay = payAll();
    for (const table of FULL_TABLES)
      await service.query(
        `CREATE TRIGGER refuse_rows BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_rows()`,
      );
    for (const { status } of await underWay) expect([201, 503]).toContain(status);
    const paid = () => service.query('SELECT FROM transactions WHERE wallet_id = $1', [wallet.id]);
    const before = (await paid()).length;
    const refused = (await payAll()).filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(keys.length - before);
    for (const { status, body } of refused) {
      expect([status, body]).toEqual([503, expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' })]);
    }
    expectStatus(503, await service.webhook(transfer));
    expect(await paid()).toHaveLength(before);

    for (const table of FULL_TABLES) await service.query(`DROP TRIGGER refuse_rows ON ${table}`);
    expect((await payAll()).map(({ status }) => status)).toEqual(keys.map(() => 201));
    for (let i = 0; i < 2; i += 1) expectStatus(200, await service.webhook(transfer));
    expect(await paid()).toHaveLength(keys.length);
    expect((await service.stats(wallet)).balance).toBe(10_000_000 - keys.length * 1_000 + 5_000);
    // Those whose end could not be recorded wait for their lease to run out.
    await until(async () => {
      const open = await service.query(`SELECT 1 FROM settlements WHERE status IN ('pending', 'processing')`);
      return open.length === 0;
    }, TEST_MS_MAX);
    expect(await brokenInvariants(service)).toEqual({});
  },
  2 * TEST_MS_MAX,
);
