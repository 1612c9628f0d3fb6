/** Anything that runs SQL on the service's database. */
export interface Source {
  query<Row>(text: string): Promise<Row[]>;
}

const ALL_SETTLEMENTS = `(
  SELECT reference, wallet_id, amount, is_withdrawal, status, approved_at, steps FROM settlements
   UNION ALL SELECT reference, wallet_id, amount, is_withdrawal, status, approved_at, coalesce(steps, '[]')
        FROM archived_settlements)`;

/** What the setting `field` of the wallet `w` was when the payment \`t\` was decided; its column is what it is now. */
const then = (field: string, column: string): string => `coalesce((
  SELECT (c.before->>'${field}')::bigint FROM wallet_changes c
   WHERE c.wallet_id = w.id AND c.before ? '${field}' AND c.created_at > t.created_at ORDER BY c.seq LIMIT 1
), w.${column})`;

/**
 * What must hold of the books at every moment, whatever ran before. Each statement answers the rows that break
 * its rule.
 */
const INVARIANTS: Readonly<Record<string, string>> = {
  'a balance is the sum of its ledger entries': `
    SELECT w.id FROM wallets w LEFT JOIN ledger_entries l ON l.wallet_id = w.id GROUP BY w.id, w.balance
    HAVING w.balance <> coalesce(sum(CASE l.type WHEN 'debit' THEN -l.amount ELSE l.amount END), 0) OR w.balance < 0`,
  'each entry follows from the one before it, and seq has no gap': `
    SELECT * FROM (
      SELECT wallet_id, seq, balance_after, lag(balance_after, 1, 0::bigint) OVER w AS before,
             lag(seq, 1, 0::bigint) OVER w AS seq_before, CASE type WHEN 'debit' THEN -amount ELSE amount END AS change
        FROM ledger_entries WINDOW w AS (PARTITION BY wallet_id ORDER BY seq)) x
     WHERE balance_after <> before + change OR seq <> seq_before + 1`,
  'an approved transaction has exactly one debit of its amount, a blocked or pending one none': `
    SELECT t.id FROM transactions t LEFT JOIN ledger_entries l ON l.transaction_id = t.id AND l.type = 'debit'
     GROUP BY t.id, t.wallet_id, t.block_reason, t.approval, t.amount
    HAVING count(l.id) <> (t.block_reason IS NULL AND t.approval IS DISTINCT FROM 'pending')::int
        OR bool_or(l.amount <> t.amount OR l.wallet_id <> t.wallet_id OR l.reference <> t.id::text)`,
  'every debit and refund belongs to an approved transaction, a withdrawal or a transfer': `
    SELECT l.id FROM ledger_entries l
     WHERE l.type <> 'topup' AND NOT CASE
       WHEN l.source IS NULL THEN EXISTS (
         SELECT 1 FROM transactions t WHERE t.id = l.transaction_id AND t.block_reason IS NULL
            AND t.approval IS DISTINCT FROM 'pending')
       WHEN l.source = 'withdrawal' THEN EXISTS (SELECT 1 FROM withdrawals x WHERE x.id = l.transaction_id)
       ELSE l.type = 'debit' AND EXISTS (SELECT 1 FROM wallet_transfers x WHERE x.id = l.transaction_id) END`,
  'a withdrawal has exactly one debit of its amount, and exactly one refund when the bank did not pay it': `
    SELECT x.id FROM withdrawals x
      LEFT JOIN ${ALL_SETTLEMENTS} s ON s.reference = x.id AND s.wallet_id = x.wallet_id AND s.is_withdrawal
      LEFT JOIN ledger_entries l ON l.transaction_id = x.id
     GROUP BY x.wallet_id, x.seq, s.status, s.steps
    HAVING count(l.id) FILTER (WHERE l.type = 'debit') <> 1
        OR count(l.id) FILTER (WHERE l.type = 'refund') <> (s.steps @> '[{"type": "refund.posted"}]')::int
        OR s.status = 'failed' AND NOT s.steps @> '[{"type": "refund.posted"}]'
        OR bool_or(l.amount <> x.amount OR l.wallet_id <> x.wallet_id OR l.reference <> x.id::text
             OR l.source IS DISTINCT FROM 'withdrawal')`,
  'a withdrawal or transfer counts in no period': `
    SELECT x.id FROM (SELECT id FROM withdrawals UNION ALL SELECT id FROM wallet_transfers) x
     WHERE EXISTS (SELECT 1 FROM transactions t WHERE t.id = x.id)
        OR EXISTS (SELECT 1 FROM refunded_payments r WHERE r.transaction_id = x.id)`,
  'a transfer between wallets is one debit and one top-up of its amount, between wallets of one owner': `
    SELECT x.id FROM wallet_transfers x
      JOIN wallets f ON f.id = x.from_wallet_id JOIN wallets t ON t.id = x.to_wallet_id
     WHERE f.user_id <> t.user_id
        OR (SELECT array_agg((l.wallet_id, l.type, l.amount)::text ORDER BY l.type) FROM ledger_entries l
             WHERE l.source = 'transfer' AND l.reference = x.id::text)
           IS DISTINCT FROM ARRAY[(x.from_wallet_id, 'debit'::text, x.amount)::text,
                                  (x.to_wallet_id, 'topup'::text, x.amount)::text]`,
  'a transaction is refunded once at most, by its amount, and the allowance with it, as of one that was denied': `
    SELECT t.id FROM transactions t
      LEFT JOIN ledger_entries l ON l.transaction_id = t.id AND l.type = 'refund'
      LEFT JOIN refunded_payments r ON r.transaction_id = t.id
     GROUP BY t.id, t.wallet_id, t.amount, t.created_at, t.approval
    HAVING count(l.id) > 1
        OR count(l.id) + (t.approval IN ('denied', 'expired') IS TRUE)::int <> count(r.transaction_id)
        OR bool_or(l.amount <> t.amount OR r.amount <> t.amount OR r.approved_at <> t.created_at)`,
  'the attempts of a key with limits are numbered in their history without a gap, those that were blocked too': `
    SELECT * FROM (
      SELECT t.id, t.history_seq, t.history_blocked_total, row_number() OVER w AS seq,
             count(*) FILTER (WHERE t.block_reason IS NOT NULL AND t.approval IS NULL) OVER w AS blocked
        FROM transactions t WHERE t.history_id IS NOT NULL
      WINDOW w AS (PARTITION BY t.wallet_id, t.history_id ORDER BY t.seq)) x
     WHERE history_seq <> seq OR history_blocked_total <> blocked`,
  'an attempt is in a history where its key has limits, and nowhere else': `
    SELECT t.id FROM transactions t JOIN api_keys k ON k.id = t.key_id
     WHERE t.history_id IS DISTINCT FROM CASE WHEN k.limits IS NOT NULL THEN coalesce(k.lineage[1], k.id) END`,
  'what a wallet holds is what waits for a person, and lies in its balance': `
    SELECT w.id FROM wallets w LEFT JOIN transactions t ON t.wallet_id = w.id AND t.approval = 'pending'
     GROUP BY w.id, w.held, w.held_count, w.balance
    HAVING w.held <> coalesce(sum(t.amount), 0) OR w.held_count <> count(t.id) OR w.held > w.balance`,
  'an approval was decided once, by somebody or by nobody, and before it expired unless it lapsed': `
    SELECT t.id FROM transactions t
     WHERE t.approval IS NOT NULL AND NOT CASE t.approval
       WHEN 'pending' THEN t.approval_decided_at IS NULL AND t.approval_decided_by IS NULL
       WHEN 'expired' THEN t.approval_decided_at >= t.approval_expires_at AND t.approval_decided_by IS NULL
       ELSE t.approval_decided_at < t.approval_expires_at AND EXISTS (
         SELECT FROM wallets w JOIN users u ON coalesce(u.account_id, u.id) = w.user_id
          WHERE w.id = t.wallet_id AND u.id = t.approval_decided_by) END`,
  'a payment that a person approved was debited and is settled as of that moment': `
    SELECT t.id FROM transactions t LEFT JOIN ${ALL_SETTLEMENTS} s ON s.reference = t.id
      LEFT JOIN ledger_entries l ON l.transaction_id = t.id AND l.type = 'debit'
     WHERE t.approval = 'approved'
       AND (t.approval_decided_at, t.approval_decided_at) IS DISTINCT FROM (s.approved_at, l.created_at)`,
  'a transfer is credited once': `
    SELECT reference FROM ledger_entries WHERE type = 'topup' GROUP BY reference HAVING count(*) > 1`,
  'a top-up and a credited transfer are the same': `
    SELECT l.id, i.id FROM (SELECT * FROM ledger_entries WHERE type = 'topup' AND source IS NULL) l
      FULL JOIN (SELECT * FROM inbound_transfers WHERE status = 'credited') i
        ON i.reference = l.reference AND i.wallet_id = l.wallet_id AND i.amount = l.amount
     WHERE l.id IS NULL OR i.id IS NULL`,
  'transactions have no gap in seq, and their running total is the sum of what was approved or asked about': `
    SELECT * FROM (
      SELECT wallet_id, seq, spent_total, row_number() OVER w AS place,
             sum(CASE WHEN block_reason IS NULL OR approval IS NOT NULL THEN amount ELSE 0 END) OVER w AS spent
        FROM transactions WINDOW w AS (PARTITION BY wallet_id ORDER BY seq)) x
     WHERE seq <> place OR spent_total <> spent`,
  'the numbers and the total that a wallet carries are those of its history': `
    SELECT w.id FROM wallets w
      LEFT JOIN (SELECT DISTINCT ON (wallet_id) * FROM transactions ORDER BY wallet_id, seq DESC) t ON t.wallet_id = w.id
      LEFT JOIN (SELECT wallet_id, max(seq) AS seq FROM ledger_entries GROUP BY wallet_id) l ON l.wallet_id = w.id
     WHERE (w.attempt_count, w.blocked_count, w.spent_total, w.entry_count) IS DISTINCT FROM
           (coalesce(t.seq, 0), coalesce(t.blocked_total, 0), coalesce(t.spent_total, 0), coalesce(l.seq, 0))`,
  'what a wallet carries of its window is what was spent in it': `
    SELECT w.id FROM wallets w WHERE w.window_days IS NOT NULL AND w.window_spent <> coalesce((
      SELECT sum(t.amount) FROM transactions t
       WHERE t.wallet_id = w.id AND t.block_reason IS NULL AND t.created_at >= w.window_from
         AND NOT EXISTS (SELECT 1 FROM refunded_payments r WHERE r.transaction_id = t.id)), 0)`,
  'the time of transactions never contradicts their seq': `
    SELECT * FROM (SELECT wallet_id, seq, created_at, lag(created_at) OVER (PARTITION BY wallet_id ORDER BY seq) AS before
                     FROM transactions) x WHERE created_at < before`,
  'the time of ledger entries never contradicts their seq': `
    SELECT * FROM (SELECT wallet_id, seq, created_at, lag(created_at) OVER (PARTITION BY wallet_id ORDER BY seq) AS before
                     FROM ledger_entries) x WHERE created_at < before`,
  'an approved transaction and a withdrawal have exactly one settlement of their amount': `
    SELECT t.id, s.reference FROM (
        SELECT id, wallet_id, amount, false AS is_withdrawal FROM transactions
         WHERE block_reason IS NULL AND approval IS DISTINCT FROM 'pending'
        UNION ALL SELECT id, wallet_id, amount, true FROM withdrawals) t
      FULL JOIN ${ALL_SETTLEMENTS} s ON s.reference = t.id AND s.wallet_id = t.wallet_id AND s.amount = t.amount
       AND s.is_withdrawal = t.is_withdrawal
     WHERE t.id IS NULL OR s.reference IS NULL`,
  'no wallet paid more at a time than its limit was': `
    SELECT t.id FROM transactions t JOIN wallets w ON w.id = t.wallet_id
     WHERE t.block_reason IS NULL AND t.amount > ${then('spendLimitPerTx', 'spend_limit_per_tx')}`,
  'no window that ends at a payment holds more than the limit of the period was': `
    WITH paid AS (
      SELECT t.wallet_id, t.id, t.created_at, t.amount, ${then('periodWindowDays', 'period_window_days')} AS days,
             ${then('spendLimitPeriod', 'spend_limit_period')} AS most,
             EXISTS (SELECT FROM refunded_payments r WHERE r.transaction_id = t.id) AS is_refunded
        FROM transactions t JOIN wallets w ON w.id = t.wallet_id WHERE t.block_reason IS NULL)
    SELECT x.id FROM (SELECT DISTINCT days FROM paid) d CROSS JOIN LATERAL (
      SELECT id, days, most, sum(amount) FILTER (WHERE NOT is_refunded) OVER (PARTITION BY wallet_id ORDER BY created_at
             RANGE d.days * interval '24 hours' - interval '1 microsecond' PRECEDING) AS spent FROM paid) x
     WHERE x.days = d.days AND x.spent > x.most`,
  'no payment was approved while its wallet was suspended or closed': `
    SELECT t.id FROM transactions t JOIN wallets w ON w.id = t.wallet_id
     CROSS JOIN LATERAL (VALUES (t.created_at), (t.approval_decided_at)) d (at)
     WHERE t.block_reason IS NULL AND d.at IS NOT NULL AND 'ACTIVE' <> (
       SELECT c.after->>'status' FROM wallet_changes c
        WHERE c.wallet_id = w.id AND c.after ? 'status' AND c.created_at <= d.at ORDER BY c.seq DESC LIMIT 1)`,
  'a payment of a key with limits is on record once, and those of other keys are not': `
    SELECT t.id, p.transaction_id FROM (
        SELECT t.* FROM transactions t JOIN api_keys k ON k.id = t.key_id
         WHERE k.limits IS NOT NULL AND (t.block_reason IS NULL OR t.approval IS NOT NULL)) t
      FULL JOIN api_key_payments p ON p.transaction_id = t.id AND p.wallet_id = t.wallet_id AND p.key_id = t.key_id
       AND p.amount = t.amount AND p.approved_at = t.created_at
     WHERE t.id IS NULL OR p.transaction_id IS NULL`,
  'a payment was given back to its key exactly when its money went back': `
    SELECT p.transaction_id FROM api_key_payments p
      LEFT JOIN refunded_payments r ON r.wallet_id = p.wallet_id AND r.transaction_id = p.transaction_id
     WHERE p.is_refunded <> (r.transaction_id IS NOT NULL)`,
  'where a key stands is the sum of its payments, which have no gap in seq': `
    SELECT u.key_id FROM api_key_usage u LEFT JOIN (
        SELECT *, row_number() OVER w AS place, sum(amount) OVER w AS total
          FROM api_key_payments WINDOW w AS (PARTITION BY key_id ORDER BY seq)) p
        ON p.wallet_id = u.wallet_id AND p.key_id = u.key_id
     GROUP BY u.wallet_id, u.key_id
    HAVING bool_or(p.seq <> p.place OR p.spent_total <> p.total)
        OR u.payment_count <> count(p.seq) OR u.spent_total <> coalesce(sum(p.amount), 0)
        OR u.refunded_count <> count(p.seq) FILTER (WHERE p.is_refunded)
        OR u.refunded_total <> coalesce(sum(p.amount) FILTER (WHERE p.is_refunded), 0)`,
  'what counts of a key is what its transactions add up to that are paid, or wait': `
    SELECT u.key_id FROM api_key_usage u
      LEFT JOIN transactions t ON t.wallet_id = u.wallet_id AND t.key_id = u.key_id AND t.block_reason IS NULL
       AND NOT EXISTS (SELECT 1 FROM refunded_payments r WHERE r.wallet_id = t.wallet_id AND r.transaction_id = t.id)
     GROUP BY u.wallet_id, u.key_id
    HAVING u.spent_total - u.refunded_total <> coalesce(sum(t.amount), 0)
        OR u.payment_count - u.refunded_count <> count(t.id)`,
  'no key spent or paid more than its limits allow': `
    SELECT p.transaction_id FROM api_key_payments p JOIN api_keys k ON k.id = p.key_id
      JOIN transactions t ON t.id = p.transaction_id AND t.wallet_id = p.wallet_id
      JOIN api_key_usage u ON u.wallet_id = p.wallet_id AND u.key_id = p.key_id
     WHERE u.spent_total - u.refunded_total > (k.limits->>'totalCap')::numeric
        OR u.payment_count - u.refunded_count > (k.limits->>'maxPayments')::bigint
        OR p.amount > (k.limits->>'spendLimitPerTx')::bigint
        OR t.recipient_account_no <> k.limits->'payee'->>'accountNumber'
        OR t.recipient_bank_code <> k.limits->'payee'->>'bankCode'
        OR p.approved_at >= (k.limits->>'expiry')::timestamptz
        OR (SELECT sum(o.amount) FROM api_key_payments o
             WHERE o.wallet_id = p.wallet_id AND o.key_id = p.key_id AND o.seq <= p.seq AND NOT o.is_refunded
               AND o.approved_at > p.approved_at - (k.limits->>'periodWindowDays')::integer * interval '24 hours'
           ) > (k.limits->>'spendLimitPeriod')::bigint`,
  'what the duplicate guard compares with was paid, and not refunded': `
    SELECT p.transaction_id FROM recent_purchases p
      LEFT JOIN transactions t ON t.id = p.transaction_id AND t.wallet_id = p.wallet_id AND t.seq = p.seq
       AND t.key_id = p.key_id AND t.amount = p.amount AND t.recipient_account_no = p.recipient_account_no
       AND t.recipient_bank_code = p.recipient_bank_code AND t.created_at = p.approved_at
      LEFT JOIN refunded_payments r ON r.transaction_id = p.transaction_id AND r.wallet_id = p.wallet_id
     WHERE t.id IS NULL OR t.block_reason IS NOT NULL OR r.transaction_id IS NOT NULL`,
  'what was paid to an account while it cooled off is the sum of its payments, and none is of money that came back': `
    SELECT a.account_number FROM wallet_paid_accounts a
     WHERE a.cooling_spent <> coalesce((
             SELECT sum(c.amount) FROM cooling_off_payments c
              WHERE (c.wallet_id, c.account_number, c.bank_code) = (a.wallet_id, a.account_number, a.bank_code)), 0)
    UNION ALL
    SELECT c.transaction_id::text FROM cooling_off_payments c JOIN transactions t ON t.id = c.transaction_id
     WHERE t.block_reason IS NOT NULL OR c.amount <> t.amount
        OR EXISTS (SELECT FROM refunded_payments r WHERE r.transaction_id = c.transaction_id)`,
  'what a key paid while it cooled off is the sum of its payments and of those that it took over': `
    SELECT k.id FROM api_keys k
     WHERE k.cooling_spent <> coalesce((
             SELECT sum(c.amount) FROM cooling_off_payments c
              WHERE c.wallet_id = k.wallet_id AND (c.key_id = k.id OR k.id = ANY (c.inherited_by))), 0)`,
  'no merchant of a wallet was bound by first use to a second account': `
    SELECT p.merchant FROM wallet_payees p WHERE p.origin = 'first_use'
     GROUP BY p.wallet_id, p.merchant, p.history_id HAVING count(*) > 1`,
  'the changes of a wallet have no gap in seq, and their time never contradicts it': `
    SELECT * FROM (
      SELECT wallet_id, seq, created_at, row_number() OVER w AS place, lag(created_at) OVER w AS before
        FROM wallet_changes WINDOW w AS (PARTITION BY wallet_id ORDER BY seq)) x
     WHERE seq <> place OR created_at < before`,
};

/** The rules that do not hold, each with some of the rows that break it; empty when all is well. */
export async function brokenInvariants(source: Source): Promise<Record<string, unknown[]>> {
  const broken: Record<string, unknown[]> = {};
  for (const [rule, statement] of Object.entries(INVARIANTS)) {
    const rows = await source.query(statement);
    if (rows.length > 0) broken[rule] = rows.slice(0, 5);
  }
  return broken;
}
