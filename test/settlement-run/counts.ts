/** What a run did, counted in the books of the service. */
export interface Counts {
  readonly approved: number;
  readonly blocked: number;
  readonly refunded: number;
  /** Payments that waited for a person, and those of them that were approved, but that the bank did not pay. */
  readonly asked: number;
  readonly approvedAndRefunded: number;
  readonly withdrawals: number;
  readonly withdrawalsRefunded: number;
  readonly collections: number;
}

export const COUNTS = `
      SELECT count(*) FILTER (WHERE block_reason IS NULL)::int AS approved,
             count(*) FILTER (WHERE block_reason IS NOT NULL)::int AS blocked,
             (SELECT count(*)::int FROM ledger_entries WHERE type = 'refund') AS refunded,
             count(*) FILTER (WHERE approval IS NOT NULL)::int AS asked,
             count(*) FILTER (WHERE approval = 'approved' AND EXISTS (
               SELECT 1 FROM ledger_entries l WHERE l.transaction_id = t.id AND l.type = 'refund'
             ))::int AS "approvedAndRefunded",
             (SELECT count(*)::int FROM withdrawals) AS withdrawals,
             (SELECT count(*)::int FROM ledger_entries WHERE type = 'refund' AND source = 'withdrawal')
               AS "withdrawalsRefunded",
             (SELECT count(*)::int FROM ledger_entries WHERE type = 'topup') AS collections FROM transactions t`;
