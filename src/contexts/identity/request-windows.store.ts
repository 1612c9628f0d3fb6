import { Injectable } from '@nestjs/common';
import { columnsOf } from '../../platform/database/columns.js';
import { Database } from '../../platform/database/database.js';

export interface WantedRequests {
  readonly subject: string;
  readonly most: number;
  readonly requests: number;
}

export interface GrantedRequests {
  readonly subject: string;
  readonly granted: number;
  /** By all replicas. */
  readonly taken: number;
  /** Milliseconds until the second ends. */
  readonly msLeft: number;
}

/** A second further ahead than 2 s is ignored: the clock was set back. */
const TAKE = `
  INSERT INTO request_windows AS w (subject, starts, most, before, taken)
  SELECT subject, date_trunc('second', clock_timestamp()), most, 0, least(requests, most)
    FROM unnest($1::text[], $2::integer[], $3::integer[]) AS wanted (subject, most, requests)
   ORDER BY subject
  ON CONFLICT (subject) DO UPDATE SET (starts, most, before, taken) = (
    SELECT start, excluded.most, before, greatest(before, least(excluded.most, before + excluded.taken))
      FROM (SELECT CASE WHEN goes_on THEN w.starts ELSE excluded.starts END AS start,
                   CASE WHEN goes_on THEN w.taken ELSE 0 END AS before
              FROM (SELECT w.starts BETWEEN excluded.starts AND excluded.starts + interval '2 s' AS goes_on)))
  RETURNING subject, taken - before AS granted, taken,
    (1000 * greatest(0, least(1, extract(epoch FROM starts + interval '1 s' - clock_timestamp()))))::float8 AS "msLeft"`;

const CLEAR = `
  DELETE FROM request_windows WHERE subject IN (
    SELECT subject FROM request_windows
     WHERE starts NOT BETWEEN clock_timestamp() - interval '1 minute' AND clock_timestamp() + interval '1 minute'
     LIMIT $1 FOR UPDATE SKIP LOCKED)`;

@Injectable()
export class RequestWindowsStore {
  constructor(private readonly database: Database) {}

  /** Grants what this second has left of each limit. Subjects must differ. */
  take(wanted: readonly WantedRequests[]): Promise<GrantedRequests[]> {
    return this.database.query<GrantedRequests>(TAKE, columnsOf(wanted, 'subject', 'most', 'requests'));
  }

  async clearOld(max: number): Promise<void> {
    await this.database.query(CLEAR, [max]);
  }
}
