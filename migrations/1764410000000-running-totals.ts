import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A wallet's row carries what a payment would otherwise read: the numbers of its last attempt and of its last ledger
 * entry, its running totals, and what it spent in its window. `window_days` says for which window that is true, null
 * that it has to be read again; `window_from` is the time of the first attempt in it, null when there is none.
 *
 * All that a wallet ever spent may pass 2^63. The settlement's columns get the words of their trade.
 */
export class RunningTotals1764410000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE transactions ALTER COLUMN spent_total TYPE numeric;
      ALTER TABLE refunded_payments RENAME COLUMN paid_at TO approved_at;

      ALTER TABLE settlements RENAME COLUMN looks TO poll_count;
      ALTER TABLE settlements RENAME COLUMN next_look_at TO next_poll_at;
      ALTER TABLE settlements RENAME COLUMN handed_over_at TO submitted_at;
      ALTER TABLE settlements RENAME COLUMN paid_at TO approved_at;

      ALTER TABLE wallets
        ADD COLUMN attempt_count bigint NOT NULL DEFAULT 0,
        ADD COLUMN blocked_count bigint NOT NULL DEFAULT 0,
        ADD COLUMN spent_total numeric NOT NULL DEFAULT 0,
        ADD COLUMN entry_count bigint NOT NULL DEFAULT 0,
        ADD COLUMN window_spent bigint NOT NULL DEFAULT 0,
        ADD COLUMN window_from timestamptz,
        ADD COLUMN window_days integer,
        ADD CONSTRAINT wallets_counts_check CHECK (blocked_count BETWEEN 0 AND attempt_count AND entry_count >= 0
          AND spent_total >= 0 AND window_spent >= 0);
      UPDATE wallets w SET attempt_count = t.seq, blocked_count = t.blocked_total, spent_total = t.spent_total
        FROM (SELECT DISTINCT ON (wallet_id) wallet_id, seq, blocked_total, spent_total FROM transactions
               ORDER BY wallet_id, seq DESC) t
       WHERE t.wallet_id = w.id;
      UPDATE wallets w SET entry_count = e.seq
        FROM (SELECT DISTINCT ON (wallet_id) wallet_id, seq FROM ledger_entries ORDER BY wallet_id, seq DESC) e
       WHERE e.wallet_id = w.id;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallets DROP CONSTRAINT wallets_counts_check, DROP COLUMN attempt_count, DROP COLUMN blocked_count,
        DROP COLUMN spent_total, DROP COLUMN entry_count, DROP COLUMN window_spent, DROP COLUMN window_from,
        DROP COLUMN window_days;
      ALTER TABLE settlements RENAME COLUMN approved_at TO paid_at;
      ALTER TABLE settlements RENAME COLUMN submitted_at TO handed_over_at;
      ALTER TABLE settlements RENAME COLUMN next_poll_at TO next_look_at;
      ALTER TABLE settlements RENAME COLUMN poll_count TO looks;
      ALTER TABLE refunded_payments RENAME COLUMN approved_at TO paid_at;
      ALTER TABLE transactions ALTER COLUMN spent_total TYPE bigint;
    `);
  }
}
