import 'reflect-metadata';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type MigrationInterface, type QueryRunner, DataSource } from 'typeorm';
import { type Applied, migrate, migrationSource } from '../../src/platform/database/migrate.js';
import {
  createIndexConcurrently,
  MIGRATION_LIMITS,
  runPending,
} from '../../src/platform/database/migration-runs.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

class AddColour1999000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE wallets ADD COLUMN colour text');
  }

  async down(): Promise<void> {}
}

class IndexColour1999000000001 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, 'wallets_colour', 'ON wallets (colour)');
  }

  async down(): Promise<void> {}
}

const LIMITS = { ...MIGRATION_LIMITS, pauseMs: 10, triesMax: 3, stopMsMax: 50 };

describe('a migration beside others that use its table', () => {
  let fresh: TestDatabase;
  let source: DataSource;
  let other: pg.Client;
  let lines: string[];
  const report = (line: string): void => void lines.push(line);

  beforeEach(async () => {
    lines = [];
    fresh = await freshDatabase();
    other = new pg.Client({ connectionString: fresh.url, application_name: 'pg_dump' });
    await other.connect();
    await other.query('CREATE TABLE wallets (id integer)');
    source = await new DataSource({
      ...migrationSource(fresh.url).options,
      migrations: [AddColour1999000000000, IndexColour1999000000001],
    }).initialize();
  });
  afterEach(async () => {
    await source.destroy();
    await other.end();
    await fresh.drop();
  });

  const lockTable = () =>
    other.query('BEGIN; LOCK TABLE wallets IN ACCESS SHARE MODE; SELECT pg_backend_pid()');

  it('gives way, says who is in its way, and is carried out once the table is free', async () => {
    await lockTable();
    await runPending(
      source,
      (line) => {
        report(line);
        if (lines.length === 2) void other.query('COMMIT');
      },
      LIMITS,
    );
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^Migration AddColour1999000000000 got no lock within 500 ms: process \d+ of PostgreSQL \(pg_dump\) has a transaction of \d+ s; it tries again, 1 of 3 tries done\.$/,
    );
    await source.query('SELECT colour FROM wallets');
  });

  it('ends after its last try, with nothing changed and the way out', async () => {
    await lockTable();
    await expect(runPending(source, report, LIMITS)).rejects.toThrow(
      /^Migration AddColour\d+ got no lock .*; 3 tries failed\. End that transaction, then start again$/,
    );
    expect(lines).toHaveLength(2);
    await other.query('COMMIT');
    await expect(source.query('SELECT colour FROM wallets')).rejects.toThrow('does not exist');
  });

  it('builds an index beside a transaction that lasts longer than any lock is waited for', async () => {
    await source.query('ALTER TABLE wallets ADD COLUMN colour text');
    await source.query('CREATE INDEX wallets_colour ON wallets (id)');
    await other.query('BEGIN; INSERT INTO wallets VALUES (1)');
    const runner = source.createQueryRunner();
    const built = new IndexColour1999000000001().up(runner);
    await other.query('SELECT pg_sleep(0.8)');
    await other.query('COMMIT');
    await built;
    const [index] = (await runner.query(
      `SELECT pg_get_indexdef(indexrelid) AS definition, indisvalid AS "isValid" FROM pg_index
        WHERE indexrelid = 'wallets_colour'::regclass`,
    )) as object[];
    const [setting] = (await runner.query('SHOW lock_timeout')) as object[];
    await runner.release();
    expect(index).toEqual({ definition: expect.stringContaining('(colour)') as unknown, isValid: true });
    expect(setting).toEqual({ lock_timeout: '500ms' });
  });
});

describe('a database of a release before 0.2.0', () => {
  let fresh: TestDatabase;
  let service: pg.Client;

  beforeEach(async () => {
    fresh = await freshDatabase();
    const source = await migrationSource(fresh.url).initialize();
    await source.runMigrations();
    do await source.undoLastMigration();
    while (!(await newest(source)).startsWith('LimitedKeyHistories'));
    await source.destroy();
    service = new pg.Client({ connectionString: fresh.url, application_name: 'agent-payment-wallet' });
    await service.connect();
  });
  afterEach(async () => {
    await service.end();
    await fresh.drop();
  });

  const newest = async (source: DataSource): Promise<string> =>
    (await source.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id DESC LIMIT 1'))[0]
      ?.name ?? '';

  it('is left alone while a service of that release is connected, and migrated after that', async () => {
    const urls = { ownerUrl: fresh.url, serviceUrl: fresh.url };
    const lines: string[] = [];
    const applied: Applied[] = [];
    const warn = (line: string): void => void lines.push(line);
    const run = () => migrate(urls, warn, LIMITS, (each) => applied.push(each));
    await expect(run()).rejects.toThrow(
      /^A service older than 0\.2\.0 is connected \(process \d+ of PostgreSQL\), .*: stop it, then start again$/,
    );
    expect(lines).toEqual([expect.stringContaining('waiting for that, 0.05 s at most')]);
    await service.end();
    await run();
    service = new pg.Client({ connectionString: fresh.url });
    await service.connect();
    const { rows } = await service.query("SELECT FROM migrations WHERE name LIKE 'PayeesOfLimitedKeys%'");
    expect(rows).toHaveLength(1);
    expect(applied).toContainEqual({
      migration: 'PayeesOfLimitedKeys1764780000030',
      durationMs: expect.any(Number) as unknown as number,
    });
  });
});
