import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Kobo } from '../../kernel/money.js';
import { isUuid } from '../../kernel/text.js';
import type { NewVirtualAccount, VirtualAccount } from './funding.port.js';

/** What is on record of a transfer that was seen before. */
export interface TransferRecord {
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly currency: string;
  readonly status: 'credited' | 'held';
  readonly bankStatus: string | null;
}

/** A transfer to be put on record under its reference. `reason` says why it is held. */
export interface NewTransfer extends TransferRecord {
  readonly narration: string | null;
  readonly reason: string | null;
  readonly body: string;
}

/** A delivery of a charge that moves nothing: its facts are kept in columns, and its whole body. */
export interface RecordedDelivery {
  readonly status: 'conflict' | 'unmatched';
  readonly reason: string;
  readonly reference: string;
  /** As the delivery named it: it need not be a wallet. */
  readonly accountReference: string;
  readonly amount: Kobo;
  readonly currency: string;
  readonly bankStatus: string | null;
  readonly body: string;
}

/** Characters that are kept of the body of an event without effect. */
const IGNORED_BODY_MAX = 4_096;
const ACCOUNT = `id, wallet_id AS "walletId", account_number AS "accountNumber", account_name AS "accountName",
  bank_name AS "bankName", bank_code AS "bankCode", 'NGN' AS currency, provider_ref AS "providerRef",
  created_at AS "createdAt"`;
const TRANSFER_COLUMNS = `reference, wallet_id AS "walletId", amount, currency, status,
  bank_status AS "bankStatus"`;

@Injectable()
export class FundingStore {
  constructor(private readonly database: Database) {}

  async addAccount(account: NewVirtualAccount, tx: Tx): Promise<VirtualAccount> {
    const [row] = await tx.query<VirtualAccount>(
      `INSERT INTO virtual_accounts (id, wallet_id, account_number, account_name, bank_name, bank_code, provider_ref,
         created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, date_trunc('milliseconds', clock_timestamp())) RETURNING ${ACCOUNT}`,
      [
        uuid(),
        account.walletId,
        account.accountNumber,
        account.accountName,
        account.bankName,
        account.bankCode,
        account.providerRef,
      ],
    );
    return row as VirtualAccount;
  }

  accountsOf(walletIds: readonly string[]): Promise<VirtualAccount[]> {
    return this.database.query<VirtualAccount>(
      `SELECT ${ACCOUNT} FROM virtual_accounts WHERE wallet_id = ANY ($1)`,
      [walletIds],
    );
  }

  /** Which of these account references are wallets that have an account. */
  async findExistingIds(accountReferences: readonly string[], tx: Tx): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }>(
      'SELECT wallet_id AS id FROM virtual_accounts WHERE wallet_id = ANY ($1)',
      [accountReferences.filter(isUuid)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Puts a transfer on record unless its reference was seen before; waits for a delivery of the same reference
   * that is under way. Answers what was there before, null when this is the first. A repeat is counted, which
   * is a write: so its answer, too, waits for the commit to be safe.
   */
  async recordTransfer(transfer: NewTransfer, tx: Tx): Promise<TransferRecord | null> {
    const [row] = await tx.query<TransferRecord & { isFirst: boolean }>(
      `INSERT INTO inbound_transfers AS t (id, status, reference, wallet_id, amount, currency, narration, reason, body,
         body_hash, bank_status, account_reference, received_at)
       VALUES ($1, $2, $3, $4::uuid, $5, $6, $7, $8, $9, $10, $11, $4::uuid::text, clock_timestamp())
       ON CONFLICT (reference) WHERE status IN ('credited', 'held')
       DO UPDATE SET deliveries = t.deliveries + 1
       RETURNING ${TRANSFER_COLUMNS}, xmax = 0 AS "isFirst"`,
      [
        uuid(),
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

  /** A page of the accounts, in the order of their wallets and after the wallet `after`. */
  accountsAfter(after: string | null, limit: number): Promise<VirtualAccount[]> {
    return this.database.query<VirtualAccount>(
      `SELECT ${ACCOUNT} FROM virtual_accounts WHERE wallet_id > $1 ORDER BY wallet_id LIMIT $2`,
      [after ?? '00000000-0000-0000-0000-000000000000', limit],
    );
  }

  async countAccounts(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      'SELECT count(*) AS count FROM virtual_accounts',
    );
    return row?.count ?? 0;
  }

  /** Those of these references that are on record as credited or held. */
  findByReferences(references: readonly string[]): Promise<TransferRecord[]> {
    return this.database.query<TransferRecord>(
      `SELECT ${TRANSFER_COLUMNS} FROM inbound_transfers
        WHERE reference = ANY ($1) AND status IN ('credited', 'held')`,
      [references],
    );
  }

  /** A page of what a wallet was credited with from `from` up to `to`, after the reference `after`. */
  creditedPage(
    walletId: string,
    from: Date,
    to: Date,
    after: string,
    limit: number,
  ): Promise<TransferRecord[]> {
    return this.database.query<TransferRecord>(
      `SELECT ${TRANSFER_COLUMNS} FROM inbound_transfers
        WHERE wallet_id = $1 AND status = 'credited' AND received_at >= $2 AND received_at < $3 AND reference > $4
        ORDER BY reference LIMIT $5`,
      [walletId, from, to, after, limit],
    );
  }

  /** Counts a repeat of a reference that was seen before; null when it never was. */
  async countRedelivery(reference: string, tx: Tx): Promise<TransferRecord | null> {
    const [row] = await tx.query<TransferRecord>(
      `UPDATE inbound_transfers SET deliveries = deliveries + 1
          WHERE reference = $1 AND status IN ('credited', 'held') RETURNING ${TRANSFER_COLUMNS}`,
      [reference],
    );
    return row ?? null;
  }

  /**
   * Keeps a delivery that moves nothing; the same body again is counted, not kept twice. Answers whether it is new.
   */
  async record(delivery: RecordedDelivery, tx: Tx): Promise<boolean> {
    const { accountReference, body } = delivery;
    const [row] = await tx.query<{ isNew: boolean }>(
      `INSERT INTO inbound_transfers AS t (id, status, reference, reason, account_reference, wallet_id, amount,
         currency, bank_status, body, body_hash, received_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp())
       ON CONFLICT (body_hash, status) WHERE status IN ('conflict', 'unmatched')
       DO UPDATE SET deliveries = t.deliveries + 1 RETURNING xmax = 0 AS "isNew"`,
      [
        uuid(),
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

  /**
   * Keeps the beginning of an event without effect. Anyone may send such events, so they take turns on a fixed
   * number of rows: past the last one the oldest is overwritten.
   */
  async recordIgnored(body: string): Promise<void> {
    await this.database.query(
      `INSERT INTO inbound_transfers (id, status, reason, body, body_hash, received_at, ignored_slot)
       VALUES ($1, 'ignored', 'another event', $2, $3, clock_timestamp(), nextval('inbound_ignored_slots'))
       ON CONFLICT (ignored_slot) WHERE status = 'ignored'
       DO UPDATE SET id = excluded.id, body = excluded.body, body_hash = excluded.body_hash,
         received_at = excluded.received_at`,
      [uuid(), body.slice(0, IGNORED_BODY_MAX).toWellFormed(), hashOf(body)],
    );
  }

  /** Deletes the events without effect that are older than `days`. */
  async purgeIgnored(days: number): Promise<void> {
    await this.database.query(
      `DELETE FROM inbound_transfers
        WHERE status = 'ignored' AND ignored_slot >= 0 AND received_at < clock_timestamp() - $1 * interval '1 day'`,
      [days],
    );
  }
}

function hashOf(body: string): Buffer {
  return createHash('sha256').update(body).digest();
}
