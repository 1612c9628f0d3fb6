import { brokenInvariants } from '../support/invariants.ts';
import type { PostgresServer } from '../support/postgres-server.ts';

/** Something that must not be, and how often it is. */
export interface Fault {
  readonly name: string;
  readonly count: number;
  readonly example?: string;
}

/**
 * What must hold in the books, whoever wrote them: each query answers the rows that break it. They use nothing of
 * the service, and sum over all history where the service keeps running totals. No payment failed at the bank, and
 * all of it happened within one window. What the controls of owners add is in the invariants of all tests.
 */
const BOOKS: readonly (readonly [name: string, query: string])[] = [
  [
    'payments doubled',
    `SELECT wallet_id, idempotency_key FROM transactions WHERE idempotency_key IS NOT NULL
      GROUP BY wallet_id, idempotency_key HAVING count(*) > 1`,
  ],
  [
    'wallets over a cap',
    `SELECT w.id FROM wallets w JOIN transactions t ON t.wallet_id = w.id AND t.block_reason IS NULL
      GROUP BY w.id HAVING sum(t.amount) > w.spend_limit_period`,
  ],
  [
    'negative balances',
    `SELECT id FROM wallets WHERE balance < 0 UNION ALL SELECT id FROM ledger_entries WHERE balance_after < 0`,
  ],
  [
    'balances that differ from the sum of their entries',
    `SELECT w.id FROM wallets w LEFT JOIN ledger_entries e ON e.wallet_id = w.id GROUP BY w.id
      HAVING w.balance <> coalesce(sum(CASE e.type WHEN 'debit' THEN -e.amount ELSE e.amount END), 0)`,
  ],
  [
    'entries whose balance does not follow from the one before',
    `SELECT id FROM (
       SELECT id, balance_after, CASE type WHEN 'debit' THEN -amount ELSE amount END AS change,
              lag(balance_after, 1, 0::bigint) OVER (PARTITION BY wallet_id ORDER BY seq) AS before
         FROM ledger_entries) e WHERE balance_after <> before + change`,
  ],
  [
    'gaps in a seq',
    `SELECT 1 FROM (SELECT seq - lag(seq, 1, 0::bigint) OVER (PARTITION BY wallet_id ORDER BY seq) AS step
                      FROM transactions) t WHERE step <> 1
     UNION ALL
     SELECT 1 FROM (SELECT seq - lag(seq, 1, 0::bigint) OVER (PARTITION BY wallet_id ORDER BY seq) AS step
                      FROM ledger_entries) e WHERE step <> 1`,
  ],
  [
    'times that run backwards',
    `SELECT 1 FROM (SELECT created_at < lag(created_at) OVER (PARTITION BY wallet_id ORDER BY seq) AS back
                      FROM transactions) t WHERE back
     UNION ALL
     SELECT 1 FROM (SELECT created_at < lag(created_at) OVER (PARTITION BY wallet_id ORDER BY seq) AS back
                      FROM ledger_entries) e WHERE back`,
  ],
  [
    'approved payments without one debit, or blocked ones with one',
    `SELECT t.id FROM transactions t LEFT JOIN ledger_entries e ON e.transaction_id = t.id AND e.type = 'debit'
        AND e.wallet_id = t.wallet_id AND e.amount = t.amount
      GROUP BY t.wallet_id, t.seq, t.id
      HAVING count(e.id) <> (t.block_reason IS NULL AND t.approval IS DISTINCT FROM 'pending')::int`,
  ],
  [
    'settlements without a debit',
    `SELECT s.reference FROM settlements s LEFT JOIN ledger_entries e ON e.transaction_id = s.reference
        AND e.type = 'debit' AND e.wallet_id = s.wallet_id AND e.amount = s.amount WHERE e.id IS NULL`,
  ],
  [
    'debits without one settlement',
    `SELECT e.id FROM ledger_entries e LEFT JOIN settlements s ON s.reference = e.transaction_id
      WHERE e.type = 'debit' AND e.source IS DISTINCT FROM 'transfer'
      GROUP BY e.wallet_id, e.seq, e.id HAVING count(s.reference) <> 1`,
  ],
  [
    'settlements whose bank did not pay out exactly that',
    `SELECT s.reference FROM settlements s LEFT JOIN sandbox_payouts p ON p.reference = s.reference
      WHERE (s.status = 'succeeded') <> (p.reference IS NOT NULL) OR p.amount <> s.amount`,
  ],
  [
    'decisions on numbers that were not so',
    `SELECT t.id FROM (
       SELECT t.*, coalesce(sum(amount) FILTER (WHERE block_reason IS NULL) OVER (
                PARTITION BY wallet_id ORDER BY seq ROWS UNBOUNDED PRECEDING), 0) AS spent_then
         FROM transactions t) t
       LEFT JOIN ledger_entries e ON e.transaction_id = t.id AND e.type = 'debit'
      WHERE NOT EXISTS (SELECT 1 FROM transactions o WHERE o.wallet_id = t.wallet_id AND o.approval IS NOT NULL)
        AND (t.spent_total <> t.spent_then
         OR (t.facts ->> 'spent')::bigint <> t.spent_then - CASE WHEN t.block_reason IS NULL THEN t.amount ELSE 0 END
         OR (t.facts ->> 'balance')::bigint - t.amount <> e.balance_after)`,
  ],
];

/** What the database itself must refuse, whatever the code does: the second guard of the money. */
const GUARDS: readonly (readonly [name: string, statement: string, refusedAs: RegExp])[] = [
  [
    'a second transaction under one idempotency key',
    `INSERT INTO transactions SELECT (jsonb_populate_record(t,
       jsonb_build_object('seq', t.seq + 1000000000, 'id', gen_random_uuid()))).*
       FROM transactions t WHERE t.idempotency_key IS NOT NULL LIMIT 1`,
    /^23505/,
  ],
  [
    'a second transaction with one seq',
    `INSERT INTO transactions SELECT (jsonb_populate_record(t,
       jsonb_build_object('idempotency_key', gen_random_uuid(), 'id', gen_random_uuid()))).*
       FROM transactions t WHERE t.idempotency_key IS NOT NULL LIMIT 1`,
    /^23505/,
  ],
  [
    'a second credit of one transfer',
    `INSERT INTO ledger_entries SELECT (jsonb_populate_record(e,
       jsonb_build_object('seq', e.seq + 1000000000, 'id', gen_random_uuid()))).*
       FROM ledger_entries e WHERE e.type = 'topup' LIMIT 1`,
    /^23505/,
  ],
  [
    'a second debit of one payment',
    `INSERT INTO ledger_entries SELECT (jsonb_populate_record(e,
       jsonb_build_object('seq', e.seq + 1000000000, 'id', gen_random_uuid()))).*
       FROM ledger_entries e WHERE e.type = 'debit' LIMIT 1`,
    /^23505/,
  ],
  ['a balance below zero', 'UPDATE wallets SET balance = -1', /^23514/],
  ['a ledger that forgets', 'DELETE FROM ledger_entries', /^P0001/],
];

/** Looks for everything that must not be in the books of `database`. */
export async function checkBooks(postgres: PostgresServer, database: string): Promise<Fault[]> {
  const faults: Fault[] = [];
  const source = {
    query: <Row>(query: string): Promise<Row[]> => postgres.run<Row & object>(query, database),
  };
  const broken = Object.entries(await brokenInvariants(source));
  const example = JSON.stringify(broken[0] ?? '');
  faults.push({ name: 'invariants that do not hold', count: broken.length, example });
  for (const [name, query] of BOOKS) {
    const rows = await postgres.run(query, database);
    faults.push({ name, count: rows.length, ...(rows[0] && { example: JSON.stringify(rows[0]) }) });
  }
  const gone: string[] = [];
  for (const [name, statement, refusedAs] of GUARDS) {
    // The division fails last, so that a statement that was not refused is rolled back as well.
    const probe = `DO $probe$ BEGIN ${statement}; PERFORM 1 / 0; END $probe$`;
    const code = await postgres.run(probe, database).then(
      () => '',
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
    if (!refusedAs.test(code)) gone.push(`${name} (${code})`);
  }
  faults.push({ name: 'guards of the database that are gone', count: gone.length, example: gone.join('; ') });
  return faults;
}
