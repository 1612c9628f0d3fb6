import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';

@Injectable()
export class HomeStore {
  constructor(private readonly database: Database) {}

  /** Returns the end of the previous visit. */
  async visit(userId: string): Promise<{ readonly since: Date; readonly now: Date }> {
    const [seen] = await this.database.query<{ since: Date; now: Date; isFresh: boolean }>(
      `SELECT greatest(since, clock_timestamp() - interval '31 days') AS since,
              clock_timestamp() AS now,
              seen_at > clock_timestamp() - interval '10 minutes' AS "isFresh"
         FROM home_visits WHERE user_id = $1`,
      [userId],
    );
    if (seen?.isFresh) return seen;
    const [noted] = await this.database.query<{ since: Date; now: Date }>(
      `INSERT INTO home_visits AS v (user_id, since, seen_at)
       VALUES ($1, clock_timestamp() - interval '3 days', clock_timestamp())
       ON CONFLICT (user_id) DO UPDATE
          SET since = CASE WHEN v.seen_at < clock_timestamp() - interval '4 hours'
                           THEN v.seen_at ELSE v.since END,
              seen_at = clock_timestamp()
       RETURNING greatest(since, clock_timestamp() - interval '31 days') AS since,
                 clock_timestamp() AS now`,
      [userId],
    );
    return noted as { since: Date; now: Date };
  }
}
