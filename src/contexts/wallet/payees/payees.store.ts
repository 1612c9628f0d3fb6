import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { RowStatement } from '../../../platform/database/row-statement.js';
import { AppError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { WalletMerchant } from '../wallet.entity.js';
import { Payee } from './payees.entity.js';
import {
  type AccountAge,
  type KeyAge,
  type MerchantPayees,
  type PayeeQuery,
  type PayeeReadings,
  Payees,
  PAYEES_MAX,
  PAYEES_OF_KEY_MAX,
  WHOLE_WALLET,
} from './payees.port.js';

export type PayeeIdentity = Pick<Payee, 'walletId' | 'merchant' | 'accountNumber' | 'bankCode' | 'historyId'>;

export type FirstPayment = PayeeIdentity & { readonly transactionId: string };

/** First approved payment to a merchant without payees. */
export type FirstUse = FirstPayment & Pick<Payee, 'id' | 'merchantName' | 'createdAt'>;

const IDENTITY = {
  walletId: 'uuid',
  merchant: 'text',
  accountNumber: 'text',
  bankCode: 'text',
  historyId: 'uuid',
} as const;

const VISIBLE = `p.history_id IN ('${WHOLE_WALLET}', r.historyId)`;
/** Past any number of payees. */
const PAYEES_SKIPPED_MAX = 10_000_000;

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

@Injectable()
export class PayeesStore extends Payees {
  constructor(private readonly database: Database) {
    super();
  }

  async list(walletId: string, { page, pageSize }: PageRequest): Promise<Page<Payee>> {
    const skip = (page - 1) * pageSize;
    const [rows, total] = await this.database.reads.repository(Payee).findAndCount({
      where: { walletId },
      order: { createdAt: 'DESC', id: 'DESC' },
      skip: Math.min(skip, PAYEES_SKIPPED_MAX),
      take: pageSize,
    });
    return { rows, total };
  }

  find(payee: PayeeIdentity, tx: Tx): Promise<Payee | null> {
    const { walletId, merchant, accountNumber, bankCode, historyId } = payee;
    return tx.repository(Payee).findOneBy({ walletId, merchant, accountNumber, bankCode, historyId });
  }

  /** Throws `PAYEE_NOT_FOUND`. */
  async get(id: string, walletId: string, tx: Tx): Promise<Payee> {
    const payee = isUuid(id) ? await tx.repository(Payee).findOneBy({ id, walletId }) : null;
    if (!payee) throw new AppError('PAYEE_NOT_FOUND', 'No payee of this wallet has this id.');
    return payee;
  }

  count(walletId: string, tx: Tx): Promise<number> {
    return tx.repository(Payee).countBy({ walletId, historyId: WHOLE_WALLET });
  }

  async add(payee: Payee, tx: Tx): Promise<void> {
    await tx.repository(Payee).insert(payee);
  }

  async register({ walletId, id, accountName }: Payee, tx: Tx): Promise<void> {
    await tx.repository(Payee).update({ walletId, id }, { origin: 'registered', accountName });
  }

  /** Also keeps a policy set later from finding it again. */
  async remove({ walletId, id, merchant, accountNumber, bankCode, historyId }: Payee, tx: Tx): Promise<void> {
    await tx.repository(Payee).delete({ walletId, id });
    if (historyId !== WHOLE_WALLET) return;
    await tx
      .repository(WalletMerchant)
      .update(
        { walletId, merchant, accountNumber, bankCode },
        { accountNumber: null, bankCode: null, firstTransactionId: null, firstPaidAt: null },
      );
  }

  unnamed(payees: readonly { readonly walletId: string; readonly payeeId: string }[]): Promise<Payee[]> {
    return this.database.repository(Payee).find({
      where: payees.map(({ walletId, payeeId: id }) => ({ walletId, id, accountName: IsNull() })),
    });
  }

  async name({ walletId, id }: Payee, accountName: string): Promise<void> {
    await this.database.repository(Payee).update({ walletId, id, accountName: IsNull() }, { accountName });
  }

  /**
   * Backfills each unbound merchant's first account, oldest first, up to the bound. Returns the new payees.
   */
  async rememberPaid(walletId: string, tx: Tx): Promise<readonly Payee[]> {
    const known = tx
      .repository(Payee)
      .createQueryBuilder('payee')
      .select('payee.merchant')
      .where('payee.walletId = merchant.walletId AND payee.merchant = merchant.merchant')
      .andWhere('payee.historyId = :shared', { shared: WHOLE_WALLET });
    const room = Math.max(0, PAYEES_MAX - (await this.count(walletId, tx)));
    const paid = await tx
      .repository(WalletMerchant)
      .createQueryBuilder('merchant')
      .addSelect(['merchant.accountNumber', 'merchant.bankCode'])
      .addSelect(['merchant.firstTransactionId', 'merchant.firstPaidAt'])
      .where('merchant.walletId = :walletId AND merchant.accountNumber IS NOT NULL', { walletId })
      .andWhere(`NOT EXISTS (${known.getQuery()})`, known.getParameters())
      .orderBy('merchant.firstPaidAt')
      .take(room)
      .getMany();
    const payees = paid.map(
      ({ merchant, name, accountNumber, bankCode, firstTransactionId, firstPaidAt }): Payee => ({
        walletId,
        merchant,
        accountNumber: accountNumber as string,
        bankCode: bankCode as string,
        historyId: WHOLE_WALLET,
        id: newId(),
        merchantName: name,
        accountName: null,
        origin: 'first_use',
        firstTransactionId: firstTransactionId ?? null,
        createdAt: firstPaidAt as Date,
      }),
    );
    if (payees.length > 0) await tx.repository(Payee).insert(payees);
    return payees;
  }

  async read(queries: readonly PayeeQuery[], tx: Tx): Promise<PayeeReadings> {
    const byMerchant = distinct(
      queries,
      ({ walletId, historyId, merchant }) => `${walletId} ${historyId} ${merchant}`,
    );
    const byAccount = distinct(
      queries,
      ({ walletId, recipientAccountNo, recipientBankCode }) =>
        `${walletId} ${recipientBankCode} ${recipientAccountNo}`,
    );
    const keyIds = [...new Set(queries.map(({ keyId }) => keyId))];
    const [merchants, accounts, keys] = await Promise.all([
      tx.query<MerchantPayees>(
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
          byMerchant.map(({ walletId }) => walletId),
          byMerchant.map(({ merchant }) => merchant),
          byMerchant.map(({ historyId }) => historyId),
        ],
      ),
      tx.query<AccountAge>(
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
          byAccount.map(({ walletId }) => walletId),
          byAccount.map(({ recipientAccountNo }) => recipientAccountNo),
          byAccount.map(({ recipientBankCode }) => recipientBankCode),
        ],
      ),
      tx.query<KeyAge>(
        `SELECT id AS "keyId", coalesce(age_from, created_at) AS since, cooling_spent::bigint AS "coolingSpent"
           FROM api_keys WHERE id = ANY ($1::uuid[])`,
        [keyIds],
      ),
    ]);
    return { merchants, accounts, keys };
  }

  /** One per merchant, and only if still unbound. */
  remember(uses: readonly FirstUse[], tx: Tx): void {
    tx.writeRows(REMEMBER, uses);
  }

  noteFirst(payments: readonly FirstPayment[], tx: Tx): void {
    tx.writeRows(NOTE_FIRST, payments);
  }
}

function distinct<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}
