import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { Database, type Queryable, type Tx } from '../../platform/database/database.js';
import { validationError } from '../../kernel/errors.js';
import { type Kobo, KOBO_MAX } from '../../kernel/money.js';
import { type Page, type PageRequest, seqRange } from '../../kernel/page.js';
import { isUuid } from '../../kernel/text.js';
import type { SettlementFailed } from '../settlement/settlement.events.js';
import type { BlockReason } from './payments.events.js';
import type { Facts, Intent } from './payments.domain.js';

/** One attempt to pay, as stored. */
export interface Transaction extends Intent {
  readonly id: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly blockReason: BlockReason | null;
  readonly facts: Facts;
  readonly createdAt: Date;
}

/** An attempt to be stored, with its place in its wallet's history. */
export interface NewTransaction extends Transaction {
  readonly seq: number;
  /** All the wallet ever spent, this attempt included; past what a number holds exactly. */
  readonly spentTotal: bigint;
  /** How many attempts were ever blocked, this one included. */
  readonly blockedTotal: number;
  readonly idempotencyKey: string | null;
  readonly fingerprint: Buffer | null;
}

/** Which attempts a list is narrowed to. */
export type DecisionFilter = 'approved' | 'blocked';

/** A wallet whose spending is asked for; no time before `notBefore` is answered as now. */
export interface SpendingQuery {
  readonly id: string;
  readonly periodWindowDays: number;
  readonly notBefore: Date;
}

/** Where a wallet's history of payments stands. */
export interface Spending {
  /** The database's clock, in whole milliseconds. */
  readonly now: Date;
  readonly lastSeq: number;
  readonly spentTotal: bigint;
  readonly blockedTotal: number;
  /** Approved and not refunded spend with `createdAt` > now − days × 24 h. */
  readonly spent: number;
}

/** What happened in one day. */
export interface DayOfSpending {
  /** The date, `2026-11-21`. */
  readonly day: string;
  /** Approved and not refunded spend, in kobo. */
  readonly spent: number;
  readonly approved: number;
  readonly blocked: number;
}

/** A transaction that an idempotency key was first used for. */
export interface IdempotencyRecord extends Transaction {
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
}

const TRANSACTION_COLUMNS = `t.id, t.wallet_id AS "walletId", t.amount, t.merchant, t.merchant_name AS "merchantName",
  t.recipient_account_no AS "recipientAccountNo", t.recipient_bank_code AS "recipientBankCode", t.reason,
  t.block_reason AS "blockReason", t.facts, t.created_at AS "createdAt"`;

@Injectable()
export class PaymentsStore {
  constructor(private readonly database: Database) {}

  /**
   * The spending of each wallet, in a few index seeks whatever the length of its history: the newest running
   * total, less the total at the start of the window, less the refunds in it. The time is read by this
   * statement, so after the locks that an earlier one took.
   */
  async spending(wallets: readonly SpendingQuery[], from: Queryable): Promise<Map<string, Spending>> {
    type Row = Omit<Spending, 'spentTotal'> & { id: string; spentTotal: string };
    const rows = await from.query<Row>(
      `WITH clock AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
       SELECT w.id, clock.now, coalesce(last.seq, 0) AS "lastSeq",
              coalesce(last.spent_total, 0)::text AS "spentTotal",
              coalesce(last.blocked_total, 0) AS "blockedTotal",
              coalesce(last.spent_total, 0) - coalesce(before.spent_total, 0) - refunded.amount AS spent
         FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[]) AS w (id, days, not_before)
        CROSS JOIN LATERAL (SELECT greatest(clock.now, w.not_before) AS now FROM clock) clock
         LEFT JOIN LATERAL (
           SELECT t.seq, t.spent_total, t.blocked_total FROM transactions t
            WHERE t.wallet_id = w.id ORDER BY t.seq DESC LIMIT 1
         ) last ON true
         LEFT JOIN LATERAL (
           SELECT t.spent_total FROM transactions t
            WHERE t.wallet_id = w.id AND t.created_at <= clock.now - w.days * interval '24 hours'
            ORDER BY t.created_at DESC, t.seq DESC LIMIT 1
         ) before ON true
        CROSS JOIN LATERAL (
           SELECT coalesce(sum(r.amount), 0)::bigint AS amount FROM refunded_payments r
            WHERE r.wallet_id = w.id AND r.paid_at > clock.now - w.days * interval '24 hours'
         ) refunded`,
      [
        wallets.map(({ id }) => id),
        wallets.map(({ periodWindowDays }) => periodWindowDays),
        wallets.map(({ notBefore }) => notBefore),
      ],
    );
    return new Map(
      rows.map(({ id, spentTotal, ...row }) => [id, { ...row, spentTotal: BigInt(spentTotal) }]),
    );
  }

  /** The transactions that these idempotency keys were first used for. */
  async firstUses(
    keys: readonly { walletId: string; idempotencyKey: string }[],
    tx: Tx,
  ): Promise<IdempotencyRecord[]> {
    return tx.query<IdempotencyRecord>(
      `SELECT ${TRANSACTION_COLUMNS}, t.idempotency_key AS "idempotencyKey", t.fingerprint
         FROM unnest($1::uuid[], $2::text[]) AS k (wallet_id, key)
         JOIN transactions t ON t.wallet_id = k.wallet_id AND t.idempotency_key = k.key`,
      [keys.map(({ walletId }) => walletId), keys.map(({ idempotencyKey }) => idempotencyKey)],
    );
  }

  /** Stores attempts of wallets that `tx` has locked. */
  add(transactions: readonly NewTransaction[], tx: Tx): void {
    const column = <K extends keyof NewTransaction>(name: K) => transactions.map((each) => each[name]);
    tx.write(
      `INSERT INTO transactions (wallet_id, seq, id, amount, merchant, merchant_name, recipient_account_no,
         recipient_bank_code, reason, block_reason, facts, spent_total, blocked_total, created_at, idempotency_key,
         fingerprint)
       SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::text[],
         $8::text[], $9::text[], $10::text[], $11::jsonb[], $12::bigint[], $13::bigint[],
         $14::timestamptz[], $15::text[], $16::bytea[])`,
      [
        column('walletId'),
        column('seq'),
        column('id'),
        column('amount'),
        column('merchant'),
        column('merchantName'),
        column('recipientAccountNo'),
        column('recipientBankCode'),
        column('reason'),
        column('blockReason'),
        column('facts').map((facts) => JSON.stringify(facts)),
        column('spentTotal'),
        column('blockedTotal'),
        column('createdAt'),
        column('idempotencyKey'),
        column('fingerprint'),
      ],
    );
  }

  /** An attempt of this wallet, or null. */
  async find(id: string, walletId: string): Promise<Transaction | null> {
    if (!isUuid(id)) return null;
    const [row] = await this.database.query<Transaction>(
      `SELECT ${TRANSACTION_COLUMNS} FROM transactions t WHERE t.id = $1 AND t.wallet_id = $2`,
      [id, walletId],
    );
    return row ?? null;
  }

  /** One page of a wallet's attempts, newest first; costs the same at any depth. */
  async page(walletId: string, request: PageRequest, decision?: DecisionFilter): Promise<Page<Transaction>> {
    const [last] = await this.database.query<{ seq: number; blocked: number }>(
      'SELECT seq, blocked_total AS blocked FROM transactions WHERE wallet_id = $1 ORDER BY seq DESC LIMIT 1',
      [walletId],
    );
    const { seq, blocked } = last ?? { seq: 0, blocked: 0 };
    const total = decision === undefined ? seq : decision === 'blocked' ? blocked : seq - blocked;
    const { after, upTo } = seqRange(request, total);
    if (decision === 'approved') return { rows: await this.approved(walletId, after, upTo, seq), total };
    const place = decision === 'blocked' ? 't.block_reason IS NOT NULL AND t.blocked_total' : 't.seq';
    const rows = await this.database.query<Transaction>(
      `SELECT ${TRANSACTION_COLUMNS} FROM transactions t
        WHERE t.wallet_id = $1 AND ${place} <= $2 AND ${place} > $3 ORDER BY t.seq DESC`,
      [walletId, upTo, after],
    );
    return { rows, total };
  }

  /**
   * The approved attempts that come `after` + 1 to `upTo` in their row, newest first. An attempt's place among the
   * approved is `seq - blocked_total`, which only grows: each is found by halving, in a few seeks, so that payments
   * need not keep an index for this.
   */
  private approved(walletId: string, after: number, upTo: number, lastSeq: number): Promise<Transaction[]> {
    return this.database.query<Transaction>(
      `WITH RECURSIVE search (place, low, high) AS (
         SELECT place, 0::bigint, $4::bigint FROM generate_series($2::bigint + 1, $3::bigint) place
          UNION ALL
         SELECT s.place, CASE WHEN t.seq - t.blocked_total < s.place THEN t.seq ELSE s.low END,
                CASE WHEN t.seq - t.blocked_total < s.place THEN s.high ELSE t.seq END
           FROM search s JOIN transactions t ON t.wallet_id = $1 AND t.seq = (s.low + s.high) / 2
          WHERE s.high - s.low > 1
       )
       SELECT ${TRANSACTION_COLUMNS} FROM search s JOIN transactions t ON t.wallet_id = $1 AND t.seq = s.high
        WHERE s.high - s.low = 1 ORDER BY t.seq DESC`,
      [walletId, after, upTo, lastSeq],
    );
  }

  /** All of a wallet's attempts, newest first, in pages of `size`; those made meanwhile are not among them. */
  async *all(walletId: string, size: number): AsyncGenerator<readonly Transaction[], void> {
    const [last] = await this.database.query<{ seq: number }>(
      'SELECT seq FROM transactions WHERE wallet_id = $1 ORDER BY seq DESC LIMIT 1',
      [walletId],
    );
    for (let upTo = last?.seq ?? 0; upTo > 0; upTo -= size) {
      yield await this.database.query<Transaction>(
        `SELECT ${TRANSACTION_COLUMNS} FROM transactions t
          WHERE t.wallet_id = $1 AND t.seq <= $2 AND t.seq > $3 ORDER BY t.seq DESC`,
        [walletId, upTo, upTo - size],
      );
    }
  }

  /**
   * The newest attempts over several wallets. They can only be in the wallets whose last attempt is newest, so at
   * most `limit` wallets are looked into.
   */
  recent(walletIds: readonly string[], limit: number): Promise<Transaction[]> {
    return this.database.query<Transaction>(
      `SELECT ${TRANSACTION_COLUMNS} FROM (
         SELECT w.id FROM unnest($1::uuid[]) AS w (id)
          CROSS JOIN LATERAL (SELECT l.created_at FROM transactions l WHERE l.wallet_id = w.id
                               ORDER BY l.seq DESC LIMIT 1) last
          ORDER BY last.created_at DESC, w.id DESC LIMIT $2
       ) w CROSS JOIN LATERAL (
         SELECT * FROM transactions n WHERE n.wallet_id = w.id ORDER BY n.seq DESC LIMIT $2
       ) t ORDER BY t.created_at DESC, t.wallet_id DESC, t.seq DESC LIMIT $2`,
      [walletIds, limit],
    );
  }

  /**
   * What these wallets did in each of the last `days` days of a time zone, today included. A day is the difference
   * of the running totals at its two ends: a few index seeks a wallet and day, however much was paid.
   * Throws `VALIDATION_ERROR` for a time zone that PostgreSQL does not know.
   */
  async byDay(walletIds: readonly string[], days: number, timeZone: string): Promise<DayOfSpending[]> {
    try {
      return await this.database.query<DayOfSpending>(
        `WITH today AS MATERIALIZED (
           SELECT date_trunc('day', clock_timestamp() AT TIME ZONE $3) AS start
         ), edges AS MATERIALIZED (
           SELECT i, d.day, d.day AT TIME ZONE $3 AS at
             FROM today CROSS JOIN generate_series(0, $2::integer) i
            CROSS JOIN LATERAL (SELECT today.start + (i + 1 - $2::integer) * interval '1 day' AS day) d
         ), active AS MATERIALIZED (
           SELECT w.id FROM unnest($1::uuid[]) AS w (id)
            CROSS JOIN LATERAL (SELECT t.created_at FROM transactions t WHERE t.wallet_id = w.id
                                 ORDER BY t.seq DESC LIMIT 1) last
            WHERE last.created_at >= (SELECT at FROM edges WHERE i = 0)
         ), totals AS (
           SELECT e.i, sum(t.spent_total) AS spent, sum(t.seq) AS attempts, sum(t.blocked_total) AS blocked
             FROM edges e CROSS JOIN active a CROSS JOIN LATERAL (
               SELECT t.spent_total, t.seq, t.blocked_total FROM transactions t
                WHERE t.wallet_id = a.id AND t.created_at < e.at
                ORDER BY t.created_at DESC, t.seq DESC LIMIT 1
             ) t GROUP BY e.i
         ), refunds AS (
           SELECT e.i, sum(r.amount) AS amount FROM edges e JOIN edges n ON n.i = e.i + 1
             JOIN refunded_payments r ON r.wallet_id IN (SELECT id FROM active)
              AND r.paid_at >= e.at AND r.paid_at < n.at
            GROUP BY e.i
         )
         SELECT to_char(e.day, 'YYYY-MM-DD') AS day,
                least(coalesce(t2.spent, 0) - coalesce(t1.spent, 0) - coalesce(r.amount, 0),
                      ${KOBO_MAX})::bigint AS spent,
                (coalesce(t2.attempts - t2.blocked, 0) - coalesce(t1.attempts - t1.blocked, 0))::bigint AS approved,
                (coalesce(t2.blocked, 0) - coalesce(t1.blocked, 0))::bigint AS blocked
           FROM edges e LEFT JOIN totals t1 ON t1.i = e.i LEFT JOIN totals t2 ON t2.i = e.i + 1
           LEFT JOIN refunds r ON r.i = e.i
          WHERE e.i < $2::integer ORDER BY e.i`,
        [walletIds, days, timeZone],
      );
    } catch (error) {
      if (!isUnknownTimeZone(error)) throw error;
      throw validationError({
        field: 'timeZone',
        message: 'must be the name of a time zone, such as Africa/Lagos',
      });
    }
  }

  /** Refunded spend no longer counts in the period it was spent in. */
  addRefunds(refunds: readonly SettlementFailed[], tx: Tx): void {
    tx.write(
      `INSERT INTO refunded_payments (wallet_id, transaction_id, amount, paid_at)
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::timestamptz[])`,
      [
        refunds.map(({ walletId }) => walletId),
        refunds.map(({ reference }) => reference),
        refunds.map(({ amount }) => amount),
        refunds.map(({ paidAt }) => paidAt),
      ],
    );
  }
}

function isUnknownTimeZone(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '22023' && error.message.startsWith('time zone');
}
