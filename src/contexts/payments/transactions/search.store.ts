import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Transaction } from '../payments.port.js';
import { TRANSACTION_COLUMNS } from '../payments.store.js';
import {
  type Candidates,
  type CountedCandidates,
  justBefore,
  type PaymentFilter,
  type Position,
} from './search.domain.js';

export type Candidate = Position & Pick<Transaction, 'id' | 'approval' | 'blockReason'>;

/** Keeps PostgreSQL's microseconds. */
const exact = (at: string) => `to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** SQL, with {@link matchValues}. */
export const MATCHES = `($7::text IS NULL OR t.merchant = $7)
            AND ($8::text IS NULL OR strpos(t.merchant, $8) > 0 OR strpos(lower(t.reason), $8) > 0
                 OR ($11::text IS NOT NULL AND strpos(lower(t.reason), lower($11)) > 0)
                 OR strpos(lower(t.purpose), $8) > 0 OR t.run_id = coalesce($11, $8) OR t.key_id = ANY ($17::uuid[])
                 OR t.amount = $16::bigint OR t.recipient_account_no = $8 OR t.id::text = $8)
            AND ($12::uuid IS NULL OR t.key_id = $12) AND ($13::text IS NULL OR t.run_id = $13)
            AND ($14::text IS NULL OR t.purpose = $14) AND ($15::text IS NULL OR t.block_reason = $15)
            AND ($18::text IS NULL OR CASE $18 WHEN 'key' THEN t.key_id IS NULL WHEN 'purpose' THEN t.purpose IS NULL
                 WHEN 'run' THEN t.run_id IS NULL ELSE NOT EXISTS (
                   SELECT FROM payment_labels n WHERE n.wallet_id = t.wallet_id AND n.transaction_id = t.id
                    AND CASE $18 WHEN 'category' THEN n.category ELSE n.cost_centre END IS NOT NULL) END)
            AND ($19::boolean IS NULL OR (t.block_reason IS NULL AND t.approval IS DISTINCT FROM 'pending' AND NOT EXISTS (
                 SELECT FROM refunded_payments g WHERE g.wallet_id = t.wallet_id AND g.transaction_id = t.id OFFSET 0)))
            AND ($9::bigint IS NULL OR t.amount >= $9) AND ($10::bigint IS NULL OR t.amount <= $10)`;

/** From $7 on. */
export function matchValues(filter: PaymentFilter, keyIds: readonly string[]): readonly unknown[] {
  const { merchant, text, minAmount, maxAmount, phrase, keyId, runId, purpose, blockReason, amount } = filter;
  const { category, costCentre, without, isSpent } = filter;
  return [
    ...[
      merchant,
      text,
      minAmount,
      maxAmount,
      phrase,
      keyId,
      runId,
      purpose,
      blockReason,
      amount,
      keyIds,
      without,
      isSpent,
    ],
    ...(category === null && costCentre === null ? [] : [category, costCentre]),
  ];
}

const LABELLED = {
  from: 'payment_labels r JOIN transactions t ON t.id = r.transaction_id AND t.wallet_id = r.wallet_id',
  of: 'r.wallet_id',
  at: 'r.requested_at',
} as const;

const SOURCES = {
  all: { from: 'transactions t', of: 't.wallet_id', at: 't.created_at', and: '' },
  approved: {
    from: 'transactions t',
    of: 't.wallet_id',
    at: 't.created_at',
    and: 'AND t.block_reason IS NULL',
  },
  blocked: {
    from: 'transactions t',
    of: 't.wallet_id',
    at: 't.created_at',
    and: 'AND t.block_reason IS NOT NULL',
  },
  waiting: {
    from: 'transactions t',
    of: 't.wallet_id',
    at: 't.created_at',
    and: `AND t.approval = 'pending'`,
  },
  // A refund keeps its payment's time. A denied one's row gives only the allowance back.
  unpaid: {
    from: `(SELECT wallet_id, transaction_id, approved_at FROM refunded_payments
             UNION ALL SELECT b.wallet_id, b.transaction_id, b.approved_at FROM returned_payments b
             WHERE NOT EXISTS (SELECT FROM refunded_payments a
                                WHERE a.wallet_id = b.wallet_id AND a.transaction_id = b.transaction_id)) r
           JOIN transactions t ON t.id = r.transaction_id AND t.wallet_id = r.wallet_id`,
    of: 'r.wallet_id',
    at: 'r.approved_at',
    and: '',
  },
  inCategory: {
    ...LABELLED,
    and: 'AND r.category = $20::text AND ($21::text IS NULL OR r.cost_centre = $21)',
  },
  inCostCentre: { ...LABELLED, and: 'AND $20::text IS NULL AND r.cost_centre = $21::text' },
} as const satisfies Record<Candidates, object>;

const SCANS = Object.fromEntries(
  Object.entries(SOURCES).map(([name, { from, of, at, and }]) => [
    name,
    `SELECT c.id, c.wallet_id AS "walletId", c.seq, c.approval, c.block_reason AS "blockReason", ${exact('c.created_at')} AS at
       FROM unnest($1::uuid[]) AS w (id) CROSS JOIN LATERAL (
         SELECT t.id, t.wallet_id, t.seq, t.approval, t.block_reason, t.created_at FROM ${from}
          WHERE ${of} = w.id AND ${at} > $2::timestamptz AND ${at} <= $3::timestamptz
            AND (t.created_at, t.wallet_id, t.seq) < ($3::timestamptz, $4::uuid, $5::bigint) ${and}
            AND ${MATCHES}
          ORDER BY ${at} DESC, t.seq DESC LIMIT $6
       ) c ORDER BY c.created_at DESC, c.wallet_id DESC, c.seq DESC LIMIT $6`,
  ]),
) as Record<Candidates, string>;

@Injectable()
export class SearchStore {
  constructor(private readonly database: Database) {}

  /**
   * Moment after which these wallets have at most `rowsMax` candidates; null if there are no more. Halves
   * time over running counts.
   */
  async horizon(
    candidates: CountedCandidates,
    walletIds: readonly string[],
    { from }: PaymentFilter,
    { at }: Position,
    rowsMax: number,
  ): Promise<string | null> {
    const count = candidates === 'blocked' ? 't.blocked_total' : 't.seq';
    const [found] = await this.database.reads.query<{ until: string }>(
      `WITH RECURSIVE newest AS MATERIALIZED (
         SELECT w.id, had.count, had.created_at FROM unnest($1::uuid[]) AS w (id) CROSS JOIN LATERAL (
           SELECT ${count} AS count, t.created_at FROM transactions t
            WHERE t.wallet_id = w.id AND t.created_at > $2::timestamptz AND t.created_at <= $3::timestamptz
            ORDER BY t.created_at DESC, t.seq DESC LIMIT 1) had
       ), range AS MATERIALIZED (
         SELECT floor(extract(epoch FROM min(first.created_at)) * 1000)::bigint - 1 AS low,
                ceil(extract(epoch FROM max(n.created_at)) * 1000)::bigint AS high,
                sum(n.count - coalesce(before.count, 0)) AS total
           FROM newest n CROSS JOIN LATERAL (
             SELECT t.created_at FROM transactions t WHERE t.wallet_id = n.id AND t.created_at > $2::timestamptz
              ORDER BY t.created_at, t.seq LIMIT 1) first
           LEFT JOIN LATERAL (
             SELECT ${count} AS count FROM transactions t
              WHERE t.wallet_id = n.id AND t.created_at <= $2::timestamptz
              ORDER BY t.created_at DESC, t.seq DESC LIMIT 1) before ON true
       ), search (low, high, count) AS (
         SELECT low, high, 0::numeric FROM range WHERE total > $4::bigint
          UNION ALL
         SELECT CASE WHEN n.count > $4 THEN middle ELSE low END, CASE WHEN n.count > $4 THEN high ELSE middle END,
                CASE WHEN n.count > $4 THEN search.count ELSE n.count END
           FROM search CROSS JOIN LATERAL (SELECT (low + high) / 2 AS middle) m
          CROSS JOIN LATERAL (
            SELECT sum(newest.count - coalesce(had.count, 0)) AS count FROM newest LEFT JOIN LATERAL (
              SELECT ${count} AS count FROM transactions t WHERE t.wallet_id = newest.id
                 AND t.created_at <= timestamptz 'epoch' + middle * interval '1 millisecond'
               ORDER BY t.created_at DESC, t.seq DESC LIMIT 1) had ON true) n
          WHERE high - low > 1 AND search.count < $4 / 2
       )
       SELECT ${exact(`(timestamptz 'epoch' + CASE WHEN count < $4 / 2 THEN low ELSE high END * interval '1 millisecond')`)} AS until
         FROM search ORDER BY high - low LIMIT 1`,
      [walletIds, lowerBound(from), at, rowsMax],
    );
    return found?.until ?? null;
  }

  scan(
    candidates: Candidates,
    walletIds: readonly string[],
    filter: PaymentFilter,
    position: Position,
    until: string | null,
    limit: number,
    keyIds: readonly string[],
  ): Promise<Candidate[]> {
    return this.database.reads.query<Candidate>(SCANS[candidates], [
      walletIds,
      until ?? lowerBound(filter.from),
      position.at,
      position.walletId,
      position.seq,
      limit,
      ...matchValues(filter, keyIds),
    ]);
  }

  at(positions: readonly Position[]): Promise<Transaction[]> {
    return this.database.reads.query<Transaction>(
      `SELECT ${TRANSACTION_COLUMNS} FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS p (wallet_id, seq, place)
         JOIN transactions t ON t.wallet_id = p.wallet_id AND t.seq = p.seq ORDER BY p.place`,
      [positions.map(({ walletId }) => walletId), positions.map(({ seq }) => seq)],
    );
  }
}

function lowerBound(from: Date | null): string {
  return from ? justBefore(from) : '-infinity';
}
