import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationSource } from '../../src/platform/database/migrate.js';

const ROOT = join(import.meta.dirname, '../..');

/** The newest migration of 0.2.0. Those up to it ran with all replicas stopped. */
const STOPPED_UP_TO = 1_764_780_000_030;

/** In which tables are locked. CONTRIBUTING.md says so, too. */
const FIRST = ['wallets', 'api_keys', 'transactions', 'ledger_entries', 'settlements'];

/** Rules of squawk that do not hold here. */
const EXCLUDED = [
  // The runner sets the one and the pool the other.
  'require-lock-timeout',
  'require-statement-timeout',
  // A transaction undoes half a migration.
  'prefer-robust-stmts',
  // Counts that are bounded by what they count.
  'prefer-bigint-over-int',
];

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly hasTransaction: boolean;
}

/** Statements of `up`, on tables without rows. */
async function recorded(type: new () => MigrationInterface): Promise<Migration> {
  const migration = new type();
  const statements: string[] = [];
  const done = (): Promise<void> => Promise.resolve();
  const runner = {
    query: (statement: string) => {
      statements.push(statement.trim().replace(/;?$/, ';'));
      return Promise.resolve([]);
    },
    startTransaction: done,
    commitTransaction: done,
    rollbackTransaction: done,
  };
  await migration.up(runner as unknown as QueryRunner);
  return {
    name: type.name,
    sql: statements.join('\n'),
    hasTransaction: migration.transaction !== false,
  };
}

const all = migrationSource('postgres://localhost/none').options
  .migrations as (new () => MigrationInterface)[];
const numberOf = ({ name }: { name: string }): number => Number(name.slice(-13));

function squawk({ name, sql, hasTransaction }: Migration): Promise<string[]> {
  const flags = [
    '--reporter=json',
    '--pg-version=15.0',
    `--exclude=${EXCLUDED.join()}`,
    ...(hasTransaction ? ['--assume-in-transaction'] : []),
    `--stdin-filepath=${name}.sql`,
  ];
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [join(ROOT, 'node_modules/squawk-cli/js/bin/squawk'), ...flags],
      (error, stdout, stderr) => {
        if (stdout === '') {
          reject(new Error(stderr || error?.message));
          return;
        }
        const found = JSON.parse(stdout) as { rule_name: string; line: number; message: string }[];
        resolve(found.map((one) => `${name}: ${one.rule_name}, line ${one.line}: ${one.message}`));
      },
    );
    child.stdin?.end(sql);
  });
}

/** What squawk does not know of. */
function houseRules({ name, sql, hasTransaction }: Migration): string[] {
  const text = sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ');
  const made = new Set(
    [...text.matchAll(/CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gi)].map(([, t]) => t),
  );
  const taken = [
    ...text.matchAll(
      /(?:ALTER TABLE|LOCK TABLE|TRUNCATE|UPDATE|DELETE FROM|TRIGGER \w+ (?:[A-Z ]+ )?ON|REFERENCES)(?: (?:ONLY|IF EXISTS))* (\w+)/g,
    ),
  ]
    .map(([, table = '']) => table)
    .filter((table) => !made.has(table) && !/^[A-Z]+$/.test(table));
  const rank = (table: string): string => {
    const at = FIRST.indexOf(table);
    return at < 0 ? `~${table}` : String(at);
  };
  const outOfOrder = taken.findIndex((table, at) => at > 0 && rank(table) < rank(taken[at - 1] as string));
  const changed = /\b(?:UPDATE|DELETE FROM) (\w+)/g;
  const hot = [...text.matchAll(changed)]
    .map(([, table = '']) => table)
    .filter((table) => FIRST.includes(table));
  return [
    ...(/lock_timeout/.test(text) && hasTransaction ? [`${name} sets lock_timeout: the runner does`] : []),
    ...(outOfOrder > 0
      ? [
          `${name} takes ${taken[outOfOrder] ?? ''} after ${taken[outOfOrder - 1] ?? ''}: see Migrations in CONTRIBUTING.md`,
        ]
      : []),
    ...hot.map((table) => `${name} changes rows of ${table}: fill them in batches, as a job`),
  ];
}

describe('a migration since 0.2.0', () => {
  const since = all.filter((type) => numberOf(type) > STOPPED_UP_TO);

  it('can run beside the release before it', async () => {
    const migrations = await Promise.all(since.map(recorded));
    const found = await Promise.all(
      migrations.map(async (migration) => [...(await squawk(migration)), ...houseRules(migration)]),
    );
    expect(found.flat()).toEqual([]);
  });
});

describe('the rules of migrations', () => {
  const of = (sql: string, hasTransaction = true): Migration => ({ name: 'Example', sql, hasTransaction });

  it.each([
    ['adding-not-nullable-field', 'ALTER TABLE wallets ALTER COLUMN colour SET NOT NULL;'],
    ['require-concurrent-index-creation', 'CREATE INDEX wallets_colour ON wallets (colour);'],
    ['renaming-column', 'ALTER TABLE wallets RENAME COLUMN colour TO color;'],
    ['constraint-missing-not-valid', 'ALTER TABLE wallets ADD CONSTRAINT c CHECK (id > 1);'],
    ['changing-column-type', 'ALTER TABLE wallets ALTER COLUMN colour TYPE integer;'],
    ['ban-drop-column', 'ALTER TABLE wallets DROP COLUMN colour;'],
  ])('of squawk refuse by %s', async (rule, sql) => {
    expect(await squawk(of(sql))).toEqual([expect.stringContaining(`Example: ${rule},`)]);
  });

  it.each([
    [
      'ALTER TABLE transactions ADD COLUMN a text; ALTER TABLE wallets ADD COLUMN a text;',
      'takes wallets after',
    ],
    [
      'ALTER TABLE users ADD COLUMN a text; ALTER TABLE settlements ADD COLUMN a text;',
      'takes settlements after',
    ],
    [
      'ALTER TABLE users ADD COLUMN a text; ALTER TABLE operator_cases ADD COLUMN a text;',
      'takes operator_cases after',
    ],
    ["UPDATE wallets SET colour = 'red';", 'changes rows of wallets'],
    ['DELETE FROM transactions;', 'changes rows of transactions'],
    ["SET LOCAL lock_timeout = '10s';", 'sets lock_timeout'],
  ])('of the house refuse %s', (sql, fault) => {
    expect(houseRules(of(sql))).toEqual([expect.stringContaining(fault)]);
  });

  it('let pass what may run beside payments', async () => {
    const good = of(`
      CREATE TABLE colours (id uuid PRIMARY KEY, wallet_id uuid NOT NULL, name text NOT NULL);
      CREATE INDEX colours_by_wallet ON colours (wallet_id);
      ALTER TABLE wallets ADD COLUMN colour text, ADD COLUMN shade integer NOT NULL DEFAULT 0;
      ALTER TABLE settlements ADD CONSTRAINT settlements_colour CHECK (colour <> '') NOT VALID;
      UPDATE operator_cases SET kind = 'b' WHERE kind = 'a';`);
    expect([...(await squawk(good)), ...houseRules(good)]).toEqual([]);
    const index = of('CREATE INDEX CONCURRENTLY wallets_colour ON wallets (colour);', false);
    expect(await squawk(index)).toEqual([]);
  });

  it('are those of CONTRIBUTING.md', () => {
    const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').replace(/\s+/g, ' ');
    expect(contributing).toContain(`${FIRST.map((table) => `\`${table}\``).join(', ')}, then others by name`);
  });
});
