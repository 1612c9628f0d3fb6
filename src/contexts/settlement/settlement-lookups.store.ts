import { Injectable } from '@nestjs/common';
import { KOBO_MAX } from '../../kernel/money.js';
import type { PageRequest, StatusTotal, TotalledPage } from '../../kernel/page.js';
import { isUuid } from '../../kernel/text.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import type { OperatedPayout, ListedState } from './payouts.port.js';
import { allSteps, firstReference, lastReference } from './settlement.domain.js';
import { SessionIds, type SettlementStatus, type SettlementStep } from './settlement.port.js';
import { IS_REFUNDED, OPEN, SETTLEMENT_COLUMNS, type SettlementRow } from './settlement.store.js';
import { ALL_SETTLEMENTS, ARCHIVED } from './settlement-archive.store.js';

const SCANNED_MAX = 10_000;

const PAYOUT_COLUMNS = `s.reference, s.wallet_id AS "walletId", s.amount, s.account_no AS "accountNumber",
  s.bank_code AS "bankCode", s.is_withdrawal AS "isWithdrawal", s.status, s.${IS_REFUNDED} AS "isRefunded",
  s.approved_at AS "approvedAt", s.submitted_at AS "submittedAt", s.steps`;

const NEWEST = `(SELECT * FROM settlements ORDER BY reference DESC LIMIT ${SCANNED_MAX})`;
const OF_STATE: Readonly<Record<ListedState, readonly [from: string, where: string]>> = {
  open: ['settlements', 's.next_poll_at IS NOT NULL'],
  returned: [ALL_SETTLEMENTS, `s.status = 'reversed' AND NOT s.${IS_REFUNDED}`],
  failed: [NEWEST, `s.status = 'failed'`],
  paid: [NEWEST, `s.status = 'succeeded'`],
};

@Injectable()
export class SettlementLookups implements SessionIds {
  constructor(private readonly database: Database) {}

  /** Newest first, before the reference `before`; approved in the last `hours`. */
  paidWithin(hours: number, before: string | null, limit: number): Promise<SettlementRow[]> {
    const now = Date.now();
    return this.database.query<SettlementRow>(
      `SELECT ${SETTLEMENT_COLUMNS} FROM settlements s
        WHERE s.reference > $1::uuid AND s.reference < $2::uuid AND s.status = 'succeeded'
          AND s.approved_at > statement_timestamp() - $3 * interval '1 hour'
        ORDER BY s.reference DESC LIMIT $4`,
      [
        firstReference(new Date(now - hours * 60 * 60_000)),
        before ?? lastReference(new Date(now)),
        hours,
        limit,
      ],
    );
  }

  async sessionIdsOf(references: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.reads.query<{ reference: string; sessionId: string }>(
      `SELECT s.reference, jsonb_path_query_first(s.steps, '$[*].detail.sessionId') #>> '{}' AS "sessionId"
         FROM settlements s WHERE s.reference = ANY ($1::uuid[]) AND s.steps @? '$[*].detail.sessionId'
        UNION ALL
       SELECT a.reference, jsonb_path_query_first(a.steps, '$[*].detail.sessionId') #>> '{}'
         FROM archived_settlements a WHERE a.reference = ANY ($1::uuid[]) AND a.steps @? '$[*].detail.sessionId'`,
      [references],
    );
    return new Map(rows.map(({ reference, sessionId }) => [reference, sessionId]));
  }

  async page(
    state: ListedState | null,
    references: readonly string[] | null,
    { page, pageSize }: PageRequest,
  ): Promise<TotalledPage<OperatedPayout, SettlementStatus>> {
    const [from, where] = state ? OF_STATE[state] : [ALL_SETTLEMENTS, 'true'];
    const sought = references ? 's.reference = ANY ($1::uuid[])' : '$1::uuid[] IS NULL';
    const which = `FROM ${from} s WHERE ${where} AND ${sought}`;
    const totals = await this.database.reads.query<StatusTotal<SettlementStatus>>(
      `SELECT status, count(*) AS count, least(sum(amount), ${KOBO_MAX})::bigint AS amount
         FROM (SELECT s.status, s.amount ${which} LIMIT $2) c GROUP BY status ORDER BY status`,
      [references, SCANNED_MAX],
    );
    const rows = await this.database.reads.query<OperatedPayout>(
      `SELECT ${PAYOUT_COLUMNS} ${which} ORDER BY s.reference DESC LIMIT $2::bigint OFFSET $3::bigint`,
      [references, pageSize, (page - 1) * pageSize],
    );
    const total = totals.reduce((sum, { count }) => sum + count, 0);
    return { rows: rows.map(withAllSteps), total, totals: total < SCANNED_MAX ? totals : null };
  }

  async lock(reference: string, tx: Tx): Promise<OperatedPayout | null> {
    if (!isUuid(reference)) return null;
    // In this order: rows move.
    for (const from of ['settlements', ARCHIVED]) {
      const [row] = await tx.query<OperatedPayout>(
        `SELECT ${PAYOUT_COLUMNS} FROM ${from} s WHERE s.reference = $1 FOR UPDATE`,
        [reference],
      );
      if (row) return withAllSteps(row);
    }
    return null;
  }

  /** Without a lease. */
  async of(reference: string, tx: Tx): Promise<SettlementRow> {
    const [row] = await tx.query<SettlementRow>(
      `SELECT ${SETTLEMENT_COLUMNS} FROM settlements s WHERE s.reference = $1 AND s.${OPEN}`,
      [reference],
    );
    if (!row) throw new Error(`the settlement ${reference} is not open`);
    return row;
  }

  /** The row is locked. */
  async addStep(reference: string, step: SettlementStep, tx: Tx): Promise<void> {
    for (const table of ['settlements', 'archived_settlements'])
      await tx.query(`UPDATE ${table} SET steps = steps || $2::jsonb WHERE reference = $1`, [
        reference,
        JSON.stringify([step]),
      ]);
  }
}

function withAllSteps(payout: OperatedPayout): OperatedPayout {
  return { ...payout, steps: allSteps(payout.approvedAt, payout.steps) };
}
