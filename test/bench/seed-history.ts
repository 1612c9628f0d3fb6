const DAYS = 60;

/**
 * Gives a wallet that never paid `count` approved and settled payments of 10 kobo, spread evenly over the last
 * 60 days (twice its window), with every row and number as the service would have left them: the wallet and what it
 * was topped up by are older than they are. `run` needs a superuser, since the ledger lets nobody change it.
 */
export async function seedHistory(
  run: (statement: string, values: unknown[]) => Promise<unknown>,
  walletId: string,
  count: number,
): Promise<void> {
  const before = `date_trunc('milliseconds', now() - interval '${DAYS + 1} days')`;
  await run(
    `DO $$ BEGIN
       PERFORM set_config('session_replication_role', 'replica', true);
       UPDATE ledger_entries SET created_at = ${before}, id = ${uuidAt(before)} WHERE wallet_id = '${walletId}';
       UPDATE inbound_transfers SET received_at = ${before} WHERE wallet_id = '${walletId}';
       UPDATE wallets SET created_at = ${before} WHERE id = '${walletId}';
     END $$`,
    [],
  );
  const history = `
    SELECT n, ${uuidAt('at')} AS id, balance - 10 * n AS balance_after, at
      FROM (SELECT n, date_trunc('milliseconds',
                     now() - interval '${DAYS} days' + (n::float8 / $2) * interval '${DAYS} days') AS at
              FROM generate_series(1, $2::bigint) AS n) payments
     CROSS JOIN (SELECT balance FROM wallets WHERE id = $1) wallet`;
  await run(
    `WITH history AS MATERIALIZED (${history}), paid AS (
       INSERT INTO transactions (wallet_id, seq, id, amount, merchant, merchant_name, recipient_account_no,
         recipient_bank_code, block_reason, blocked_total, facts, spent_total, created_at,
         idempotency_key, fingerprint)
       SELECT $1, n, id, 10, 'google cloud', 'Google Cloud', '0123456789', '058', NULL, 0,
              jsonb_build_object('status', 'ACTIVE', 'expiry', '2099-01-01T00:00:00.000Z', 'now', at,
                'spendLimitPerTx', 9007199254740991, 'spendLimitPeriod', 9007199254740991, 'spent', 10 * (n - 1),
                'balance', balance_after + 10, 'useAllowlist', false, 'onAllowlist', false),
              10 * n, at, id::text, sha256(uuid_send(id))
         FROM history
     ), settled AS (
       INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, status, steps,
         approved_at, submitted_at, next_poll_at)
       SELECT id, $1, 10, '0123456789', '058', 'Google Cloud', 'succeeded',
              jsonb_build_array(jsonb_build_object('type', 'settlement.succeeded', 'at', at, 'detail', '{}'::jsonb)),
              at, at, NULL
         FROM history
     ), entered AS (
       INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, transaction_id, reference, created_at)
       SELECT $1, n + last.seq, ${uuidAt('at')}, 'debit', 10, balance_after, id, id::text, at
         FROM history CROSS JOIN (SELECT max(seq) AS seq FROM ledger_entries WHERE wallet_id = $1) last
     )
     UPDATE wallets SET balance = balance - 10 * $2, updated_at = date_trunc('milliseconds', now()),
            attempt_count = $2, spent_total = 10 * $2, entry_count = entry_count + $2, window_days = NULL
      WHERE id = $1`,
    [walletId, count],
  );
}

/** SQL for a new UUID of version 7 made at the time `at`; PostgreSQL has had a function of its own since 18. */
function uuidAt(at: string): string {
  const random = (digits: number) => `left(md5(random()::text), ${digits})`;
  return `(lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '7' || ${random(3)} || '8' || ${random(15)})::uuid`;
}
