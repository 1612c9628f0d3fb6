import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { OperatedWallets, type OperatedWallet } from '../operated-wallets.port.js';
import { Wallet } from '../wallet.entity.js';
import { ControlsService } from './controls.service.js';
import { ControlsStore } from './controls.store.js';

const LOCKED_MAX = 1_000;

@Injectable()
export class OperatedWalletsService implements OperatedWallets {
  constructor(
    private readonly store: ControlsStore,
    private readonly controls: ControlsService,
    private readonly database: Database,
  ) {}

  find(ids: readonly string[], limit: number): Promise<readonly OperatedWallet[]> {
    return this.database.reads
      .repository(Wallet)
      .createQueryBuilder('w')
      .where('w.id = ANY (:ids) OR w.accountId = ANY (:ids)', { ids: ids.filter(isUuid) })
      .orderBy({ 'w.createdAt': 'DESC', 'w.id': 'DESC' })
      .limit(limit)
      .getMany();
  }

  async idsByReference(text: string, limit: number): Promise<readonly string[]> {
    const id = isUuid(text) ? text.toLowerCase() : null;
    const rows = await this.database.reads.query<{ id: string }>(
      `SELECT wallet_id AS id FROM virtual_accounts WHERE account_number = $1
       UNION SELECT wallet_id FROM inbound_transfers WHERE reference = $1 AND status IN ('credited', 'held')
                AND wallet_id IS NOT NULL
       UNION SELECT wallet_id FROM settlements WHERE reference = $2::uuid
       UNION SELECT wallet_id FROM ledger_entries WHERE transaction_id = $2::uuid
       LIMIT $3`,
      [text, id, limit],
    );
    return rows.map((row) => row.id);
  }

  lockAccount(accountId: string, tx: Tx): Promise<readonly OperatedWallet[]> {
    return tx.repository(Wallet).find({
      where: { accountId },
      order: { id: 'ASC' },
      take: LOCKED_MAX,
      lock: { mode: 'pessimistic_write' },
    });
  }

  async lock(walletId: string, tx: Tx): Promise<OperatedWallet> {
    const wallet = isUuid(walletId)
      ? await tx.repository(Wallet).findOne({
          where: { id: walletId.toLowerCase() },
          lock: { mode: 'pessimistic_write' },
        })
      : null;
    if (!wallet) throw new AppError('WALLET_NOT_FOUND', 'Wallet not found.');
    return wallet;
  }

  async suspend(wallets: readonly OperatedWallet[], operatorId: string, tx: Tx): Promise<void> {
    const all = wallets as readonly Wallet[];
    const open = all.filter(({ status }) => status !== 'CLOSED');
    if (open.length > 0) await this.controls.suspendAsOperator(open, operatorId, tx);
    // The move of an active one is on record.
    const others = all.filter(
      ({ status, suspendedByOperator }) => status !== 'ACTIVE' && !suspendedByOperator,
    );
    await this.record(others, 'suspended by an operator', operatorId, tx);
    await this.mark(all, true, tx);
  }

  async release(wallets: readonly OperatedWallet[], operatorId: string, tx: Tx): Promise<void> {
    const held = (wallets as Wallet[]).filter(({ suspendedByOperator }) => suspendedByOperator);
    if (held.length === 0) return;
    await this.record(held, 'released by an operator', operatorId, tx);
    await this.mark(held, false, tx);
  }

  private async record(
    wallets: readonly Wallet[],
    action: string,
    operatorId: string,
    tx: Tx,
  ): Promise<void> {
    if (wallets.length === 0) return;
    const change = { userId: operatorId, action, before: {}, after: {}, isByOperator: true };
    const at = await this.store.timeOfChange(wallets, tx);
    await this.store.record(
      wallets.map(({ id }) => ({ walletId: id, ...change })),
      at,
      tx,
    );
  }

  private async mark(wallets: readonly Wallet[], suspendedByOperator: boolean, tx: Tx): Promise<void> {
    const ids = wallets.map(({ id }) => id);
    await tx.query('UPDATE wallets SET suspended_by_operator = $2 WHERE id = ANY ($1)', [
      ids,
      suspendedByOperator,
    ]);
  }
}
