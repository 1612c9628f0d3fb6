import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { Database } from '../../platform/database/database.js';

/** Milliseconds since 1970, by the database's clock. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

const COUNT = {
  name: 'rate-limits-count',
  text: `INSERT INTO rate_limits AS r (key, points, expire) VALUES ($1, 1, ${NOW} + $2::bigint)
         ON CONFLICT (key) DO UPDATE SET points = CASE WHEN r.expire > ${NOW} THEN r.points + 1 ELSE 1 END,
           expire = CASE WHEN r.expire > ${NOW} THEN r.expire ELSE excluded.expire END
         RETURNING points AS count, expire::float8 AS "windowEnd",
           -- never longer than a window, even where the database's clock was set back
           greatest(0, least(expire - ${NOW}, $2::bigint))::float8 AS "msLeft"`,
};

const GIVE_BACK = {
  name: 'rate-limits-give-back',
  text: 'UPDATE rate_limits SET points = points - 1 WHERE key = $1 AND expire = $2 AND points > 0',
};

const CLEAR_EXPIRED = `DELETE FROM rate_limits WHERE expire < ${NOW}`;

export interface Counted {
  readonly key: string;
  readonly count: number;
  readonly windowEnd: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

@Injectable()
export class GuessCounters {
  constructor(private readonly database: Database) {}

  async count(key: string, windowSeconds: number): Promise<Counted> {
    const { rows } = await this.run<Counted>({ ...COUNT, values: [key, windowSeconds * 1_000] });
    return { ...(rows[0] as Counted), key };
  }

  async giveBack({ key, windowEnd }: Counted): Promise<void> {
    await this.run({ ...GIVE_BACK, values: [key, windowEnd] });
  }

  async clearExpired(): Promise<void> {
    await this.run({ text: CLEAR_EXPIRED });
  }

  // The pool exists only once connected.
  private run<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    return this.database.pool.query<Row>(query);
  }
}
