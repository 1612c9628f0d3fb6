import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { PlacedPayment } from '../labels/labels.domain.js';
import { PaymentFile, PaymentFileTotal } from './files.entity.js';

const PIECE_BYTES_MAX = 256 * 1024;

@Injectable()
export class FilesStore {
  constructor(private readonly database: Database) {}

  of({ walletId, transactionId }: PlacedPayment): Promise<PaymentFile[]> {
    const where = { walletId, transactionId };
    return this.database.repository(PaymentFile).find({ where, order: { id: 'ASC' } });
  }

  find(
    { walletId, transactionId }: PlacedPayment,
    id: string,
    from: Pick<Database | Tx, 'repository'> = this.database,
  ): Promise<PaymentFile | null> {
    return from.repository(PaymentFile).findOneBy({ walletId, transactionId, id });
  }

  count(payment: PlacedPayment, tx: Tx): Promise<number> {
    return tx.repository(PaymentFile).countBy({ ...payment });
  }

  /** Stays locked until the transaction ends. */
  async totalOf(accountId: string, tx: Tx): Promise<number> {
    const totals = tx.repository(PaymentFileTotal);
    await totals.createQueryBuilder().insert().values({ accountId, bytes: 0 }).orIgnore().execute();
    const found = await totals.findOneOrFail({ where: { accountId }, lock: { mode: 'pessimistic_write' } });
    return found.bytes;
  }

  async add(file: PaymentFile, total: number, tx: Tx): Promise<void> {
    await tx.repository(PaymentFile).insert(file);
    await this.setTotal(file.accountId, total + file.size, tx);
  }

  async remove({ walletId, transactionId, id, accountId, size }: PaymentFile, tx: Tx): Promise<void> {
    await tx.repository(PaymentFile).delete({ walletId, transactionId, id });
    await this.setTotal(accountId, (await this.totalOf(accountId, tx)) - size, tx);
  }

  private async setTotal(accountId: string, bytes: number, tx: Tx): Promise<void> {
    await tx.repository(PaymentFileTotal).update({ accountId }, { bytes });
  }

  async *pieces({ walletId, transactionId, id, size }: PaymentFile): AsyncGenerator<readonly Buffer[], void> {
    for (let at = 0; at < size; at += PIECE_BYTES_MAX) {
      const [piece] = await this.database.reads.query<{ bytes: Buffer }>(
        `SELECT substring(bytes FROM $4 FOR $5) AS bytes FROM payment_files
          WHERE wallet_id = $1 AND transaction_id = $2 AND id = $3`,
        [walletId, transactionId, id, at + 1, PIECE_BYTES_MAX],
      );
      if (!piece) return;
      yield [piece.bytes];
    }
  }
}
