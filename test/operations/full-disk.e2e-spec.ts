import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startService, type TestService, until } from '../support/service.js';

/** PostgreSQL's refusal when there is no room on its disk. */
const FULL = `RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'`;

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
