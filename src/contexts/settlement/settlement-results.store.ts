import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import {
  isOpen,
  isTakenBack,
  PAID,
  type RecordedState,
  type SettlementOutcome,
  stepsOf,
  takenBackSteps,
} from './settlement.domain.js';
import type { SettlementStatus } from './settlement.port.js';
import { IS_REFUNDED, OPEN, type SettlementRow } from './settlement.store.js';
import { ALL_SETTLEMENTS, archivedSteps } from './settlement-archive.store.js';

const NOW = `to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

interface LockedState extends RecordedState {
  readonly reference: string;
  readonly next: Date | null;
  readonly at: string;
}

/** Final answer of the bank on a settlement. */
export interface Verdict {
  readonly settlement: SettlementRow;
  readonly outcome: SettlementOutcome;
}

export interface RecordedResults {
  /** Final already, or leased by another worker; null if not found. */
  readonly unchanged: ReadonlyMap<string, RecordedState | null>;
  /** References of paid settlements that the bank took back. */
  readonly takenBack: ReadonlySet<string>;
  /** ISO 8601, by the database's clock. */
  readonly at: string;
}

@Injectable()
export class SettlementResults {
  /** Leased ones only under that lease. `refundsReturned`: a payout taken back counts as refunded. */
  record(verdicts: readonly Verdict[], refundsReturned: boolean, tx: Tx): Promise<RecordedResults> {
    return verdicts.every(({ outcome: { status, sessionId } }) => status === 'succeeded' && !sessionId)
      ? this.recordPaid(verdicts, tx)
      : this.recordEach(verdicts, refundsReturned, tx);
  }

  /** Rows lock in primary key order: `coalesce` keeps PostgreSQL off the index of `next_poll_at`. */
  private async recordPaid(verdicts: readonly Verdict[], tx: Tx): Promise<RecordedResults> {
    const references = verdicts.map(({ settlement }) => settlement.reference);
    const leases = new Set(verdicts.flatMap(({ settlement }) => settlement.leasedUntil?.getTime() ?? []));
    const rows = await tx.query<{ reference: string | null; at: string }>(
      `WITH clock AS MATERIALIZED (SELECT ${NOW} AS at), ended AS (
         UPDATE settlements SET status = 'succeeded', next_poll_at = NULL,
                steps = steps || (SELECT jsonb_set($2::jsonb, '{0,at}', to_jsonb(clock.at)) FROM clock)
          WHERE reference = ANY ($1::uuid[]) AND coalesce(next_poll_at = ANY ($3::timestamptz[]), true) AND ${OPEN} RETURNING reference
       )
       SELECT clock.at, others.reference FROM clock LEFT JOIN (
         SELECT unnest($1::uuid[]) AS reference EXCEPT SELECT reference FROM ended
       ) others ON true`,
      [
        references,
        JSON.stringify(stepsOf(PAID, 0, '')),
        leases.size > 0 ? [...leases].map((ms) => new Date(ms)) : null,
      ],
    );
    const left = rows.flatMap(({ reference }) => reference ?? []);
    const unchanged = new Map<string, RecordedState | null>(left.map((reference) => [reference, null]));
    if (left.length > 0) {
      // A separate statement: the first one's snapshot predates what others finished while it waited. Final states
      // need no lock.
      const states = await tx.query<RecordedState & { reference: string }>(
        `SELECT reference, status, ${IS_REFUNDED} AS "isRefunded" FROM ${ALL_SETTLEMENTS} s WHERE reference = ANY ($1::uuid[])`,
        [left],
      );
      for (const state of states) unchanged.set(state.reference, state);
    }
    return { at: rows[0]?.at ?? '', unchanged, takenBack: new Set() };
  }

  /** Locks in order of reference. */
  private async recordEach(
    verdicts: readonly Verdict[],
    refundsReturned: boolean,
    tx: Tx,
  ): Promise<RecordedResults> {
    const references = verdicts.map(({ settlement }) => settlement.reference);
    const rows = await this.lock('settlements', 'next_poll_at', 's.steps', references, tx);
    const found = new Map(rows.map((row) => [row.reference, row]));
    const others = references.filter((reference) => !found.has(reference));
    if (others.length > 0) {
      // After the others: what was being archived meanwhile is found there.
      const archived = await this.lock(
        'archived_settlements',
        'NULL::timestamptz',
        archivedSteps('s'),
        others,
        tx,
      );
      for (const row of archived) {
        rows.push(row);
        found.set(row.reference, row);
      }
    }
    const at = rows[0]?.at ?? '';
    const unchanged = new Map<string, RecordedState | null>();
    const takenBack = new Set<string>();
    const changed: { reference: string; status: SettlementStatus; steps: string }[] = [];
    for (const { settlement, outcome } of verdicts) {
      const { reference, amount, leasedUntil } = settlement;
      const row = found.get(reference);
      const isTaken = leasedUntil && row?.next?.getTime() !== leasedUntil.getTime();
      if (row && !isTaken && isOpen(row.status)) {
        const steps = JSON.stringify(stepsOf(outcome, amount, at));
        changed.push({ reference, status: outcome.status, steps });
      } else if (row && !isTaken && isTakenBack(row.status, outcome)) {
        const steps = JSON.stringify(takenBackSteps(outcome.reason, refundsReturned ? amount : null, at));
        changed.push({ reference, status: 'reversed', steps });
        takenBack.add(reference);
      } else unchanged.set(reference, row ?? null);
    }
    if (changed.length > 0) {
      const values = [
        changed.map(({ reference }) => reference),
        changed.map(({ status }) => status),
        changed.map(({ steps }) => steps),
      ];
      tx.write(
        `UPDATE settlements s SET status = v.status, steps = s.steps || v.steps, next_poll_at = NULL
           FROM unnest($1::uuid[], $2::text[], $3::jsonb[]) AS v (reference, status, steps)
          WHERE s.reference = v.reference AND (s.${OPEN} OR s.status = 'succeeded' AND v.status = 'reversed')`,
        values,
      );
      if (others.length > 0)
        tx.write(
          `UPDATE archived_settlements s SET status = v.status, steps = ${archivedSteps('s')} || v.steps, paid_at = NULL
             FROM unnest($1::uuid[], $2::text[], $3::jsonb[]) AS v (reference, status, steps)
            WHERE s.reference = v.reference AND s.status = 'succeeded' AND v.status = 'reversed'`,
          values,
        );
    }
    return { unchanged, takenBack, at };
  }

  private lock(
    table: 'settlements' | 'archived_settlements',
    next: string,
    steps: string,
    references: readonly string[],
    tx: Tx,
  ): Promise<LockedState[]> {
    return tx.query<LockedState>(
      `SELECT s.reference, s.status, ${next} AS next, ${steps} @> '[{"type": "refund.posted"}]' AS "isRefunded", ${NOW} AS at
         FROM ${table} s WHERE s.reference = ANY ($1::uuid[]) ORDER BY s.reference FOR UPDATE`,
      [references],
    );
  }
}
