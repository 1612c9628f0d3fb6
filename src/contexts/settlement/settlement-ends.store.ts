import { Injectable } from '@nestjs/common';
import { arrayBytes } from '../../platform/database/array-bytes.js';
import type { Tx } from '../../platform/database/tx.js';
import { isOpen } from './settlement.domain.js';
import type { SettlementStatus, SettlementStep } from './settlement.port.js';
import { OPEN } from './settlement.store.js';

/**
 * How settlements stand that were to end and did not, by reference; null for one that is not there. They had ended
 * before, or another worker has taken them. Those that are not named have ended.
 */
export type NotEnded = ReadonlyMap<string, SettlementStatus | null>;

/** A settlement that ends, with the steps that say so. */
export interface Settled {
  readonly reference: string;
  readonly status: SettlementStatus;
  readonly steps: readonly SettlementStep[];
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
  async succeed(references: readonly string[], steps: readonly SettlementStep[], tx: Tx): Promise<NotEnded> {
    const list = uuids(references);
    const left = await tx.query<{ reference: string }>(
      `WITH ended AS (
         UPDATE settlements SET status = 'succeeded', steps = steps || $2::jsonb, next_poll_at = NULL
          WHERE reference = ANY ($1::uuid[]) AND ${OPEN} RETURNING reference
       )
       SELECT unnest($1::uuid[]) AS reference EXCEPT SELECT reference FROM ended`,
      [list, JSON.stringify(steps)],
    );
    if (left.length === 0) return new Map();
    // Not in the same statement, which does not see what others ended while it waited. An end stays: no lock is needed.
    const rows = await tx.query<{ reference: string; status: SettlementStatus }>(
      'SELECT reference, status FROM settlements WHERE reference = ANY ($1::uuid[])',
      [uuids(left.map(({ reference }) => reference))],
    );
    const statuses = new Map(rows.map(({ reference, status }) => [reference, status]));
    return new Map(left.map(({ reference }) => [reference, statuses.get(reference) ?? null]));
  }

  /** Ends those of these settlements that are open, each in its own way; locks all, in the order of their references. */
  async end(settled: readonly Settled[], tx: Tx): Promise<NotEnded> {
    const rows = await tx.query<{ reference: string; status: SettlementStatus; next: Date | null }>(
      `SELECT s.reference, s.status, s.next_poll_at AS next FROM settlements s WHERE s.reference = ANY ($1::uuid[])
        ORDER BY s.reference FOR UPDATE`,
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
    if (ending.length === 0) return notEnded;
    tx.write(
      `UPDATE settlements s SET status = v.status, steps = s.steps || v.steps, next_poll_at = NULL
         FROM unnest($1::uuid[], $2::text[], $3::jsonb[]) AS v (reference, status, steps)
        WHERE s.reference = v.reference AND s.${OPEN}`,
      [
        ending.map(({ reference }) => reference),
        ending.map(({ status }) => status),
        ending.map(({ steps }) => JSON.stringify(steps)),
      ],
    );
    return notEnded;
  }
}

function uuids(list: readonly string[]): Buffer | readonly string[] {
  return arrayBytes('uuid', list) ?? list;
}
