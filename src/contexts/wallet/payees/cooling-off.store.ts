import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import { RowStatement } from '../../../platform/database/row-statement.js';
import { KOBO_MAX } from '../../../kernel/money.js';

export interface CoolingOffSpend {
  readonly walletId: string;
  readonly transactionId: string;
  /** Null: the key does not cool off. */
  readonly keyId: string | null;
  /** Null: the payee does not cool off. */
  readonly account: { readonly accountNumber: string; readonly bankCode: string } | null;
  readonly amount: number;
  /** Null: it waits for approval. */
  readonly paidAt: Date | null;
}

const NOTE = new RowStatement<{
  walletId: string;
  transactionId: string;
  keyId: string | null;
  accountNumber: string | null;
  bankCode: string | null;
  amount: number;
}>(
  'cooling_off_payments',
  {
    walletId: 'uuid',
    transactionId: 'uuid',
    keyId: 'uuid',
    accountNumber: 'text',
    bankCode: 'text',
    amount: 'bigint',
  },
  (
    rows,
  ) => `INSERT INTO cooling_off_payments (wallet_id, transaction_id, key_id, account_number, bank_code, amount)
     SELECT r.* FROM ${rows}`,
);

const COUNT_KEYS = new RowStatement<{ keyId: string; amount: number }>(
  'api_keys',
  { keyId: 'uuid', amount: 'bigint' },
  (rows) =>
    `UPDATE api_keys k SET cooling_spent = k.cooling_spent + r.amount FROM ${rows} WHERE k.id = r.keyId`,
);

interface PaidAccountRow {
  readonly walletId: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly amount: number;
  readonly paidAt: Date | null;
}

const COUNT_ACCOUNTS = new RowStatement<PaidAccountRow>(
  'wallet_paid_accounts',
  { walletId: 'uuid', accountNumber: 'text', bankCode: 'text', amount: 'bigint', paidAt: 'timestamptz' },
  (
    rows,
  ) => `INSERT INTO wallet_paid_accounts AS a (wallet_id, account_number, bank_code, cooling_spent, first_paid_at)
     SELECT r.* FROM ${rows}
     ON CONFLICT (wallet_id, account_number, bank_code)
       DO UPDATE SET cooling_spent = a.cooling_spent + excluded.cooling_spent,
                     first_paid_at = coalesce(a.first_paid_at, excluded.first_paid_at)`,
);

export interface ApprovedSpend {
  readonly walletId: string;
  readonly transactionId: string;
  readonly keyId: string | null;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
  readonly amount: number;
  readonly at: Date;
}

/**
 * Counts approved payments for keys and accounts that cool off now and do not count them yet. A sum too large
 * to store exceeds every cap anyway.
 */
const COUNT_APPROVED = `
  WITH paid AS (
    SELECT p.*,
           CASE WHEN c.key_id IS NULL AND k.cooling_spent <= ${KOBO_MAX} - p.amount
                 AND p.at < coalesce(k.age_from, k.created_at)
                            + (w.controls->'coolingOff'->>'newKeyHours')::integer * interval '1 hour'
                THEN k.id END AS counted_key,
           c.account_number IS NULL AND a.cooling_spent <= ${KOBO_MAX} - p.amount
             AND p.at < least(a.first_paid_at, registered.since)
                        + (w.controls->'coolingOff'->>'newPayeeHours')::integer * interval '1 hour' AS counts_account
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::uuid[], $6::uuid[], $7::bigint[])
           AS p (wallet_id, account_number, bank_code, at, transaction_id, key_id, amount)
      JOIN wallets w ON w.id = p.wallet_id AND w.controls ? 'coolingOff'
      LEFT JOIN api_keys k ON k.id = p.key_id
      LEFT JOIN wallet_paid_accounts a ON (a.wallet_id, a.account_number, a.bank_code)
                                        = (p.wallet_id, p.account_number, p.bank_code)
      LEFT JOIN cooling_off_payments c ON c.wallet_id = p.wallet_id AND c.transaction_id = p.transaction_id
     CROSS JOIN LATERAL (
       SELECT min(y.created_at) AS since FROM wallet_payees y
        WHERE (y.wallet_id, y.account_number, y.bank_code) = (p.wallet_id, p.account_number, p.bank_code)
     ) registered
  ), noted AS (
    INSERT INTO cooling_off_payments AS c (wallet_id, transaction_id, key_id, account_number, bank_code, amount)
    SELECT wallet_id, transaction_id, counted_key, CASE WHEN counts_account THEN account_number END,
           CASE WHEN counts_account THEN bank_code END, amount
      FROM paid WHERE counted_key IS NOT NULL OR counts_account
    ON CONFLICT (wallet_id, transaction_id)
      DO UPDATE SET key_id = coalesce(c.key_id, excluded.key_id),
                    account_number = coalesce(c.account_number, excluded.account_number),
                    bank_code = coalesce(c.bank_code, excluded.bank_code)
  ), keys AS (
    UPDATE api_keys k SET cooling_spent = k.cooling_spent + s.amount
      FROM (SELECT counted_key, sum(amount) AS amount FROM paid GROUP BY counted_key) s WHERE k.id = s.counted_key
  )
  UPDATE wallet_paid_accounts a SET cooling_spent = a.cooling_spent + s.amount
    FROM (SELECT wallet_id, account_number, bank_code, sum(amount) AS amount FROM paid
           WHERE counts_account GROUP BY wallet_id, account_number, bank_code) s
   WHERE (a.wallet_id, a.account_number, a.bank_code) = (s.wallet_id, s.account_number, s.bank_code)`;

/** Cooling-off spend of keys and payees; written under their wallets' locks. */
@Injectable()
export class CoolingOffStore {
  count(payments: readonly CoolingOffSpend[], tx: Tx): void {
    const keys = new Map<string, { keyId: string; amount: number }>();
    const accounts = new Map<string, PaidAccountRow>();
    for (const { walletId, keyId, account, amount, paidAt } of payments) {
      if (keyId !== null) keys.set(keyId, { keyId, amount: amount + (keys.get(keyId)?.amount ?? 0) });
      if (account) {
        const name = `${walletId} ${account.bankCode}/${account.accountNumber}`;
        const before = accounts.get(name);
        accounts.set(name, {
          ...account,
          walletId,
          amount: amount + (before?.amount ?? 0),
          paidAt: before?.paidAt ?? paidAt,
        });
      }
    }
    tx.writeRows(
      NOTE,
      payments.map(({ walletId, transactionId, keyId, account, amount }) => ({
        walletId,
        transactionId,
        keyId,
        accountNumber: account?.accountNumber ?? null,
        bankCode: account?.bankCode ?? null,
        amount,
      })),
    );
    tx.writeRows(COUNT_KEYS, [...keys.values()]);
    tx.writeRows(COUNT_ACCOUNTS, [...accounts.values()]);
  }

  /**
   * Records approved payments: an account's age starts at the first one, and they count also if the rule was
   * set after the request.
   */
  approve(payments: readonly ApprovedSpend[], tx: Tx): void {
    const columns = [
      payments.map(({ walletId }) => walletId),
      payments.map(({ recipientAccountNo }) => recipientAccountNo),
      payments.map(({ recipientBankCode }) => recipientBankCode),
      payments.map(({ at }) => at),
    ];
    tx.write(
      `INSERT INTO wallet_paid_accounts AS a (wallet_id, account_number, bank_code, first_paid_at)
       SELECT p.wallet_id, p.account_number, p.bank_code, min(p.at)
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) AS p (wallet_id, account_number, bank_code, at)
         JOIN wallets w ON w.id = p.wallet_id
        WHERE w.controls->'coolingOff' ? 'newPayeeHours'
           OR EXISTS (SELECT FROM wallet_paid_accounts k WHERE (k.wallet_id, k.account_number, k.bank_code)
                                                            = (p.wallet_id, p.account_number, p.bank_code))
        GROUP BY p.wallet_id, p.account_number, p.bank_code
       ON CONFLICT (wallet_id, account_number, bank_code)
         DO UPDATE SET first_paid_at = coalesce(a.first_paid_at, excluded.first_paid_at)`,
      columns,
    );
    tx.write(COUNT_APPROVED, [
      ...columns,
      payments.map(({ transactionId }) => transactionId),
      payments.map(({ keyId }) => keyId),
      payments.map(({ amount }) => amount),
    ]);
  }

  /**
   * Makes a key's spend count for its successor too, with its refunds. Later spend is the first key's own.
   */
  inherit(walletId: string, keys: { readonly from: string; readonly by: string }, tx: Tx): void {
    tx.write(
      `UPDATE cooling_off_payments SET inherited_by = inherited_by || $3::uuid
        WHERE wallet_id = $1::uuid AND (key_id = $2::uuid OR $2::uuid = ANY (inherited_by))`,
      [walletId, keys.from, keys.by],
    );
  }

  /** Releases refunded payments, once each. */
  giveBack(payments: readonly { readonly walletId: string; readonly transactionId: string }[], tx: Tx): void {
    tx.write(
      `WITH gone AS (
         DELETE FROM cooling_off_payments c USING unnest($1::uuid[], $2::uuid[]) AS r (wallet_id, transaction_id)
          WHERE c.wallet_id = r.wallet_id AND c.transaction_id = r.transaction_id RETURNING c.*
       ), keys AS (
         UPDATE api_keys k SET cooling_spent = k.cooling_spent - g.amount
           FROM (SELECT counted.key_id, sum(gone.amount) AS amount
                   FROM gone CROSS JOIN LATERAL unnest(gone.key_id || gone.inherited_by) AS counted (key_id)
                  WHERE gone.key_id IS NOT NULL GROUP BY counted.key_id) g
          WHERE k.id = g.key_id
       )
       UPDATE wallet_paid_accounts a SET cooling_spent = a.cooling_spent - g.amount
         FROM (SELECT wallet_id, account_number, bank_code, sum(amount) AS amount FROM gone
                WHERE account_number IS NOT NULL GROUP BY wallet_id, account_number, bank_code) g
        WHERE (a.wallet_id, a.account_number, a.bank_code) = (g.wallet_id, g.account_number, g.bank_code)`,
      [payments.map(({ walletId }) => walletId), payments.map(({ transactionId }) => transactionId)],
    );
  }

  /** Gives accounts paid earlier their age, without counting what they received. */
  async takeOverPaid(walletId: string, tx: Tx): Promise<void> {
    await tx.query(
      `INSERT INTO wallet_paid_accounts AS a (wallet_id, account_number, bank_code, first_paid_at)
       SELECT wallet_id, account_number, bank_code, min(first_paid_at) FROM wallet_merchants
        WHERE wallet_id = $1 AND account_number IS NOT NULL GROUP BY wallet_id, account_number, bank_code
       ON CONFLICT (wallet_id, account_number, bank_code)
         DO UPDATE SET first_paid_at = least(a.first_paid_at, excluded.first_paid_at)`,
      [walletId],
    );
  }
}
