import { Injectable } from '@nestjs/common';
import { distinctBy, filterMap } from '../../../../kernel/mapped.js';
import { KOBO_MAX } from '../../../../kernel/money.js';
import { RowStatement } from '../../../../platform/database/row-statement.js';
import type { Tx } from '../../../../platform/database/tx.js';
import { InTransaction } from '../../../../platform/events/events.js';
import type { BankAccount } from '../../../bank/name-enquiry.port.js';
import { WHOLE_WALLET } from '../../../wallet/payees/payees.port.js';
import {
  ApiKeyAdded,
  type WalletControls,
  type WalletControlsChanged,
} from '../../../wallet/wallet.events.js';
import type { LockedWallet } from '../../../wallet/wallet.port.js';
import { recipientOf } from '../../payments.port.js';
import type { DecidedAttempt } from '../../spending-wallet.domain.js';
import type { PayeeQuery } from '../payees/payees.domain.js';
import type { OwnerApproval, ReleasedPayment, RuleRecords } from '../rule-records.js';
import type { CoolingAccount, CoolingKey, CoolingReadings } from './cooling-off.domain.js';

interface CoolingOffSpend {
  readonly walletId: string;
  readonly transactionId: string;
  /** Null: the key does not cool off. */
  readonly keyId: string | null;
  /** Null: the payee does not cool off. */
  readonly account: BankAccount | null;
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

@Injectable()
export class CoolingOffStore implements RuleRecords {
  async read(queries: readonly PayeeQuery[], tx: Tx): Promise<CoolingReadings> {
    const accounts = distinctBy(
      queries,
      ({ walletId, accountNumber, bankCode }) => `${walletId} ${bankCode} ${accountNumber}`,
    );
    const [coolingAccounts, coolingKeys] = await Promise.all([
      tx.query<CoolingAccount>(
        `SELECT q.wallet_id AS "walletId", q.account_number AS "accountNumber", q.bank_code AS "bankCode",
                least(a.first_paid_at, p.since) AS since, coalesce(a.cooling_spent, 0)::bigint AS "coolingSpent"
           FROM unnest($1::uuid[], $2::text[], $3::text[]) AS q (wallet_id, account_number, bank_code)
           LEFT JOIN wallet_paid_accounts a ON (a.wallet_id, a.account_number, a.bank_code)
                                             = (q.wallet_id, q.account_number, q.bank_code)
          CROSS JOIN LATERAL (
            SELECT min(p.created_at) AS since FROM wallet_payees p
             WHERE (p.wallet_id, p.account_number, p.bank_code) = (q.wallet_id, q.account_number, q.bank_code)
               AND p.history_id = '${WHOLE_WALLET}'
          ) p`,
        [
          accounts.map(({ walletId }) => walletId),
          accounts.map(({ accountNumber }) => accountNumber),
          accounts.map(({ bankCode }) => bankCode),
        ],
      ),
      tx.query<CoolingKey>(
        `SELECT wallet_id AS "walletId", id AS "keyId", coalesce(age_from, created_at) AS since, cooling_spent::bigint AS "coolingSpent"
           FROM api_keys WHERE id = ANY ($1::uuid[])`,
        [[...new Set(queries.map(({ keyId }) => keyId))]],
      ),
    ]);
    return { coolingAccounts, coolingKeys };
  }

  record(attempts: readonly DecidedAttempt[], tx: Tx): void {
    const payments = filterMap(attempts, spendOf);
    if (payments.length === 0) return;
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
  approve(_: LockedWallet, approvals: readonly OwnerApproval[], tx: Tx): void {
    const payments = approvals.map(({ transaction, at }) => ({
      ...transaction,
      ...recipientOf(transaction),
      at,
    }));
    const columns = [
      payments.map(({ walletId }) => walletId),
      payments.map(({ accountNumber }) => accountNumber),
      payments.map(({ bankCode }) => bankCode),
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
      payments.map(({ id }) => id),
      payments.map(({ keyId }) => keyId),
      payments.map(({ amount }) => amount),
    ]);
  }

  /** Makes a key's spend count for its successor too, with its refunds. Later spend is the first key's own. */
  @InTransaction(ApiKeyAdded)
  inherit(keys: readonly ApiKeyAdded[], tx: Tx): void {
    const heirs = keys.filter(({ inheritsFrom }) => inheritsFrom !== null);
    for (const { walletId, inheritsFrom, keyId } of heirs) {
      tx.write(
        `UPDATE cooling_off_payments SET inherited_by = inherited_by || $3::uuid
          WHERE wallet_id = $1::uuid AND (key_id = $2::uuid OR $2::uuid = ANY (inherited_by))`,
        [walletId, inheritsFrom, keyId],
      );
    }
  }

  release(payments: readonly ReleasedPayment[], tx: Tx): void {
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
  async changeControls({ walletId, before, after }: WalletControlsChanged, tx: Tx): Promise<void> {
    if (!coolsPayees(after) || coolsPayees(before)) return;
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

function coolsPayees(controls: WalletControls | null): boolean {
  return controls?.coolingOff?.newPayeeHours !== undefined;
}

function spendOf(attempt: DecidedAttempt): CoolingOffSpend | undefined {
  const { coolingOff } = attempt.facts;
  if (attempt.blockReason !== null || !coolingOff) return undefined;
  return {
    walletId: attempt.walletId,
    transactionId: attempt.id,
    amount: attempt.amount,
    keyId: coolingOff.key ? attempt.keyId : null,
    account: coolingOff.payee ? recipientOf(attempt) : null,
    paidAt: attempt.approval === null ? attempt.createdAt : null,
  };
}
