import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed } from '../../identity/identity.events.js';
import type { Actor } from '../../identity/identity.port.js';
import { Wallets } from '../../wallet/wallet.port.js';
import { differences, type LabelChange, type UsedLabels, withChange } from './labels.domain.js';
import { LabelsStore } from './labels.store.js';

@Injectable()
export class LabelsService {
  constructor(
    private readonly store: LabelsStore,
    private readonly wallets: Wallets,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /** Throws `WALLET_NOT_FOUND` and `TRANSACTION_NOT_FOUND`. */
  async change(
    walletId: string,
    transactionId: string,
    { accountId, userId }: Actor,
    change: LabelChange,
  ): Promise<void> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    await this.database.transaction(async (tx) => {
      const before = isUuid(transactionId) ? await this.store.lock(id, transactionId, accountId, tx) : null;
      if (!before) throw new AppError('TRANSACTION_NOT_FOUND', 'No transaction of this wallet has this id.');
      const after = withChange(before, change);
      const changed = differences(before, after);
      if (!changed) return;
      this.store.set(id, transactionId, after, tx);
      const act = { act: 'payment.labelled', subject: transactionId, ...changed };
      await this.events.publish([new AccountActed({ accountId, userId, ...act })], tx);
    });
  }

  used(accountId: string): Promise<UsedLabels> {
    return this.store.used(accountId);
  }
}
