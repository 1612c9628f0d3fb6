import { Injectable } from '@nestjs/common';
import { And, LessThanOrEqual, MoreThan } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { type Page, type PageRequest, seqRange } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { WalletTransfer, Withdrawal } from './withdrawals.entity.js';
import type { ReturnedWithdrawal } from './withdrawals.port.js';

const NEWEST_OF_WALLET_MAX = 20;
const NEWEST_MAX = 200;

@Injectable()
export class WithdrawalsStore {
  constructor(private readonly database: Database) {}

  firstUse(walletId: string, idempotencyKey: string, tx: Tx): Promise<Withdrawal | null> {
    return tx.repository(Withdrawal).findOneBy({ walletId, idempotencyKey });
  }

  async add(withdrawal: Omit<Withdrawal, 'seq'>, tx: Tx): Promise<Withdrawal> {
    const { walletId } = withdrawal;
    const last = await tx.repository(Withdrawal).maximum('seq', { walletId });
    const added = { ...withdrawal, seq: (last ?? 0) + 1 };
    await tx.repository(Withdrawal).insert(added);
    return added;
  }

  async find(id: string, walletId: string): Promise<Withdrawal | null> {
    return isUuid(id) ? this.database.repository(Withdrawal).findOneBy({ id, walletId }) : null;
  }

  /** Newest first; costs the same at any depth. */
  async page(walletId: string, request: PageRequest): Promise<Page<Withdrawal>> {
    const withdrawals = this.database.repository(Withdrawal);
    const total = (await withdrawals.maximum('seq', { walletId })) ?? 0;
    const { after, upTo } = seqRange(request, total);
    const rows = await withdrawals.find({
      where: { walletId, seq: And(MoreThan(after), LessThanOrEqual(upTo)) },
      order: { seq: 'DESC' },
    });
    return { rows, total };
  }

  newest(walletIds: readonly string[]): Promise<ReturnedWithdrawal[]> {
    return this.database.reads.query<ReturnedWithdrawal>(
      `SELECT w.id, w.wallet_id AS "walletId", w.amount, w.account_number AS "accountNumber",
              w.bank_code AS "bankCode", w.created_at AS "createdAt"
         FROM unnest($1::uuid[]) AS one (id)
        CROSS JOIN LATERAL (SELECT * FROM withdrawals WHERE wallet_id = one.id ORDER BY seq DESC
                             LIMIT ${NEWEST_OF_WALLET_MAX}) w
        WHERE w.created_at >= statement_timestamp() - interval '90 days'
        ORDER BY w.created_at DESC LIMIT ${NEWEST_MAX}`,
      [walletIds],
    );
  }

  firstTransfer(fromWalletId: string, idempotencyKey: string, tx: Tx): Promise<WalletTransfer | null> {
    return tx.repository(WalletTransfer).findOneBy({ fromWalletId, idempotencyKey });
  }

  async addTransfer(transfer: WalletTransfer, tx: Tx): Promise<void> {
    await tx.repository(WalletTransfer).insert(transfer);
  }
}
