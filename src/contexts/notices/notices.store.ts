import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { MAILS_PER_HOUR_MAX, type NoticeKind, NOTICES_KEPT_MAX } from './notices.domain.js';
import { Notice, NoticeSetting } from './notices.entity.js';

const NOW = (): string => `date_trunc('milliseconds', clock_timestamp())`;
/** Longer than sending takes. */
const LEASE_SECONDS = 60;

export type NewNotice = Pick<
  Notice,
  'userId' | 'accountId' | 'kind' | 'key' | 'walletId' | 'subjectId' | 'parts' | 'mailDue' | 'pushDue'
>;
export type Recipient = Pick<Notice, 'userId' | 'accountId'>;
export type Choice = Pick<NoticeSetting, 'kind' | 'mail' | 'push'>;

export interface NoticeEnding {
  readonly accountId: string;
  readonly kind: NoticeKind;
  /** Subject, else wallet. */
  readonly about: string;
  readonly outcome: string;
  readonly by: string | null;
}

export interface Sendings {
  readonly mailTo: readonly string[];
  readonly pushTo: readonly string[];
}

@Injectable()
export class NoticesStore {
  constructor(private readonly database: Database) {}

  /** Skips keys that a person has already, and prunes. */
  async add(notices: readonly NewNotice[], tx: Tx): Promise<Sendings> {
    if (notices.length === 0) return { mailTo: [], pushTo: [] };
    const inserted = await tx
      .repository(Notice)
      .createQueryBuilder()
      .insert()
      .values(notices.map((notice) => ({ ...notice, id: newId(), createdAt: NOW })))
      .orIgnore()
      .returning(['userId', 'mailDue', 'pushDue'])
      .execute();
    const added = inserted.raw as { user_id: string; mail_due: boolean; push_due: boolean }[];
    await tx.query(
      `DELETE FROM notices WHERE id IN (
         SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY user_id ORDER BY id DESC) AS place
                           FROM notices WHERE user_id = ANY ($1::uuid[])) n WHERE place > ${NOTICES_KEPT_MAX})`,
      [[...new Set(added.map(({ user_id: userId }) => userId))]],
    );
    return {
      mailTo: added.flatMap(({ user_id: userId, mail_due: isDue }) => (isDue ? userId : [])),
      pushTo: added.flatMap(({ user_id: userId, push_due: isDue }) => (isDue ? userId : [])),
    };
  }

  async end(
    accountId: string,
    key: string,
    outcome: string,
    by: string | null,
    isOver: boolean,
  ): Promise<void> {
    await this.database.query(
      `UPDATE notices SET outcome = $3, outcome_by = $4, outcome_at = ${NOW()}, key = CASE WHEN $5 THEN NULL ELSE key END
        WHERE account_id = $1 AND key = $2 AND outcome IS NULL`,
      [accountId, key, outcome, by, isOver],
    );
  }

  async endAbout({ accountId, kind, about, outcome, by }: NoticeEnding): Promise<void> {
    await this.database.query(
      `UPDATE notices SET outcome = $4, outcome_by = $5, outcome_at = ${NOW()}
        WHERE account_id = $1 AND key IS NOT NULL AND kind = $2 AND coalesce(subject_id, wallet_id) = $3 AND outcome IS NULL`,
      [accountId, kind, about, outcome, by],
    );
  }

  async page({ userId, accountId }: Recipient, { page, pageSize }: PageRequest): Promise<Page<Notice>> {
    const [rows, total] = await this.database.reads.repository(Notice).findAndCount({
      where: { userId, accountId },
      order: { id: 'DESC' },
      skip: (page - 1) * pageSize,
      take: pageSize,
    });
    return { rows, total };
  }

  async countUnread({ userId, accountId }: Recipient): Promise<number> {
    const [row] = await this.database.query<{ unread: number }>(
      'SELECT count(*)::integer AS unread FROM notices WHERE user_id = $1 AND account_id = $2 AND read_at IS NULL',
      [userId, accountId],
    );
    return row?.unread ?? 0;
  }

  async read({ userId, accountId }: Recipient, ids: readonly string[] | null): Promise<void> {
    await this.database.query(
      `UPDATE notices SET read_at = ${NOW()} WHERE user_id = $1 AND account_id = $2 AND read_at IS NULL
          AND ($3::uuid[] IS NULL OR id = ANY ($3::uuid[]))`,
      [userId, accountId, ids],
    );
  }

  async isOpen(accountId: string, key: string): Promise<boolean> {
    const [row] = await this.database.query<{ open: boolean }>(
      'SELECT EXISTS (SELECT FROM notices WHERE account_id = $1 AND key = $2 AND outcome IS NULL) AS open',
      [accountId, key],
    );
    return row?.open === true;
  }

  choicesOf(userIds: readonly string[], tx?: Tx): Promise<(Choice & { readonly userId: string })[]> {
    return (tx ?? this.database)
      .repository(NoticeSetting)
      .createQueryBuilder('setting')
      .where('setting.userId = ANY (:userIds)', { userIds })
      .getMany();
  }

  async choose(userId: string, choice: Choice, tx: Tx): Promise<void> {
    await tx.repository(NoticeSetting).upsert({ userId, ...choice }, ['userId', 'kind']);
  }

  async claim(userId: string): Promise<Notice[]> {
    const claimed = await this.database.query<{ id: string }>(
      `UPDATE notices SET leased_until = clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'
        WHERE user_id = $1 AND mail_due AND (leased_until IS NULL OR leased_until < clock_timestamp())
       RETURNING id`,
      [userId],
    );
    if (claimed.length === 0) return [];
    return this.database
      .repository(Notice)
      .createQueryBuilder('notice')
      .where('notice.id = ANY (:ids)', { ids: claimed.map(({ id }) => id) })
      .orderBy('notice.id')
      .getMany();
  }

  async sent(ids: readonly string[]): Promise<void> {
    await this.database.query('UPDATE notices SET mail_due = false WHERE id = ANY ($1::uuid[])', [ids]);
  }

  async release(ids: readonly string[]): Promise<void> {
    await this.database.query('UPDATE notices SET leased_until = NULL WHERE id = ANY ($1::uuid[])', [ids]);
  }

  /** Takes one of the account's mails of this hour; else the seconds until the next hour. */
  async takeMail(accountId: string): Promise<{ readonly waitSeconds: number }> {
    const [taken] = await this.database.query<{ mails: number }>(
      `INSERT INTO notice_mail_budgets AS b (account_id, hour, mails)
       VALUES ($1, date_trunc('hour', clock_timestamp()), 1)
       ON CONFLICT (account_id) DO UPDATE
          SET hour = excluded.hour, mails = CASE WHEN b.hour = excluded.hour THEN b.mails + 1 ELSE 1 END
        WHERE b.hour <> excluded.hour OR b.mails < ${MAILS_PER_HOUR_MAX}
       RETURNING mails`,
      [accountId],
    );
    if (taken) return { waitSeconds: 0 };
    const [row] = await this.database.query<{ seconds: number }>(
      `SELECT ceil(3600 - extract(epoch FROM clock_timestamp() - hour))::integer AS seconds
         FROM notice_mail_budgets WHERE account_id = $1`,
      [accountId],
    );
    return { waitSeconds: Math.max(1, row?.seconds ?? 1) };
  }
}
