import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../kernel/page.js';
import { Database } from '../database/database.js';
import type { Tx } from '../database/tx.js';

export interface FailedJob {
  readonly id: string;
  readonly task: string;
  readonly attempts: number;
  readonly attemptsMax: number;
  readonly lastError: string | null;
  readonly runAt: Date;
  readonly isGivenUp: boolean;
}

const COUNTED_MAX = 10_000;
const JOB_COLUMNS = `j.id::text, j.task_identifier AS task, j.attempts, j.max_attempts AS "attemptsMax",
  left(j.last_error, 2000) AS "lastError", j.run_at AS "runAt", j.attempts >= j.max_attempts AS "isGivenUp"`;

/** Jobs whose last attempt failed. */
@Injectable()
export class FailedJobs {
  constructor(private readonly database: Database) {}

  /** Those given up first. */
  async page({ page, pageSize }: PageRequest): Promise<Page<FailedJob>> {
    const [count] = await this.database.reads.query<{ total: number }>(
      `SELECT count(*) AS total FROM (SELECT FROM graphile_worker.jobs WHERE last_error IS NOT NULL LIMIT $1) c`,
      [COUNTED_MAX],
    );
    const rows = await this.database.reads.query<FailedJob>(
      `SELECT ${JOB_COLUMNS} FROM graphile_worker.jobs j WHERE j.last_error IS NOT NULL
        ORDER BY j.attempts >= j.max_attempts DESC, j.id LIMIT $1::bigint OFFSET $2::bigint`,
      [pageSize, (page - 1) * pageSize],
    );
    return { rows, total: count?.total ?? 0 };
  }

  /** Null unless its last attempt failed and it does not run now. */
  async find(id: string, tx: Tx): Promise<FailedJob | null> {
    if (!/^\d{1,18}$/.test(id)) return null;
    const [job] = await tx.query<FailedJob>(
      `SELECT ${JOB_COLUMNS} FROM graphile_worker.jobs j
        WHERE j.id = $1::bigint AND j.last_error IS NOT NULL AND j.locked_at IS NULL`,
      [id],
    );
    return job ?? null;
  }

  /** False if it runs now, or is gone. */
  async retry(id: string, tx: Tx): Promise<boolean> {
    const rows = await tx.query(
      'SELECT FROM graphile_worker.reschedule_jobs(ARRAY[$1::bigint], run_at => now(), attempts => 0)',
      [id],
    );
    return rows.length > 0;
  }

  /** False if it runs now, or is gone. */
  async drop(id: string, tx: Tx): Promise<boolean> {
    const rows = await tx.query('SELECT FROM graphile_worker.complete_jobs(ARRAY[$1::bigint])', [id]);
    return rows.length > 0;
  }
}
