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
}

/** A transfer to be put on record under its reference. */
export interface NewTransfer extends TransferRecord {
  readonly status: 'credited' | 'held';
  readonly narration: string | null;
  readonly why: string | null;
  readonly body: string;
}

/** A delivery that is only recorded: its whole body is kept for the operator. */
export interface Recorded {
  readonly status: 'conflict' | 'unmatched' | 'ignored';
  readonly reference: string | null;
  readonly why: string;
  readonly body: string;
}

const ACCOUNT = `id, wallet_id AS "walletId", account_number AS "accountNumber", account_name AS "accountName",
  bank_name AS "bankName", bank_code AS "bankCode", 'NGN' AS currency, provider_ref AS "providerRef",
  created_at AS "createdAt"`;
const TRANSFER_COLUMNS = `reference, wallet_id AS "walletId", amount, currency`;

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
      `INSERT INTO inbound_transfers AS t (id, status, reference, wallet_id, amount, currency, narration, why, body,
         body_hash, received_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp())
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
        transfer.why,
        transfer.body,
        hashOf(transfer.body),
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
  findByReferences(
    references: readonly string[],
  ): Promise<(TransferRecord & { status: 'credited' | 'held' })[]> {
    return this.database.query(
      `SELECT ${TRANSFER_COLUMNS}, status FROM inbound_transfers
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

  /** Keeps a delivery that moves nothing; the same body again is counted, not kept twice. */
  async record(recorded: Recorded, tx: Tx): Promise<void> {
    await tx.query(
      `INSERT INTO inbound_transfers AS t (id, status, reference, why, body, body_hash, received_at)
       VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
       ON CONFLICT (body_hash, status) WHERE status NOT IN ('credited', 'held')
       DO UPDATE SET deliveries = t.deliveries + 1`,
      [uuid(), recorded.status, recorded.reference, recorded.why, recorded.body, hashOf(recorded.body)],
    );
  }
}

function hashOf(body: string): Buffer {
  return createHash('sha256').update(body).digest();
}
