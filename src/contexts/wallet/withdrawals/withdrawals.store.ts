import { Injectable } from '@nestjs/common';
import { And, LessThanOrEqual, MoreThan } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { type Page, type PageRequest, seqRange } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { WalletTransfer, Withdrawal } from './withdrawals.entity.js';

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

  firstTransfer(fromWalletId: string, idempotencyKey: string, tx: Tx): Promise<WalletTransfer | null> {
    return tx.repository(WalletTransfer).findOneBy({ fromWalletId, idempotencyKey });
  }

  async addTransfer(transfer: WalletTransfer, tx: Tx): Promise<void> {
    await tx.repository(WalletTransfer).insert(transfer);
  }
}
