import { Injectable } from '@nestjs/common';
import { KOBO_MAX } from '../../kernel/money.js';
import { isUuid } from '../../kernel/text.js';
import type { PageRequest, StatusTotal, TotalledPage } from '../../kernel/page.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import type { OpenTransfer } from './inbound-transfers.port.js';

const COUNTED_MAX = 10_000;

const TRANSFER_COLUMNS = `t.id, t.status, t.reference, t.amount, t.currency, t.wallet_id AS "walletId",
  t.account_reference AS "accountReference", t.narration, t.reason, t.received_at AS "receivedAt"`;

/** An unmatched reference that was credited or held since is settled. */
export const IS_OPEN = `t.status IN ('held', 'unmatched', 'conflict') AND t.returned_at IS NULL AND (t.status <> 'unmatched'
  OR NOT EXISTS (SELECT FROM inbound_transfers s WHERE s.reference = t.reference AND s.status IN ('credited', 'held')))`;

@Injectable()
export class InboundTransfersStore {
  constructor(private readonly database: Database) {}

  async page(
    status: OpenTransfer['status'] | null,
    { page, pageSize }: PageRequest,
  ): Promise<TotalledPage<OpenTransfer, OpenTransfer['status']>> {
    const where = `${IS_OPEN} AND ($1::text IS NULL OR t.status = $1)`;
    const counted = await this.database.reads.query<
      StatusTotal<OpenTransfer['status']> & { readonly isNaira: boolean }
    >(
      `SELECT status, currency = 'NGN' AS "isNaira", count(*) AS count, least(sum(amount), ${KOBO_MAX})::bigint AS amount
         FROM (SELECT t.status, t.currency, t.amount FROM inbound_transfers t WHERE ${where} LIMIT $2) c
        GROUP BY 1, 2 ORDER BY 1`,
      [status, COUNTED_MAX],
    );
    const rows = await this.database.reads.query<OpenTransfer>(
      `SELECT ${TRANSFER_COLUMNS} FROM inbound_transfers t WHERE ${where}
        ORDER BY t.received_at, t.id LIMIT $2::bigint OFFSET $3::bigint`,
      [status, pageSize, (page - 1) * pageSize],
    );
    const total = counted.reduce((sum, { count }) => sum + count, 0);
    const totals = counted.filter(({ isNaira }) => isNaira).map(({ isNaira: _, ...of }) => of);
    return { rows, total, totals: total < COUNTED_MAX ? totals : null };
  }

  ofReference(reference: string, limit: number): Promise<readonly OpenTransfer[]> {
    return this.database.reads.query<OpenTransfer>(
      `SELECT ${TRANSFER_COLUMNS} FROM inbound_transfers t WHERE t.reference = $1 AND ${IS_OPEN}
        ORDER BY t.received_at, t.id LIMIT $2`,
      [reference, limit],
    );
  }

  async lock(id: string, tx: Tx): Promise<OpenTransfer | null> {
    if (!isUuid(id)) return null;
    const [row] = await tx.query<OpenTransfer>(
      `SELECT ${TRANSFER_COLUMNS} FROM inbound_transfers t WHERE t.id = $1 AND ${IS_OPEN} FOR UPDATE`,
      [id],
    );
    return row ?? null;
  }

  async isWaiting(
    { status, reference }: Pick<OpenTransfer, 'status' | 'reference'>,
    tx: Tx,
  ): Promise<boolean> {
    const open = await tx.query(
      `SELECT FROM inbound_transfers t WHERE t.reference = $1 AND t.status = $2 AND ${IS_OPEN} LIMIT 1`,
      [reference, status],
    );
    return open.length > 0;
  }

  /** Violates `inbound_transfers_seen` if another delivery of the reference was first. */
  async setCredited(id: string, walletId: string, tx: Tx): Promise<void> {
    await tx.query(`UPDATE inbound_transfers SET status = 'credited', wallet_id = $2 WHERE id = $1`, [
      id,
      walletId,
    ]);
  }

  /** As {@link setCredited}: it counts as seen. A conflict's reference is seen already. */
  async setReturned(id: string, tx: Tx): Promise<void> {
    await tx.query(
      `UPDATE inbound_transfers SET returned_at = clock_timestamp(),
              status = CASE status WHEN 'unmatched' THEN 'held' ELSE status END WHERE id = $1`,
      [id],
    );
  }
}
