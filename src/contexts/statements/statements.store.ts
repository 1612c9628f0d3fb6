import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { isUuid } from '../../kernel/text.js';
import { Database } from '../../platform/database/database.js';
import { currentDownload } from '../../platform/database/download.js';
import { firstMidnight } from '../../platform/database/local-midnight.js';
import type { Tx } from '../../platform/database/tx.js';
import type { StatementFormat } from './statements.domain.js';
import { Statement, StatementChunk } from './statements.entity.js';

const NOW = (): string => `date_trunc('milliseconds', clock_timestamp())`;
const LEASE_SECONDS = 60;
/** Payments of the month may still be committed. */
const FINAL_AFTER_MINUTES = 10;
const CHUNKS_READ_PAGE = 2;

export interface Month {
  readonly startsAt: Date;
  /** The month's end, or now. */
  readonly endsAt: Date;
  readonly isFinal: boolean;
  readonly isFuture: boolean;
}

export interface NewStatement extends Omit<Month, 'isFuture'> {
  readonly accountId: string;
  readonly scopeId: string;
  readonly month: string;
  readonly timeZone: string;
}

export type Leased = Statement & { readonly lease: string };
export type StatementEnding = Pick<
  Statement,
  | 'opening'
  | 'received'
  | 'paidOut'
  | 'refunded'
  | 'closing'
  | 'pdfBytes'
  | 'pdfSha256'
  | 'csvBytes'
  | 'csvSha256'
  | 'signature'
>;

const midnight = (local: string): string => firstMidnight(local, '$2');

@Injectable()
export class StatementsStore {
  constructor(private readonly database: Database) {}

  async month(month: string, timeZone: string): Promise<Month> {
    const [found] = await this.database.query<Month>(
      `SELECT m.starts AS "startsAt", least(m.ends, m.now) AS "endsAt", m.starts > m.now AS "isFuture",
              m.now >= m.ends + ${FINAL_AFTER_MINUTES} * interval '1 minute' AS "isFinal"
         FROM (SELECT ${midnight('d.first')} AS starts, ${midnight('d.next')} AS ends, ${NOW()} AS now
                 FROM (SELECT f.first, f.first + interval '1 month' AS next
                         FROM (SELECT ($1 || '-01')::timestamp AS first) f) d) m`,
      [month, timeZone],
    );
    return found as Month;
  }

  /** As `2026-11-21 06:30:00`. */
  async localNow(timeZone: string): Promise<string> {
    const [row] = await this.database.query<{ local: string }>(
      `SELECT to_char(clock_timestamp() AT TIME ZONE $1, 'YYYY-MM-DD HH24:MI:SS') AS local`,
      [timeZone],
    );
    return row?.local ?? '';
  }

  async page(accountId: string, { page, pageSize }: PageRequest): Promise<Page<Statement>> {
    const [rows, total] = await this.database.repository(Statement).findAndCount({
      where: { accountId },
      order: { month: 'DESC', id: 'DESC' },
      skip: (page - 1) * pageSize,
      take: pageSize,
    });
    return { rows, total };
  }

  find(id: string, accountId: string): Promise<Statement | null> {
    if (!isUuid(id)) return Promise.resolve(null);
    return this.database.repository(Statement).findOneBy({ id, accountId });
  }

  byId(id: string): Promise<Statement | null> {
    return this.database.repository(Statement).findOneBy({ id });
  }

  /** Newest first. Locks the account's requests. */
  async versions(accountId: string, scopeId: string, month: string, tx: Tx): Promise<Statement[]> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('statements ' || $1, 0))`, [accountId]);
    return tx
      .repository(Statement)
      .find({ where: { accountId, scopeId, month }, order: { version: 'DESC' } });
  }

  /** Makes room for a retry. */
  async deleteFailed(accountId: string, scopeId: string, month: string, tx: Tx): Promise<void> {
    await tx.repository(Statement).delete({ accountId, scopeId, month, status: 'failed' });
  }

  async countOpen(accountId: string, tx: Tx): Promise<number> {
    const [row] = await tx.query<{ open: number }>(
      `SELECT count(*)::integer AS open FROM statements WHERE account_id = $1 AND status IN ('waiting', 'making')`,
      [accountId],
    );
    return row?.open ?? 0;
  }

  async add(statement: NewStatement, version: number, tx: Tx): Promise<Statement> {
    const id = newId();
    await tx.repository(Statement).insert({ ...statement, id, version, createdAt: NOW });
    return tx.repository(Statement).findOneByOrFail({ id });
  }

  async claim(): Promise<Leased | null> {
    const lease = newId();
    const [claimed] = await this.database.query<{ id: string }>(
      `UPDATE statements SET status = 'making', lease = $1, leased_until = clock_timestamp() + ${LEASE_SECONDS} * interval '1 second',
              tries = tries + 1, rows_done = 0
        WHERE id = (SELECT id FROM statements WHERE status IN ('waiting', 'making')
                       AND (leased_until IS NULL OR leased_until < clock_timestamp())
                     ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id`,
      [lease],
    );
    if (!claimed) return null;
    await this.database.query('DELETE FROM statement_chunks WHERE statement_id = $1', [claimed.id]);
    return (await this.byId(claimed.id)) as Leased;
  }

  /** False if the lease is lost. */
  async progress({ id, lease }: Leased, rowsDone: number, rows: number): Promise<boolean> {
    const renewed = await this.database.query(
      `UPDATE statements SET rows_done = $3, rows = $4, leased_until = clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'
        WHERE id = $1 AND lease = $2 RETURNING id`,
      [id, lease, rowsDone, rows],
    );
    return renewed.length > 0;
  }

  /** Only under the lease. */
  async addChunk(
    { id, lease }: Leased,
    format: StatementFormat,
    place: number,
    bytes: Buffer,
  ): Promise<void> {
    await this.database.query(
      `INSERT INTO statement_chunks (statement_id, format, place, bytes)
       SELECT id, $3, $4::integer, $5::bytea FROM statements WHERE id = $1 AND lease = $2`,
      [id, lease, format, place, bytes],
    );
  }

  async release({ id, lease }: Leased, seconds: number): Promise<void> {
    await this.database.query(
      `UPDATE statements SET status = 'waiting', lease = NULL,
              leased_until = clock_timestamp() + $3 * interval '1 second' WHERE id = $1 AND lease = $2`,
      [id, lease, seconds],
    );
  }

  /** False if the lease is lost. */
  async finish({ id, lease, ...statement }: Leased, ending: StatementEnding, tx: Tx): Promise<boolean> {
    const { affected } = await tx
      .repository(Statement)
      .update(
        { id, lease },
        { ...ending, status: 'done', endedAt: NOW, lease: null, leasedUntil: null, rowsDone: () => 'rows' },
      );
    if (affected !== 1) return false;
    const { accountId, scopeId, month, version } = statement;
    await tx.query(
      `DELETE FROM statements WHERE account_id = $1 AND scope_id = $2 AND month = $3 AND version < $4
          AND status = 'done' AND NOT is_final`,
      [accountId, scopeId, month, version],
    );
    return true;
  }

  async fail({ id, lease }: Leased, problem: string, tx: Tx): Promise<void> {
    const { affected } = await tx
      .repository(Statement)
      .update({ id, lease }, { status: 'failed', problem, endedAt: NOW, lease: null, leasedUntil: null });
    if (affected === 1) await tx.repository(StatementChunk).delete({ statementId: id });
  }

  async *chunks(id: string, format: StatementFormat, size: number): AsyncGenerator<Buffer[], void> {
    for (let place = 0, read = 0; read < size;) {
      const pieces = await this.chunksFrom(id, format, place);
      const download = currentDownload();
      if (pieces.length === 0) {
        if (!download || download.isOnPrimary)
          throw new Error(`the statement ${id} lacks the piece ${place}`);
        download.isOnPrimary = true;
        continue;
      }
      yield pieces;
      place += pieces.length;
      read += pieces.reduce((sum, { length }) => sum + length, 0);
    }
  }

  private async chunksFrom(id: string, format: StatementFormat, place: number): Promise<Buffer[]> {
    const rows = await this.database.reads.query<{ place: number; bytes: Buffer }>(
      `SELECT place, bytes FROM statement_chunks WHERE statement_id = $1 AND format = $2 AND place >= $3::integer
        ORDER BY place LIMIT ${CHUNKS_READ_PAGE}`,
      [id, format, place],
    );
    return rows.filter((row, i) => row.place === place + i).map(({ bytes }) => bytes);
  }
}
