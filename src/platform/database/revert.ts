import type { DataSource, QueryRunner } from 'typeorm';
import { asOwner, type DatabaseUrls, migrationSource, withMigrationLock } from './migrate.js';
import { connectedServices } from './migration-runs.js';

interface Meaning {
  /** Continues "3 …". */
  readonly what: string;
  readonly from: string;
}

/** Rows that the release before would take for something else, by migration. */
const MEANINGS: Readonly<Record<string, readonly Meaning[]>> = {
  WalletControls1764460000000: [
    { what: 'withdrawals, which would count as payments', from: 'withdrawals' },
    { what: 'transfers between wallets, whose entries would count as payments', from: 'wallet_transfers' },
  ],
  ApiKeys1764460000010: [
    {
      what: 'API keys that expire, which would stay valid',
      from: "api_keys WHERE expires_at < 'infinity' AND revoked_at IS NULL",
    },
  ],
  PaymentRules1764510000000: [
    {
      what: 'API keys with limits, which would spend without them',
      from: 'api_keys WHERE limits IS NOT NULL AND revoked_at IS NULL',
    },
    {
      what: 'wallets with rules, which would spend without them',
      from: 'wallets WHERE controls IS NOT NULL',
    },
  ],
  Approvals1764530000000: [
    {
      what: 'payments that wait for approval, which would count as approved',
      from: "transactions WHERE approval = 'pending'",
    },
    { what: 'wallets with money on hold, which would be free', from: 'wallets WHERE held > 0' },
  ],
  ReturnedPayouts1764740000000: [
    {
      what: 'payouts that the bank took back, which would count as paid',
      from: "settlements WHERE status = 'reversed'",
    },
  ],
  ArchivedSettlements1764820000000: [
    { what: 'archived settlements, whose payments would have none', from: 'archived_settlements' },
  ],
  LimitedKeyHistories1764780000010: [
    {
      what: 'idempotency keys that two API keys used, whose later payment would be made again by a repeat',
      from: `(SELECT FROM transactions WHERE idempotency_key IS NOT NULL
               GROUP BY wallet_id, idempotency_key HAVING count(*) > 1) twice`,
    },
  ],
};

type Columns = ReadonlyMap<string, ReadonlySet<string>>;

/** Takes the newest migration back, or throws an Error that names every row in the way. */
export async function revertNewest(
  urls: DatabaseUrls,
  report: (line: string) => void,
  { losesData }: { readonly losesData: boolean },
): Promise<void> {
  await asOwner(urls, () =>
    withMigrationLock(urls, report, async () => {
      const source = await migrationSource(urls.ownerUrl).initialize();
      try {
        await revert(source, report, losesData);
      } finally {
        await source.destroy();
      }
    }),
  );
}

async function revert(source: DataSource, report: (line: string) => void, losesData: boolean): Promise<void> {
  const [newest] = await source.query<{ name: string }[]>(
    'SELECT name FROM migrations ORDER BY id DESC LIMIT 1',
  );
  if (!newest) throw new Error('There is no migration to revert.');
  const { name } = newest;
  const migration = source.migrations.find(({ constructor }) => constructor.name === name);
  if (!migration)
    throw new Error(`This release does not know ${name}: revert it with the release that made it.`);
  const pids = await connectedServices(source);
  if (pids.length > 0)
    throw new Error(
      `A service works on this database (process ${pids.slice(0, 5).join(', ')} of PostgreSQL): stop it, then revert.`,
    );
  const meanings = await countAll(source, MEANINGS[name] ?? []);
  if (meanings.length > 0)
    throw new Error(
      `${name} stays: there are ${meanings.join('; ')}. Decide, end or remove them with this release first.`,
    );
  const runner = source.createQueryRunner();
  const losses = await rehearse(runner, () => migration.down(runner)).finally(() => runner.release());
  if (losses.length > 0 && !losesData)
    throw new Error(
      `Reverting ${name} loses ${losses.join('; ')}. If that is meant: npm run migration:revert -- --lose-data`,
    );
  await source.undoLastMigration();
  report(
    `${name} is reverted${losses.length > 0 ? `; lost: ${losses.join('; ')}` : ', and nothing is lost'}.`,
  );
}

async function countAll(source: DataSource, meanings: readonly Meaning[]): Promise<string[]> {
  const found: string[] = [];
  for (const { what, from } of meanings) {
    const [row] = await source.query<{ count: number }[]>(`SELECT count(*)::integer AS count FROM ${from}`);
    if (row && row.count > 0) found.push(`${row.count} ${what}`);
  }
  return found;
}

/** Runs `down`, notes what it removes and changes, and rolls it back. */
async function rehearse(runner: QueryRunner, down: () => Promise<void>): Promise<string[]> {
  await runner.startTransaction();
  try {
    const before = await columnsOf(runner);
    await runner.query('SAVEPOINT rehearsal');
    await down();
    const after = await columnsOf(runner);
    const changed = (await runner.query(
      `SELECT relname AS name, n_tup_upd::integer AS updated, n_tup_del::integer AS deleted
         FROM pg_stat_xact_user_tables WHERE schemaname = 'public' AND n_tup_upd + n_tup_del > 0 ORDER BY relname`,
    )) as { name: string; updated: number; deleted: number }[];
    await runner.query('ROLLBACK TO rehearsal');
    const losses: string[] = [];
    for (const [table, columns] of before) {
      const left = after.get(table);
      if (!left) losses.push(...(await rowsOf(runner, table, 'true', table)));
      for (const column of left ? columns : [])
        if (!left?.has(column))
          losses.push(
            ...(await rowsOf(runner, table, await isSet(runner, table, column), `${table}.${column}`)),
          );
    }
    for (const { name, updated, deleted } of changed) {
      if (deleted > 0) losses.push(`${deleted} rows of ${name}`);
      if (updated > 0) losses.push(`what ${updated} rows of ${name} say now`);
    }
    return losses;
  } finally {
    await runner.rollbackTransaction();
  }
}

async function columnsOf(runner: QueryRunner): Promise<Columns> {
  const rows = (await runner.query(
    `SELECT table_name AS "table", array_agg(column_name::text ORDER BY column_name) AS columns FROM information_schema.columns
      WHERE table_schema = 'public' GROUP BY table_name ORDER BY table_name`,
  )) as { table: string; columns: string[] }[];
  return new Map(rows.map(({ table, columns }) => [table, new Set(columns)]));
}

async function isSet(runner: QueryRunner, table: string, column: string): Promise<string> {
  const [row] = (await runner.query(
    `SELECT coalesce(column_default, 'NULL') AS default FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = $1 AND column_name = $2`,
    [table, column],
  )) as { default: string }[];
  return `"${column}" IS DISTINCT FROM ${row?.default ?? 'NULL'}`;
}

async function rowsOf(
  runner: QueryRunner,
  table: string,
  condition: string,
  name: string,
): Promise<string[]> {
  const [row] = (await runner.query(
    `SELECT count(*)::integer AS count FROM "${table}" WHERE ${condition}`,
  )) as { count: number }[];
  return row && row.count > 0 ? [`${row.count} rows of ${name}`] : [];
}
