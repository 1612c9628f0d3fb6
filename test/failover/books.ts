import type { Cluster } from '../../ops/cluster/cluster.ts';
import type { Acknowledged } from './payers.ts';

export interface Verdict {
  /** Acknowledged payments that are not there under their key with the same id, amount and wallet. */
  readonly lost: number;
  /** Payments of one key beyond the first. */
  readonly doubled: number;
  /** Wallets and payments that contradict each other. */
  readonly contradictions: number;
}

interface Row {
  readonly key: string;
  readonly id: string;
  readonly amount: string;
  readonly walletId: string;
}

const PAYMENTS = `SELECT idempotency_key AS key, id, amount::text, wallet_id AS "walletId"
  FROM transactions WHERE wallet_id = ANY ($1) AND block_reason IS NULL`;

/** A balance is the sum of its entries, and each payment has one debit and one settlement of its amount. */
const CONTRADICTIONS = `
  SELECT w.id FROM wallets w JOIN ledger_entries e ON e.wallet_id = w.id WHERE w.id = ANY ($1) GROUP BY w.id, w.balance
  HAVING w.balance <> sum(CASE e.type WHEN 'debit' THEN -e.amount ELSE e.amount END)
  UNION ALL
  SELECT t.id FROM transactions t
    LEFT JOIN ledger_entries e ON e.transaction_id = t.id AND e.type = 'debit' AND e.amount = t.amount
    LEFT JOIN settlements s ON s.reference = t.id AND s.amount = t.amount
   WHERE t.wallet_id = ANY ($1) AND t.block_reason IS NULL
   GROUP BY t.wallet_id, t.seq, t.id HAVING count(e.id) <> 1 OR count(s.reference) <> 1`;

/** Compares what the clients were told with what the primary has. */
export async function judge(
  cluster: Cluster,
  walletIds: readonly string[],
  acknowledged: ReadonlyMap<string, Acknowledged>,
): Promise<Verdict> {
  const stored = new Map<string, Row>();
  let doubled = 0;
  for (const row of await cluster.query<Row>(PAYMENTS, [walletIds])) {
    if (stored.has(row.key)) doubled += 1;
    stored.set(row.key, row);
  }
  let lost = 0;
  for (const [key, { id, amount, walletId }] of acknowledged) {
    const row = stored.get(key);
    if (row?.id !== id || row.amount !== String(amount) || row.walletId !== walletId) lost += 1;
  }
  const contradictions = await cluster.query<object>(CONTRADICTIONS, [walletIds]);
  return { lost, doubled, contradictions: contradictions.length };
}
