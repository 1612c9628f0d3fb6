/** The books, computed again from their entries: what must hold of a restored database before anyone pays from it. */
import type { ClientBase } from 'pg';
import { IS_REFUNDED } from '../../src/contexts/settlement/settlement.store.js';
import { ALL_SETTLEMENTS } from '../../src/contexts/settlement/settlement-archive.store.js';

interface Rule {
  /** Reads on "… wallets whose". */
  readonly broken: string;
  /** Returns the id of each wallet that breaks it. */
  readonly wallets: string;
}

const RULES: readonly Rule[] = [
  {
    broken: 'balance is not the sum of its ledger entries',
    wallets: `
      SELECT w.id FROM wallets w LEFT JOIN (
        SELECT wallet_id, sum(CASE type WHEN 'debit' THEN -amount ELSE amount END) AS total
          FROM ledger_entries GROUP BY wallet_id) l ON l.wallet_id = w.id
       WHERE w.balance <> coalesce(l.total, 0)
      UNION SELECT l.wallet_id FROM ledger_entries l WHERE NOT EXISTS (SELECT FROM wallets w WHERE w.id = l.wallet_id)`,
  },
  {
    broken: 'ledger entries do not follow from each other (balanceAfter, seq)',
    wallets: `
      SELECT DISTINCT wallet_id AS id FROM (
        SELECT wallet_id, seq, balance_after, lag(balance_after, 1, 0::bigint) OVER w AS before,
               lag(seq, 1, 0::bigint) OVER w AS seq_before, CASE type WHEN 'debit' THEN -amount ELSE amount END AS change
          FROM ledger_entries WINDOW w AS (PARTITION BY wallet_id ORDER BY seq)) x
       WHERE balance_after <> before + change OR seq <> seq_before + 1
      UNION
      SELECT w.id FROM wallets w LEFT JOIN (SELECT wallet_id, max(seq) AS seq FROM ledger_entries GROUP BY wallet_id) l
          ON l.wallet_id = w.id
       WHERE w.entry_count <> coalesce(l.seq, 0)`,
  },
  {
    broken: 'held amount is not what waits for approval',
    wallets: `
      SELECT w.id FROM wallets w LEFT JOIN (
        SELECT wallet_id, sum(amount) AS total, count(*) AS count FROM transactions
         WHERE approval = 'pending' GROUP BY wallet_id) t ON t.wallet_id = w.id
       WHERE w.held <> coalesce(t.total, 0) OR w.held_count <> coalesce(t.count, 0) OR w.held > w.balance`,
  },
  {
    broken: 'transactions have a gap or a wrong running total',
    wallets: `
      SELECT DISTINCT wallet_id AS id FROM (
        SELECT wallet_id, seq, spent_total, row_number() OVER w AS place,
               sum(CASE WHEN block_reason IS NULL OR approval IS NOT NULL THEN amount ELSE 0 END) OVER w AS spent
          FROM transactions WINDOW w AS (PARTITION BY wallet_id ORDER BY seq)) x
       WHERE seq <> place OR spent_total <> spent
      UNION
      SELECT w.id FROM wallets w LEFT JOIN (
        SELECT DISTINCT ON (wallet_id) wallet_id, seq, spent_total FROM transactions ORDER BY wallet_id, seq DESC) t
          ON t.wallet_id = w.id
       WHERE w.attempt_count <> coalesce(t.seq, 0) OR w.spent_total <> coalesce(t.spent_total, 0)`,
  },
  {
    broken: 'approved payments and withdrawals lack their debit, or the other way round',
    wallets: `
      SELECT DISTINCT coalesce(p.wallet_id, l.wallet_id) AS id FROM (
        SELECT id, wallet_id, amount FROM transactions
         WHERE block_reason IS NULL AND approval IS DISTINCT FROM 'pending'
        UNION ALL SELECT id, wallet_id, amount FROM withdrawals) p
        FULL JOIN (SELECT * FROM ledger_entries WHERE type = 'debit' AND source IS DISTINCT FROM 'transfer') l
          ON l.wallet_id = p.wallet_id AND l.transaction_id = p.id AND l.amount = p.amount
       WHERE p.id IS NULL OR l.id IS NULL`,
  },
  {
    broken: 'failed and refunded payouts lack their refund, or the other way round',
    wallets: `
      SELECT DISTINCT coalesce(s.wallet_id, l.wallet_id) AS id FROM (
        SELECT * FROM ${ALL_SETTLEMENTS} a WHERE status = 'failed' OR ${IS_REFUNDED}) s
        FULL JOIN (SELECT * FROM ledger_entries WHERE type = 'refund') l
          ON l.wallet_id = s.wallet_id AND l.transaction_id = s.reference AND l.amount = s.amount
       WHERE s.reference IS NULL OR l.id IS NULL`,
  },
  {
    broken: 'credited transfers lack their top-up, or the other way round',
    wallets: `
      SELECT DISTINCT coalesce(t.wallet_id, l.wallet_id) AS id
        FROM (SELECT * FROM inbound_transfers WHERE status = 'credited') t
        FULL JOIN (SELECT * FROM ledger_entries WHERE type = 'topup' AND source IS NULL) l
          ON l.wallet_id = t.wallet_id AND l.reference = t.reference AND l.amount = t.amount
       WHERE t.id IS NULL OR l.id IS NULL`,
  },
  {
    broken: 'transfers between wallets are not one debit and one top-up',
    wallets: `
      SELECT DISTINCT coalesce(t.wallet_id, l.wallet_id) AS id FROM (
        SELECT id, from_wallet_id AS wallet_id, 'debit' AS type, amount FROM wallet_transfers
        UNION ALL SELECT id, to_wallet_id, 'topup', amount FROM wallet_transfers) t
        FULL JOIN (SELECT * FROM ledger_entries WHERE source = 'transfer') l
          ON l.wallet_id = t.wallet_id AND l.reference = t.id::text AND l.type = t.type AND l.amount = t.amount
       WHERE t.id IS NULL OR l.id IS NULL`,
  },
  {
    broken: 'approved payments and withdrawals lack their settlement, or the other way round',
    wallets: `
      SELECT DISTINCT coalesce(p.wallet_id, s.wallet_id) AS id FROM (
        SELECT id, wallet_id, amount FROM transactions
         WHERE block_reason IS NULL AND approval IS DISTINCT FROM 'pending'
        UNION ALL SELECT id, wallet_id, amount FROM withdrawals) p
        FULL JOIN ${ALL_SETTLEMENTS} s ON s.reference = p.id AND s.wallet_id = p.wallet_id AND s.amount = p.amount
       WHERE p.id IS NULL OR s.reference IS NULL`,
  },
  {
    broken: 'settlements are archived and not archived at once',
    wallets:
      'SELECT DISTINCT s.wallet_id AS id FROM settlements s JOIN archived_settlements a USING (reference, wallet_id)',
  },
  {
    broken: 'attempts lack the facts that they were decided on',
    wallets: `
      SELECT DISTINCT t.wallet_id AS id FROM transactions t
        LEFT JOIN (SELECT unnest(ids) AS id FROM archived_facts) a ON a.id = t.id
       WHERE (json_typeof(t.facts) = 'null') <> (a.id IS NOT NULL)`,
  },
  {
    broken: 'inbound transfers lack the body that the bank sent',
    wallets: `
      SELECT DISTINCT coalesce(t.wallet_id, t.id) AS id FROM inbound_transfers t
        LEFT JOIN (SELECT unnest(ids) AS id FROM archived_bodies) a ON a.id = t.id
       WHERE (t.body = '') <> (a.id IS NOT NULL)`,
  },
];

export interface Books {
  readonly wallets: number;
  /** Sum of all balances, in kobo. */
  readonly kobo: bigint;
  /** One line for each rule that does not hold. */
  readonly wrong: readonly string[];
}

/** Checks every wallet in one snapshot. `report` gets a line before each rule. */
export async function checkBooks(client: ClientBase, report: (line: string) => void): Promise<Books> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const { rows } = await client.query<{ wallets: string; kobo: string }>(
      'SELECT count(*) AS wallets, coalesce(sum(balance), 0) AS kobo FROM wallets',
    );
    const wrong: string[] = [];
    for (const [index, { broken, wallets }] of RULES.entries()) {
      report(`Recomputing, ${index + 1} of ${RULES.length}…`);
      const { rows: found } = await client.query<{ count: string; some: string[] | null }>(
        `SELECT count(*) AS count, (array_agg(id::text))[1:3] AS some FROM (${wallets}) x`,
      );
      const { count = '0', some } = found[0] ?? {};
      if (count !== '0')
        wrong.push(
          `${Number(count).toLocaleString('en')} wallets whose ${broken}, such as ${some?.join(', ')}`,
        );
    }
    return { wallets: Number(rows[0]?.wallets), kobo: BigInt(rows[0]?.kobo ?? 0), wrong };
  } finally {
    await client.query('ROLLBACK');
  }
}
