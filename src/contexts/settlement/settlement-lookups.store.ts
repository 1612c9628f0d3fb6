import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { firstReference, lastReference, SETTLEMENT_COLUMNS, type SettlementRow } from './settlement.store.js';

/** Reads of settlements off the payment path. */
@Injectable()
export class SettlementLookups {
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
}
