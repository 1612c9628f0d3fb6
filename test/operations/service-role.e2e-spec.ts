import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startService, type TestService } from '../support/service.js';
import { asService } from '../support/service-database.js';

let service: TestService;
let role: pg.Client;

beforeAll(async () => {
  service = await startService();
  const wallet = await service.fundedWallet(100_000);
  await service.pay(wallet.key);
  await service.settled();
  role = new pg.Client({ connectionString: asService(service.databaseUrl) });
  await role.connect();
});

afterAll(async () => {
  await role.end();
  await service.close();
});

const refusal = /permission denied|must be owner/;
const tables = () =>
  service
    .query<{ name: string }>(
      `SELECT n.nspname || '.' || quote_ident(c.relname) AS name
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname IN ('public', 'graphile_worker') AND c.relkind IN ('r', 'p')`,
    )
    .then((rows) => rows.map(({ name }) => name));

describe("the service's role in the database", () => {
  it('is no superuser, owns nothing, and may make neither roles nor databases', async () => {
    const { rows } = await role.query(
      `SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication,
              (SELECT count(*)::integer FROM pg_class WHERE relowner = r.oid) AS owned
         FROM pg_roles r WHERE rolname = current_user`,
    );
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolbypassrls: false,
        rolreplication: false,
        owned: 0,
      },
    ]);
  });

  it('can neither alter, empty nor drop any table, nor switch its triggers off', async () => {
    const names = await tables();
    expect(names).toContain('public.ledger_entries');
    for (const name of names) {
      for (const statement of [
        `ALTER TABLE ${name} ADD COLUMN mine integer`,
        `TRUNCATE ${name} CASCADE`,
        `DROP TABLE ${name} CASCADE`,
        `ALTER TABLE ${name} DISABLE TRIGGER ALL`,
        `CREATE TRIGGER mine BEFORE INSERT ON ${name} EXECUTE FUNCTION refuse_change()`,
      ]) {
        await expect(role.query(statement)).rejects.toThrow(refusal);
      }
    }
  });

  it.each([
    'DELETE FROM ledger_entries',
    'UPDATE ledger_entries SET amount = 1',
    'DELETE FROM transactions',
    'DELETE FROM settlements',
    'DELETE FROM wallets',
    'UPDATE withdrawals SET amount = 1',
    'DELETE FROM withdrawals',
    'UPDATE wallet_transfers SET amount = 1',
    'DELETE FROM wallet_transfers',
    `UPDATE wallet_changes SET action = 'mine'`,
    'DELETE FROM wallet_changes',
    'DELETE FROM refunded_payments',
    'DELETE FROM receipt_keys',
    `UPDATE migrations SET name = 'mine'`,
    'DELETE FROM migrations',
    `INSERT INTO migrations (timestamp, name) VALUES (1, 'mine')`,
    'CREATE TABLE mine (id integer)',
    'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    `SET session_replication_role = replica`,
    `ALTER ROLE wallet PASSWORD 'mine'`,
    `COPY wallets TO PROGRAM 'cat'`,
  ])('is refused: %s', async (statement) => {
    await expect(role.query(statement)).rejects.toThrow(refusal);
  });

  it.each([
    ['SCHEMA graphile_worker', 'USAGE'],
    ['SEQUENCE graphile_worker.jobs_id_seq1', 'USAGE'],
    ['TABLE users', 'UPDATE'],
  ])('is given back by the next start what it lost of %s', async (what, right) => {
    const [kind, name] = what.split(' ');
    const isHeld = async () => {
      const check = `SELECT has_${kind!.toLowerCase()}_privilege('wallet_tests_service', $1, $2) AS held`;
      return (await service.query<{ held: boolean }>(check, [name, right]))[0]?.held;
    };
    await service.query(`REVOKE ${right} ON ${what} FROM wallet_tests_service`);
    expect(await isHeld()).toBe(false);
    await (await startService({ beside: service })).close();
    expect(await isHeld()).toBe(true);
  });

  it('has done the work of the service: a payment is decided, settled and on the ledger', async () => {
    const { rows } = await role.query('SELECT type FROM ledger_entries ORDER BY seq');
    expect(rows).toEqual([{ type: 'topup' }, { type: 'debit' }]);
    const [{ connected } = { connected: 0 }] = await service.query<{ connected: number }>(
      `SELECT count(*)::integer AS connected FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'agent-payment-wallet'
          AND usename <> 'wallet_tests_service'`,
    );
    expect(connected).toBe(0);
  });
});
