import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed } from '../../identity/identity.events.js';
import { type Actor, Users } from '../../identity/identity.port.js';
import { Wallets } from '../../wallet/wallet.port.js';
import {
  differences,
  type LabelChange,
  type Labels,
  type PlacedPayment,
  type UsedLabels,
  withChange,
} from './labels.domain.js';
import { LabelsStore } from './labels.store.js';

@Injectable()
export class LabelsService {
  constructor(
    private readonly store: LabelsStore,
    private readonly wallets: Wallets,
    private readonly users: Users,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  async change(walletId: string, transactionId: string, actor: Actor, change: LabelChange): Promise<void> {
    const { accountId, userId } = actor;
    await this.lockingOwn(walletId, transactionId, actor, async (payment, tx, before) => {
      const after = withChange(before, change);
      const changed = differences(before, after);
      if (!changed) return;
      this.store.set(payment, after, tx);
      const act = { act: 'payment.labelled', subject: payment.transactionId, ...changed };
      await this.events.publish([new AccountActed({ accountId, userId, ...act })], tx);
    });
  }

  /** One at a time for each transaction. */
  async lockingOwn<T>(
    walletId: string,
    transactionId: string,
    actor: Actor,
    work: (payment: PlacedPayment, tx: Tx, labels: Labels) => Promise<T>,
  ): Promise<T> {
    const { accountId } = actor;
    const wallet = await this.wallets.requireOwned(walletId, accountId);
    const payment = { walletId: wallet.id, transactionId: transactionId.toLowerCase() };
    return this.database.transaction(async (tx) => {
      const labels = isUuid(transactionId) ? await this.store.lock(payment, accountId, tx) : null;
      if (!labels) throw new AppError('TRANSACTION_NOT_FOUND', 'No transaction of this wallet has this id.');
      await this.users.assertMay(actor, 'payments.annotate', tx);
      return work(payment, tx, labels);
    });
  }

  used(accountId: string): Promise<UsedLabels> {
    return this.store.used(accountId);
  }
}
