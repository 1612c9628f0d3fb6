import { Injectable } from '@nestjs/common';
import { arrayBytes } from '../../platform/database/array-bytes.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Kobo } from '../../kernel/money.js';
import {
  isOpen,
  isTakenBack,
  PAID,
  type SettlementOutcome,
  type Standing,
  stepsOf,
  takenBackStep,
} from './settlement.domain.js';
import type { SettlementStatus } from './settlement.port.js';
import { IS_REFUNDED, OPEN } from './settlement.store.js';

const NOW = `to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Settlements that did not end now, by reference: ended before, or taken by another worker. Null: unknown.
 */
export type StillOpen = ReadonlyMap<string, Standing | null>;

/** ISO 8601, by the database's clock. */
export interface Ended {
  readonly stillOpen: StillOpen;
  /** Paid before, and taken back by the bank. */
  readonly takenBack: ReadonlySet<string>;
  readonly at: string;
}

export interface Settled {
  readonly reference: string;
  readonly amount: Kobo;
  readonly outcome: SettlementOutcome;
  /** Ends only under this lease. */
  readonly leasedUntil?: Date | null;
}

/** Ends settlements, judged by the locked row's status. */
@Injectable()
export class SettlementResults {
  /**
   * Ends open settlements as paid, in one statement; with `leases`, only under them. `coalesce` makes
   * PostgreSQL lock in the order of the primary key.
   */
  async succeed(references: readonly string[], leases: readonly Date[] | null, tx: Tx): Promise<Ended> {
    const list = uuids(references);
    const rows = await tx.query<{ reference: string | null; at: string }>(
      `WITH clock AS MATERIALIZED (SELECT ${NOW} AS at), ended AS (
         UPDATE settlements SET status = 'succeeded', next_poll_at = NULL,
                steps = steps || (SELECT jsonb_set($2::jsonb, '{0,at}', to_jsonb(clock.at)) FROM clock)
          WHERE reference = ANY ($1::uuid[]) AND coalesce(next_poll_at = ANY ($3::timestamptz[]), true) AND ${OPEN} RETURNING reference
       )
       SELECT clock.at, others.reference FROM clock LEFT JOIN (
         SELECT unnest($1::uuid[]) AS reference EXCEPT SELECT reference FROM ended
       ) others ON true`,
      [list, JSON.stringify(stepsOf(PAID, 0, '')), leases && distinct(leases)],
    );
    const at = rows[0]?.at ?? '';
    const left = rows.flatMap(({ reference }) => reference ?? []);
    const stillOpen = left.length === 0 ? new Map<string, null>() : await this.standingsOf(left, tx);
    return { at, stillOpen, takenBack: new Set() };
  }

  private async standingsOf(left: readonly string[], tx: Tx): Promise<StillOpen> {
    // A second statement, to see what others ended meanwhile.
    const rows = await tx.query<Standing & { reference: string }>(
      `SELECT reference, status, ${IS_REFUNDED} AS "isRefunded" FROM settlements WHERE reference = ANY ($1::uuid[])`,
      [uuids(left)],
    );
    const standings = new Map(rows.map((row) => [row.reference, row]));
    return new Map(left.map((reference) => [reference, standings.get(reference) ?? null]));
  }

  /** Ends open settlements and marks payouts taken back. Locks in the order of references. */
  async end(settled: readonly Settled[], tx: Tx): Promise<Ended> {
    const rows = await tx.query<Standing & { reference: string; next: Date | null; at: string }>(
      `SELECT s.reference, s.status, s.next_poll_at AS next, s.${IS_REFUNDED} AS "isRefunded", ${NOW} AS at
         FROM settlements s WHERE s.reference = ANY ($1::uuid[]) ORDER BY s.reference FOR UPDATE`,
      [uuids(settled.map(({ reference }) => reference))],
    );
    const found = new Map(rows.map((row) => [row.reference, row]));
    const at = rows[0]?.at ?? '';
    const stillOpen = new Map<string, Standing | null>();
    const takenBack = new Set<string>();
    const changed: { reference: string; status: SettlementStatus; steps: string }[] = [];
    for (const { reference, amount, outcome, leasedUntil } of settled) {
      const row = found.get(reference);
      const isTaken = leasedUntil && row?.next?.getTime() !== leasedUntil.getTime();
      if (row && !isTaken && isOpen(row.status)) {
        const steps = JSON.stringify(stepsOf(outcome, amount, at));
        changed.push({ reference, status: outcome.status, steps });
      } else if (row && !isTaken && isTakenBack(row.status, outcome)) {
        const steps = JSON.stringify([takenBackStep(outcome.reason, at)]);
        changed.push({ reference, status: 'reversed', steps });
        takenBack.add(reference);
      } else stillOpen.set(reference, row ?? null);
    }
    if (changed.length > 0) {
      tx.write(
        `UPDATE settlements s SET status = v.status, steps = s.steps || v.steps, next_poll_at = NULL
           FROM unnest($1::uuid[], $2::text[], $3::jsonb[]) AS v (reference, status, steps)
          WHERE s.reference = v.reference AND (s.${OPEN} OR s.status = 'succeeded' AND v.status = 'reversed')`,
        [
          changed.map(({ reference }) => reference),
          changed.map(({ status }) => status),
          changed.map(({ steps }) => steps),
        ],
      );
    }
    return { stillOpen, takenBack, at };
  }
}

function distinct(times: readonly Date[]): string[] {
  return [...new Set(times.map((time) => time.getTime()))].map((ms) => new Date(ms).toISOString());
}

function uuids(list: readonly string[]): Buffer | readonly string[] {
  return arrayBytes('uuid', list) ?? list;
}
