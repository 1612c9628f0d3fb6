import pg from 'pg';
import type { BankedWallet } from './load.ts';

/** Ids of a copy are as many milliseconds older for each copy: more than seeding takes, less than clocks may be apart. */
const ID_STEP_MS = 170_000;
const LANES = 2;

/**
 * Tables of a wallet's history: how the rows of wallet `w.source` become those of `w.target`. Columns that are not
 * named stay as they are.
 */
const HISTORY: Readonly<Record<string, { from?: string; columns: Readonly<Record<string, string>> }>> = {
  transactions: { columns: { id: 'copied_id(t.id, w.back)', key_id: 'w.key_id' } },
  ledger_entries: {
    columns: {
      id: 'copied_id(t.id, w.back)',
      transaction_id: 'copied_id(t.transaction_id, w.back)',
      reference: `CASE WHEN t.transaction_id IS NULL THEN t.reference || '-' || w.copy
                       ELSE copied_id(t.reference::uuid, w.back)::text END`,
    },
  },
  settlements: { columns: { reference: 'copied_id(t.reference, w.back)' } },
  sandbox_payouts: {
    from: 'settlements s JOIN copies w ON w.source = s.wallet_id JOIN sandbox_payouts t ON t.reference = s.reference',
    columns: { reference: 'copied_id(t.reference, w.back)' },
  },
  inbound_transfers: {
    columns: {
      id: 'copied_id(t.id, w.back)',
      reference: `t.reference || '-' || w.copy`,
      account_reference: 'w.target::text',
    },
  },
  sandbox_collections: {
    from: 'copies w JOIN sandbox_collections t ON t.account_number = w.source_account',
    columns: { reference: `t.reference || '-' || w.copy`, account_number: 'w.target_account' },
  },
  wallet_merchants: { columns: {} },
};
/** Rows of wallets that each has of its own. */
const OWN = ['api_keys', 'virtual_accounts'];
/** Columns of `wallets` that a target keeps. */
const KEPT = ['id', 'user_id', 'business_id', 'name', 'created_at'];

/**
 * Gives `targets`, wallets that have nothing yet, the history of `sources`: payments, entries, settlements, and what
 * the sandbox bank has of them, set by set. There are as many targets as sources, or a multiple of them.
 */
export async function copyHistory(
  databaseUrl: string,
  sources: readonly BankedWallet[],
  targets: readonly BankedWallet[],
  report: (copies: number) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `CREATE FUNCTION copied_id(id uuid, back bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
         SELECT (lpad(to_hex(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint - back), 12, '0')
                 || substr(id::text, 14))::uuid $$`,
    );
    await client.query(
      `CREATE TABLE copies AS
       SELECT w.source, w.target, w.source_account, w.target_account, w.copy, w.copy * ${ID_STEP_MS}::bigint AS back,
              (SELECT k.id FROM api_keys k WHERE k.wallet_id = w.target) AS key_id
         FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::integer[])
           AS w (source, target, source_account, target_account, copy)`,
      [
        targets.map((_, i) => sources[i % sources.length]?.id),
        targets.map(({ id }) => id),
        targets.map((_, i) => sources[i % sources.length]?.accountNumber),
        targets.map(({ accountNumber }) => accountNumber),
        targets.map((_, i) => Math.floor(i / sources.length) + 1),
      ],
    );
    await refuseUnknownTables(client);
    const columns = await columnsOf(client);
    await client.query(
      `UPDATE wallets t SET ${columns('wallets', KEPT)
        .map((name) => `${name} = s.${name}`)
        .join(', ')} FROM copies w JOIN wallets s ON s.id = w.source WHERE t.id = w.target`,
    );
    const count = targets.length / sources.length;
    const queue = Array.from({ length: count }, (_, i) => i + 1).values();
    let done = 0;
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        const lane = new pg.Client({ connectionString: databaseUrl });
        await lane.connect();
        try {
          for (const copy of queue) {
            for (const table of Object.keys(HISTORY))
              await lane.query(copying(table, columns(table)), [copy]);
            report((done += 1));
          }
        } finally {
          await lane.end();
        }
      }),
    );
    await client.query('DROP TABLE copies');
    await client.query('DROP FUNCTION copied_id');
    await client.query('ANALYZE');
  } finally {
    await client.end();
  }
}

function copying(table: string, columns: readonly string[]): string {
  const { from, columns: changed } = HISTORY[table] as (typeof HISTORY)[string];
  const values = columns.map((name) => changed[name] ?? (name === 'wallet_id' ? 'w.target' : `t.${name}`));
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
            FROM ${from ?? `copies w JOIN ${table} t ON t.wallet_id = w.source`} WHERE w.copy = $1`;
}

async function columnsOf(client: pg.Client) {
  const { rows } = await client.query<{ table: string; names: string[] }>(
    `SELECT table_name AS table, array_agg(column_name::text ORDER BY ordinal_position) AS names
       FROM information_schema.columns WHERE table_schema = 'public' AND is_generated = 'NEVER' GROUP BY table_name`,
  );
  const all = new Map(rows.map(({ table, names }) => [table, names]));
  return (table: string, without: readonly string[] = []): string[] =>
    (all.get(table) ?? []).filter((name) => !without.includes(name));
}

/** A copy without a table that payments fill would be no history that a release could have made. */
async function refuseUnknownTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'wallet_id' AND NOT (table_name = ANY ($1)) ORDER BY 1`,
    [[...Object.keys(HISTORY), ...OWN]],
  );
  for (const { name } of rows) {
    const { rowCount } = await client.query(
      `SELECT FROM ${name} t WHERE t.wallet_id IN (SELECT source FROM copies) LIMIT 1`,
    );
    if (rowCount)
      throw new Error(`Payments fill ${name}, which copyHistory does not copy: add it to HISTORY`);
  }
}
