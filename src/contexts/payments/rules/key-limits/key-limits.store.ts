import { Injectable } from '@nestjs/common';
import { filterMap } from '../../../../kernel/mapped.js';
import { KOBO_MAX } from '../../../../kernel/money.js';
import { RowStatement } from '../../../../platform/database/row-statement.js';
import type { Queryable, Tx } from '../../../../platform/database/tx.js';
import { InTransaction } from '../../../../platform/events/events.js';
import type { KeyUsageReading, KeyUsages, LimitedKey } from '../../../wallet/keys/key-usages.port.js';
import { ApiKeyAdded } from '../../../wallet/wallet.events.js';
import type { DecidedAttempt } from '../../spending-wallet.domain.js';
import type { ReleasedPayment, RuleRecords } from '../rule-records.js';
import { ApiKeyUsage } from './key-limits.entity.js';

/**
 * Newest running total, less that at the window's start, less refunds. The time is read here, after the
 * locks.
 */
const USAGE = `
  WITH clock AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
  SELECT u.wallet_id AS "walletId", u.key_id AS "keyId", k.days, clock.now, u.spent_total::text AS "spentTotal", u.payment_count AS "paymentCount",
         least(u.spent_total - u.refunded_total, ${KOBO_MAX})::bigint AS spent,
         u.payment_count - u.refunded_count AS payments,
         CASE WHEN k.days > 0 THEN
           least(u.spent_total - coalesce(before.spent_total, 0) - refunded.amount, ${KOBO_MAX})::bigint
         ELSE 0 END AS "spentInPeriod"
    FROM clock CROSS JOIN unnest($1::uuid[], $2::uuid[], $3::integer[]) AS k (wallet_id, key_id, days)
    JOIN api_key_usage u ON u.wallet_id = k.wallet_id AND u.key_id = k.key_id
   CROSS JOIN LATERAL (SELECT clock.now - k.days * interval '24 hours' AS start) opening
    LEFT JOIN LATERAL (
      SELECT p.spent_total FROM api_key_payments p
       WHERE k.days > 0 AND p.wallet_id = k.wallet_id AND p.key_id = k.key_id AND p.approved_at <= opening.start
       ORDER BY p.approved_at DESC, p.seq DESC LIMIT 1
    ) before ON true
   CROSS JOIN LATERAL (
      SELECT coalesce(sum(p.amount), 0) AS amount FROM api_key_payments p
       WHERE k.days > 0 AND p.wallet_id = k.wallet_id AND p.key_id = k.key_id AND p.approved_at > opening.start
         AND p.is_refunded
    ) refunded`;

type UsageRow = Omit<KeyUsageReading, 'spentTotal'> & { readonly spentTotal: string };

interface PaymentRow {
  readonly walletId: string;
  readonly keyId: string;
  readonly seq: number;
  readonly transactionId: string;
  readonly amount: number;
  readonly spentTotal: bigint;
  readonly approvedAt: Date;
}

const ADD_PAYMENTS = new RowStatement<PaymentRow>(
  'api_key_payments',
  {
    walletId: 'uuid',
    keyId: 'uuid',
    seq: 'bigint',
    transactionId: 'uuid',
    amount: 'bigint',
    spentTotal: 'numeric',
    approvedAt: 'timestamptz',
  },
  (
    rows,
  ) => `INSERT INTO api_key_payments (wallet_id, key_id, seq, transaction_id, amount, spent_total, approved_at)
     SELECT r.* FROM ${rows}`,
);

type TotalsRow = Pick<PaymentRow, 'walletId' | 'keyId' | 'spentTotal'> & { readonly paymentCount: number };

const SET_TOTALS = new RowStatement<TotalsRow>(
  'api_key_usage',
  { walletId: 'uuid', keyId: 'uuid', spentTotal: 'numeric', paymentCount: 'bigint' },
  (rows) => `UPDATE api_key_usage u SET spent_total = r.spentTotal, payment_count = r.paymentCount
     FROM ${rows} WHERE u.wallet_id = r.walletId AND u.key_id = r.keyId`,
);

/** Other keys are neither read nor written. */
@Injectable()
export class KeyLimitsStore implements KeyUsages, RuleRecords {
  @InTransaction(ApiKeyAdded)
  async begin(keys: readonly ApiKeyAdded[], tx: Tx): Promise<void> {
    const limited = keys.filter(({ isLimited }) => isLimited);
    if (limited.length === 0) return;
    await tx.repository(ApiKeyUsage).insert(limited.map(({ walletId, keyId }) => ({ walletId, keyId })));
  }

  async usageOf(keys: readonly LimitedKey[], from: Queryable): Promise<ReadonlyMap<string, KeyUsageReading>> {
    const rows = await from.query<UsageRow>(USAGE, [
      keys.map(({ walletId }) => walletId),
      keys.map(({ keyId }) => keyId),
      keys.map(({ days }) => days),
    ]);
    return new Map(rows.map((row) => [row.keyId, { ...row, spentTotal: BigInt(row.spentTotal) }]));
  }

  record(attempts: readonly DecidedAttempt[], tx: Tx): void {
    const payments = filterMap(attempts, paymentOf);
    if (payments.length === 0) return;
    tx.writeRows(ADD_PAYMENTS, payments);
    const last = new Map(payments.map((payment) => [payment.keyId, payment]));
    tx.writeRows(
      SET_TOTALS,
      [...last.values()].map(({ walletId, keyId, spentTotal, seq }) => ({
        walletId,
        keyId,
        spentTotal,
        paymentCount: seq,
      })),
    );
  }

  release(payments: readonly ReleasedPayment[], tx: Tx): void {
    tx.write(
      `WITH refunded AS (
         UPDATE api_key_payments p SET is_refunded = true
           FROM unnest($1::uuid[], $2::uuid[]) AS r (wallet_id, transaction_id)
          WHERE p.wallet_id = r.wallet_id AND p.transaction_id = r.transaction_id AND NOT p.is_refunded
         RETURNING p.wallet_id, p.key_id, p.amount
       )
       UPDATE api_key_usage u
          SET refunded_total = u.refunded_total + g.amount, refunded_count = u.refunded_count + g.count
         FROM (SELECT wallet_id, key_id, sum(amount) AS amount, count(*) AS count FROM refunded GROUP BY 1, 2) g
        WHERE u.wallet_id = g.wallet_id AND u.key_id = g.key_id`,
      [payments.map(({ walletId }) => walletId), payments.map(({ transactionId }) => transactionId)],
    );
  }
}

function paymentOf(attempt: DecidedAttempt): PaymentRow | undefined {
  const { walletId, keyId, id: transactionId, amount, keyUsage, createdAt: approvedAt } = attempt;
  if (!keyUsage || keyId === null) return undefined;
  const { paymentCount: seq, spentTotal } = keyUsage;
  return { walletId, keyId, seq, transactionId, amount, spentTotal, approvedAt };
}
