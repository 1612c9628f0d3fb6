import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { LIST_BYTES_MAX, type Page, type PageRequest } from '../../kernel/page.js';
import { Activity } from './activity.entity.js';

export interface ActivityFilter {
  readonly userId: string | null;
  /** Such as `key.created`, or the part before the dot. */
  readonly act: string | null;
  readonly from: Date | null;
  readonly to: Date | null;
}

@Injectable()
export class ActivityStore {
  constructor(private readonly database: Database) {}

  async add(rows: readonly Omit<Activity, 'at'>[], tx: Tx): Promise<void> {
    const at = () => `date_trunc('milliseconds', clock_timestamp())`;
    await tx.repository(Activity).insert(rows.map((row) => ({ ...row, at })));
  }

  /** Returns how many. */
  async deleteOlder(days: number, max: number): Promise<number> {
    const deleted = await this.database.query(
      `DELETE FROM account_activity WHERE (account_id, id) IN (
         SELECT account_id, id FROM account_activity
          WHERE at < statement_timestamp() - $1 * interval '1 day' ORDER BY at LIMIT $2)
       RETURNING 1`,
      [days, max],
    );
    return deleted.length;
  }

  async page(
    accountId: string,
    filter: ActivityFilter,
    { page, pageSize }: PageRequest,
  ): Promise<Page<Activity>> {
    const [rows, total] = await this.filtered(accountId, filter)
      .offset((page - 1) * pageSize)
      .limit(pageSize)
      .getManyAndCount();
    return { rows: withinBytes(rows), total };
  }

  /** Newest first, in bounded pages. */
  async *all(
    accountId: string,
    filter: ActivityFilter,
    size: number,
  ): AsyncGenerator<readonly Activity[], void> {
    let page: Activity[] = [];
    do {
      const last = page.at(-1)?.id;
      const query = this.filtered(accountId, filter).limit(size);
      if (last !== undefined) query.andWhere('activity.id < :last', { last });
      page = await query.getMany();
      yield page;
    } while (page.length === size);
  }

  private filtered(
    accountId: string,
    { userId, act, from, to }: ActivityFilter,
  ): SelectQueryBuilder<Activity> {
    const query = this.database.reads
      .repository(Activity)
      .createQueryBuilder('activity')
      .where('activity.accountId = :accountId', { accountId })
      .orderBy('activity.id', 'DESC');
    if (userId !== null) query.andWhere('activity.userId = :userId', { userId });
    if (act !== null)
      query.andWhere('(activity.act = :act OR starts_with(activity.act, :kind))', { act, kind: `${act}.` });
    if (from !== null) query.andWhere('activity.at >= :from', { from });
    if (to !== null) query.andWhere('activity.at < :to', { to });
    return query;
  }
}

/** Past {@link LIST_BYTES_MAX} before and after are left out. */
function withinBytes(rows: readonly Activity[]): Activity[] {
  let bytes = 0;
  return rows.map((row) => {
    bytes += JSON.stringify([row.before, row.after]).length;
    return bytes > LIST_BYTES_MAX ? { ...row, before: null, after: null } : row;
  });
}
