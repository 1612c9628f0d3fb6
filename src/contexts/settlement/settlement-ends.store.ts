import { Injectable } from '@nestjs/common';
import { arrayBytes } from '../../platform/database/array-bytes.js';
import type { Tx } from '../../platform/database/tx.js';
import { isOpen, PAID, stepsOf } from './settlement.domain.js';
import type { SettlementStatus, SettlementStep } from './settlement.port.js';
import { OPEN } from './settlement.store.js';

const NOW = `to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * How settlements stand that were to end and did not, by reference; null for one that is not there. They had ended
 * before, or another worker has taken them. Those that are not named have ended.
 */
export type NotEnded = ReadonlyMap<string, SettlementStatus | null>;

/** Which settlements have not ended, and when the others did, ISO 8601 by the database's clock. */
export interface Ended {
  readonly notEnded: NotEnded;
  readonly at: string;
}

/** A settlement that ends, with the steps that say so once it is known when. */
export interface Settled {
  readonly reference: string;
  readonly status: SettlementStatus;
  readonly stepsAt: (at: string) => readonly SettlementStep[];
  /** It ends only while this lease is on record: no other worker has taken it since. */
  readonly leasedUntil?: Date | null;
}

/**
 * The ends of settlements. All else of a settlement that a verdict needs was written when it was opened: its status alone
 * is looked at, on the locked row.
 */
@Injectable()
export class SettlementEnds {
  /**
   * Ends those of these settlements that are open as paid, in one statement, and locks them in the order of their
   * references: the one in which the index of the primary key, the only way to them that the service's connections
   * leave, has them.
   */
  async succeed(references: readonly string[], tx: Tx): Promise<Ended> {
    const list = uuids(references);
    const rows = await tx.query<{ reference: string | null; at: string }>(
      `WITH clock AS MATERIALIZED (SELECT ${NOW} AS at), ended AS (
         UPDATE settlements SET status = 'succeeded', next_poll_at = NULL,
                steps = steps || (SELECT jsonb_set($2::jsonb, '{0,at}', to_jsonb(clock.at)) FROM clock)
          WHERE reference = ANY ($1::uuid[]) AND ${OPEN} RETURNING reference
       )
       SELECT clock.at, others.reference FROM clock LEFT JOIN (
         SELECT unnest($1::uuid[]) AS reference EXCEPT SELECT reference FROM ended
       ) others ON true`,
      [list, JSON.stringify(stepsOf(PAID, 0, ''))],
    );
    const at = rows[0]?.at ?? '';
    const left = rows.flatMap(({ reference }) => reference ?? []);
    return { at, notEnded: left.length === 0 ? new Map() : await this.statusesOf(left, tx) };
  }

  private async statusesOf(left: readonly string[], tx: Tx): Promise<NotEnded> {
    // Not in the same statement, which does not see what others ended while it waited. An end stays: no lock is needed.
    const rows = await tx.query<{ reference: string; status: SettlementStatus }>(
      'SELECT reference, status FROM settlements WHERE reference = ANY ($1::uuid[])',
      [uuids(left)],
    );
    const statuses = new Map(rows.map(({ reference, status }) => [reference, status]));
    return new Map(left.map((reference) => [reference, statuses.get(reference) ?? null]));
  }

  /** Ends those of these settlements that are open, each in its own way; locks all, in the order of their references. */
  async end(settled: readonly Settled[], tx: Tx): Promise<Ended> {
    const rows = await tx.query<{
      reference: string;
      status: SettlementStatus;
      next: Date | null;
      at: string;
    }>(
      `SELECT s.reference, s.status, s.next_poll_at AS next, ${NOW} AS at FROM settlements s
        WHERE s.reference = ANY ($1::uuid[]) ORDER BY s.reference FOR UPDATE`,
      [uuids(settled.map(({ reference }) => reference))],
    );
    const found = new Map(rows.map((row) => [row.reference, row]));
    const notEnded = new Map<string, SettlementStatus | null>();
    for (const { reference, leasedUntil } of settled) {
      const { status = null, next } = found.get(reference) ?? {};
      const isTaken = leasedUntil && next?.getTime() !== leasedUntil.getTime();
      if (status === null || !isOpen(status) || isTaken) notEnded.set(reference, status);
    }
    const ending = settled.filter(({ reference }) => !notEnded.has(reference));
    // Where none is there, none ends.
    const at = rows[0]?.at ?? '';
    if (ending.length === 0) return { notEnded, at };
    tx.write(
      `UPDATE settlements s SET status = v.status, steps = s.steps || v.steps, next_poll_at = NULL
         FROM unnest($1::uuid[], $2::text[], $3::jsonb[]) AS v (reference, status, steps)
        WHERE s.reference = v.reference AND s.${OPEN}`,
      [
        ending.map(({ reference }) => reference),
        ending.map(({ status }) => status),
        ending.map(({ stepsAt }) => JSON.stringify(stepsAt(at))),
      ],
    );
    return { notEnded, at };
  }
}

function uuids(list: readonly string[]): Buffer | readonly string[] {
  return arrayBytes('uuid', list) ?? list;
}
