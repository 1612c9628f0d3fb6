import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import { RowStatement } from '../../../platform/database/row-statement.js';

/** A payment that its new key, or its new payee, is counted by. */
export interface CoolingOffSpend {
  readonly walletId: string;
  readonly transactionId: string;
  /** Null: the key does not cool off. */
  readonly keyId: string | null;
  /** Null: the payee does not cool off. */
  readonly account: { readonly accountNumber: string; readonly bankCode: string } | null;
  readonly amount: number;
  /** When it was approved; null: it waits for a person. */
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

/** What new keys and new payees have spent; written under the locks of their wallets. */
@Injectable()
export class CoolingOffStore {
  /** Counts payments in what their keys and payees may still be paid with. */
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
   * From the first payment to it on an account grows old: of payments that waited for a person, and counted meanwhile
   * unless the rule came later.
   */
  begin(
    payments: readonly {
      readonly walletId: string;
      readonly recipientAccountNo: string;
      readonly recipientBankCode: string;
      readonly at: Date;
    }[],
    tx: Tx,
  ): void {
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
      [
        payments.map(({ walletId }) => walletId),
        payments.map(({ recipientAccountNo }) => recipientAccountNo),
        payments.map(({ recipientBankCode }) => recipientBankCode),
        payments.map(({ at }) => at),
      ],
    );
  }

  /**
   * Has what counts of one key of a locked wallet count of another, which takes over its age: what comes back of it
   * comes back to both. What the first pays from now on is its own.
   */
  inherit(walletId: string, keys: { readonly from: string; readonly by: string }, tx: Tx): void {
    tx.write(
      `UPDATE cooling_off_payments SET inherited_by = inherited_by || $3::uuid
        WHERE wallet_id = $1::uuid AND (key_id = $2::uuid OR $2::uuid = ANY (inherited_by))`,
      [walletId, keys.from, keys.by],
    );
  }

  /** Counts payments no longer whose money came back, each once however often it is said. */
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

  /** Gives the accounts that a locked wallet is known to have paid their age; what they received is not counted. */
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
