import { Injectable } from '@nestjs/common';
import { distinctBy } from '../../../../kernel/mapped.js';
import { RowStatement } from '../../../../platform/database/row-statement.js';
import type { Tx } from '../../../../platform/database/tx.js';
import { PAYEES_MAX, WHOLE_WALLET } from '../../../wallet/payees/payees.port.js';
import { type MerchantPayees, type PayeeQuery, PAYEES_OF_KEY_MAX } from './payees.domain.js';

export interface FirstPayment {
  readonly walletId: string;
  readonly merchant: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly historyId: string;
  readonly transactionId: string;
}

/** First approved payment to a merchant without payees. */
export type FirstUse = FirstPayment & {
  readonly id: string;
  readonly merchantName: string;
  readonly createdAt: Date;
};

export interface RememberedPayee {
  readonly walletId: string;
  readonly id: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly merchantName?: string;
}

const IDENTITY = {
  walletId: 'uuid',
  merchant: 'text',
  accountNumber: 'text',
  bankCode: 'text',
  historyId: 'uuid',
} as const;

const VISIBLE = `p.history_id IN ('${WHOLE_WALLET}', r.historyId)`;
/** Rechecks that the merchant is unbound: an approval may come late. */
const REMEMBER = new RowStatement<FirstUse>(
  'wallet_payees',
  { ...IDENTITY, transactionId: 'uuid', id: 'uuid', merchantName: 'text', createdAt: 'timestamptz' },
  (
    rows,
  ) => `INSERT INTO wallet_payees (wallet_id, merchant, account_number, bank_code, history_id, first_transaction_id, id,
       merchant_name, created_at, origin)
     SELECT r.*, 'first_use' FROM ${rows}
      WHERE NOT EXISTS (SELECT FROM wallet_payees p WHERE p.wallet_id = r.walletId AND p.merchant = r.merchant AND ${VISIBLE})
        AND (SELECT count(*) FROM wallet_payees p WHERE p.wallet_id = r.walletId AND p.history_id = r.historyId)
          < CASE r.historyId WHEN '${WHOLE_WALLET}' THEN ${PAYEES_MAX} ELSE ${PAYEES_OF_KEY_MAX} END`,
);

const NOTE_FIRST = new RowStatement<FirstPayment>(
  'wallet_payees',
  { ...IDENTITY, transactionId: 'uuid' },
  (rows) => `UPDATE wallet_payees p SET first_transaction_id = r.transactionId FROM ${rows}
      WHERE p.wallet_id = r.walletId AND p.merchant = r.merchant AND p.account_number = r.accountNumber
        AND p.bank_code = r.bankCode AND ${VISIBLE} AND p.first_transaction_id IS NULL`,
);

/** Payees as payments see them. Their owners' part is the wallet's. */
@Injectable()
export class PayeeRecordsStore {
  read(queries: readonly PayeeQuery[], tx: Tx): Promise<MerchantPayees[]> {
    const distinct = distinctBy(
      queries,
      ({ walletId, historyId, merchant }) => `${walletId} ${historyId} ${merchant}`,
    );
    return tx.query<MerchantPayees>(
      `SELECT q.wallet_id AS "walletId", q.history_id AS "historyId", q.merchant, coalesce(p.accounts, '[]') AS accounts,
                CASE WHEN p.accounts IS NULL THEN (
                  SELECT count(*)::integer FROM wallet_payees a
                   WHERE a.wallet_id = q.wallet_id AND a.history_id = q.history_id
                ) END AS "payeeCount"
           FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS q (wallet_id, merchant, history_id)
          CROSS JOIN LATERAL (
            SELECT json_agg(json_build_object('accountNumber', a.account_number, 'bankCode', a.bank_code,
                     'isRegistered', a.origin = 'registered', 'isPaid', a.first_transaction_id IS NOT NULL, 'historyId', a.history_id)
                     ORDER BY a.created_at, a.id) AS accounts
              FROM wallet_payees a WHERE a.wallet_id = q.wallet_id AND a.merchant = q.merchant
                AND a.history_id IN ('${WHOLE_WALLET}', q.history_id)
          ) p`,
      [
        distinct.map(({ walletId }) => walletId),
        distinct.map(({ merchant }) => merchant),
        distinct.map(({ historyId }) => historyId),
      ],
    );
  }

  remember(uses: readonly FirstUse[], tx: Tx): void {
    tx.writeRows(REMEMBER, uses);
  }

  noteFirst(payments: readonly FirstPayment[], tx: Tx): void {
    tx.writeRows(NOTE_FIRST, payments);
  }

  /** Backfills each unbound merchant's first account, oldest first, up to the bounds. Returns the new payees. */
  backfill(walletId: string, tx: Tx): Promise<RememberedPayee[]> {
    return tx.query<RememberedPayee>(
      `WITH paid AS (
         SELECT m.*, t.history_id, row_number() OVER (PARTITION BY t.history_id ORDER BY m.first_paid_at, m.merchant) AS nth
           FROM wallet_merchants m
           LEFT JOIN transactions t ON t.id = m.first_transaction_id AND t.wallet_id = m.wallet_id
          WHERE m.wallet_id = $1 AND m.account_number IS NOT NULL
       )
       INSERT INTO wallet_payees (wallet_id, merchant, account_number, bank_code, history_id, id, merchant_name, origin,
              first_transaction_id, created_at)
       SELECT m.wallet_id, m.merchant, m.account_number, m.bank_code, $2::uuid, gen_random_uuid(), m.name, 'first_use',
              m.first_transaction_id, m.first_paid_at
         FROM paid m
        WHERE (m.history_id IS NULL OR m.nth <= ${PAYEES_OF_KEY_MAX})
          AND NOT EXISTS (SELECT FROM wallet_payees p
                           WHERE p.wallet_id = m.wallet_id AND p.merchant = m.merchant AND p.history_id = $2::uuid)
        ORDER BY m.history_id IS NOT NULL, m.first_paid_at
        LIMIT greatest(0, ${PAYEES_MAX} - (SELECT count(*) FROM wallet_payees a
                                             WHERE a.wallet_id = $1 AND a.history_id = $2::uuid))
       RETURNING wallet_id AS "walletId", id, account_number AS "accountNumber", bank_code AS "bankCode"`,
      [walletId, WHOLE_WALLET],
    );
  }
}
