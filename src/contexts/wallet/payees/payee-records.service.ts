import { Injectable } from '@nestjs/common';
import { CoolingOffSpent, PayeeFirstPaid } from '../../payments/payments.events.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events, InTransaction } from '../../../platform/events/events.js';
import { newId } from '../../../kernel/ids.js';
import { PayeeRemembered } from '../wallet.events.js';
import { CoolingOffStore } from './cooling-off.store.js';
import { PayeesStore } from './payees.store.js';

@Injectable()
export class PayeeRecords {
  constructor(
    private readonly payees: PayeesStore,
    private readonly coolingOff: CoolingOffStore,
    private readonly events: Events,
  ) {}

  /** Binds merchants to the accounts first paid, and records the first payment to each payee. */
  @InTransaction(PayeeFirstPaid)
  async remember(payments: readonly PayeeFirstPaid[], tx: Tx): Promise<void> {
    this.payees.noteFirst(
      payments.filter(({ isNew }) => !isNew),
      tx,
    );
    const uses = payments
      .filter(({ isNew }) => isNew)
      .map(({ at: createdAt, ...payment }) => ({ ...payment, id: newId(), createdAt }));
    this.payees.remember(uses, tx);
    await this.events.publish(
      uses.map(
        ({ walletId, id: payeeId, accountNumber, bankCode }) =>
          new PayeeRemembered({ walletId, payeeId, accountNumber, bankCode }),
      ),
      tx,
    );
  }

  @InTransaction(CoolingOffSpent)
  count(payments: readonly CoolingOffSpent[], tx: Tx): void {
    this.coolingOff.count(payments, tx);
  }
}
