import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Kobo } from '../../kernel/money.js';
import { isUuid } from '../../kernel/text.js';
import { InboundTransfer } from './funding.entity.js';

export interface TransferRecord {
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly currency: string;
  readonly status: 'credited' | 'held';
  readonly bankStatus: string | null;
  /** As the bank sent it; an operator may have given it to another wallet. */
  readonly accountReference?: string | null;
  readonly returnedAt?: Date | null;
}

/** `reason`: why it is held. */
export interface NewTransfer extends TransferRecord {
  readonly narration: string | null;
  readonly reason: string | null;
  readonly body: string;
}

/** Moves nothing. */
export interface RecordedDelivery {
  readonly status: 'conflict' | 'unmatched';
  readonly reason: string;
  readonly reference: string;
  /** As sent; may be no wallet. */
  readonly accountReference: string;
  readonly amount: Kobo;
  readonly currency: string;
  readonly bankStatus: string | null;
  readonly body: string;
}

const IGNORED_BODY_MAX = 4_096;
const TRANSFER_COLUMNS = `reference, wallet_id AS "walletId", amount, currency, status,
  bank_status AS "bankStatus", account_reference AS "accountReference"`;

@Injectable()
export class FundingStore {
  constructor(private readonly database: Database) {}

  /** Waits for a concurrent delivery of the reference. Returns the earlier record, null if first. */
  async recordTransfer(transfer: NewTransfer, tx: Tx): Promise<TransferRecord | null> {
    const [row] = await tx.query<TransferRecord & { isFirst: boolean }>(
      `INSERT INTO inbound_transfers AS t (id, status, reference, wallet_id, amount, currency, narration, reason, body,
         body_hash, bank_status, account_reference, received_at)
       VALUES ($1, $2, $3, $4::uuid, $5, $6, $7, $8, $9, $10, $11, $4::uuid::text, clock_timestamp())
       ON CONFLICT (reference) WHERE status IN ('credited', 'held')
       DO UPDATE SET deliveries = t.deliveries + 1
       RETURNING ${TRANSFER_COLUMNS}, xmax = 0 AS "isFirst"`,
      [
        newId(),
        transfer.status,
        transfer.reference,
        transfer.walletId,
        transfer.amount,
        transfer.currency,
        transfer.narration,
        transfer.reason,
        transfer.body,
        hashOf(transfer.body),
        transfer.bankStatus,
      ],
    );
    return row && !row.isFirst ? row : null;
  }

  /** Credited or held ones. */
  async findByReferences(references: readonly string[]): Promise<TransferRecord[]> {
    const found = await this.records()
      .where(`t.reference = ANY (:references) AND t.status IN ('credited', 'held')`, { references })
      .getMany();
    return found as TransferRecord[];
  }

  /** After the reference `after`. */
  async creditedPage(
    walletId: string,
    from: Date,
    to: Date,
    after: string,
    limit: number,
  ): Promise<TransferRecord[]> {
    const page = await this.records()
      .where(
        `t.walletId = :walletId AND t.status = 'credited' AND t.receivedAt >= :from AND t.receivedAt < :to
           AND t.reference > :after`,
        { walletId, from, to, after },
      )
      .orderBy('t.reference')
      .limit(limit)
      .getMany();
    return page as TransferRecord[];
  }

  /** Literals, so that partial indexes apply. */
  private records() {
    return this.database
      .repository(InboundTransfer)
      .createQueryBuilder('t')
      .select(['t.id', 't.reference', 't.walletId', 't.amount', 't.currency', 't.status', 't.bankStatus'])
      .addSelect(['t.accountReference', 't.returnedAt']);
  }

  /** Null if never seen. */
  async countRedelivery(reference: string, tx: Tx): Promise<TransferRecord | null> {
    const [row] = await tx.query<TransferRecord>(
      `UPDATE inbound_transfers SET deliveries = deliveries + 1
          WHERE reference = $1 AND status IN ('credited', 'held') RETURNING ${TRANSFER_COLUMNS}`,
      [reference],
    );
    return row ?? null;
  }

  /** Equal bodies are counted, not stored twice. True if new. */
  async record(delivery: RecordedDelivery, tx: Tx): Promise<boolean> {
    const { accountReference, body } = delivery;
    const [row] = await tx.query<{ isNew: boolean }>(
      `INSERT INTO inbound_transfers AS t (id, status, reference, reason, account_reference, wallet_id, amount,
         currency, bank_status, body, body_hash, received_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp())
       ON CONFLICT (body_hash, status) WHERE status IN ('conflict', 'unmatched')
       DO UPDATE SET deliveries = t.deliveries + 1 RETURNING xmax = 0 AS "isNew"`,
      [
        newId(),
        delivery.status,
        delivery.reference,
        delivery.reason,
        accountReference,
        isUuid(accountReference) ? accountReference : null,
        delivery.amount,
        delivery.currency,
        delivery.bankStatus,
        body,
        hashOf(body),
      ],
    );
    return row?.isNew === true;
  }

  /** Anyone may send these. */
  async recordIgnored(body: string): Promise<void> {
    await this.database.query(
      `INSERT INTO inbound_transfers (id, status, reason, body, body_hash, received_at, ignored_slot)
       VALUES ($1, 'ignored', 'another event', $2, $3, clock_timestamp(), nextval('inbound_ignored_slots'))
       ON CONFLICT (ignored_slot) WHERE status = 'ignored'
       DO UPDATE SET id = excluded.id, body = excluded.body, body_hash = excluded.body_hash,
         received_at = excluded.received_at`,
      [newId(), body.slice(0, IGNORED_BODY_MAX).toWellFormed(), hashOf(body)],
    );
  }

  async purgeIgnored(days: number): Promise<void> {
    await this.database
      .repository(InboundTransfer)
      .createQueryBuilder()
      .delete()
      // By the indexed slots.
      .where(`status = 'ignored' AND ignored_slot >= 0`)
      .andWhere(`received_at < clock_timestamp() - :days * interval '1 day'`, { days })
      .execute();
  }
}

function hashOf(body: string): Buffer {
  return createHash('sha256').update(body).digest();
}
