import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { AppError } from '../../../kernel/errors.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { WalletMerchant } from '../wallet.entity.js';
import { Payee } from './payees.entity.js';
import { WHOLE_WALLET } from './payees.port.js';

export type PayeeIdentity = Pick<Payee, 'walletId' | 'merchant' | 'accountNumber' | 'bankCode' | 'historyId'>;

/** Past any number of payees. */
const PAYEES_SKIPPED_MAX = 10_000_000;

@Injectable()
export class PayeesStore {
  constructor(private readonly database: Database) {}

  async list(walletId: string, { page, pageSize }: PageRequest): Promise<Page<Payee>> {
    const skip = (page - 1) * pageSize;
    const [rows, total] = await this.database.reads.repository(Payee).findAndCount({
      where: { walletId },
      order: { createdAt: 'DESC', id: 'DESC' },
      skip: Math.min(skip, PAYEES_SKIPPED_MAX),
      take: pageSize,
    });
    return { rows, total };
  }

  find(payee: PayeeIdentity, tx: Tx): Promise<Payee | null> {
    const { walletId, merchant, accountNumber, bankCode, historyId } = payee;
    return tx.repository(Payee).findOneBy({ walletId, merchant, accountNumber, bankCode, historyId });
  }

  /** Throws `PAYEE_NOT_FOUND`. */
  async get(id: string, walletId: string, tx: Tx): Promise<Payee> {
    const payee = isUuid(id) ? await tx.repository(Payee).findOneBy({ id, walletId }) : null;
    if (!payee) throw new AppError('PAYEE_NOT_FOUND', 'No payee of this wallet has this id.');
    return payee;
  }

  count(walletId: string, tx: Tx): Promise<number> {
    return tx.repository(Payee).countBy({ walletId, historyId: WHOLE_WALLET });
  }

  async add(payee: Payee, tx: Tx): Promise<void> {
    await tx.repository(Payee).insert(payee);
  }

  async register({ walletId, id, accountName }: Payee, tx: Tx): Promise<void> {
    await tx.repository(Payee).update({ walletId, id }, { origin: 'registered', accountName });
  }

  /** Also keeps a policy set later from finding it again. */
  async remove({ walletId, id, merchant, accountNumber, bankCode, historyId }: Payee, tx: Tx): Promise<void> {
    await tx.repository(Payee).delete({ walletId, id });
    if (historyId !== WHOLE_WALLET) return;
    await tx
      .repository(WalletMerchant)
      .update(
        { walletId, merchant, accountNumber, bankCode },
        { accountNumber: null, bankCode: null, firstTransactionId: null, firstPaidAt: null },
      );
  }

  unnamed(payees: readonly { readonly walletId: string; readonly payeeId: string }[]): Promise<Payee[]> {
    return this.database.repository(Payee).find({
      where: payees.map(({ walletId, payeeId: id }) => ({ walletId, id, accountName: IsNull() })),
    });
  }

  async name({ walletId, id }: Payee, accountName: string): Promise<void> {
    await this.database.repository(Payee).update({ walletId, id, accountName: IsNull() }, { accountName });
  }
}
