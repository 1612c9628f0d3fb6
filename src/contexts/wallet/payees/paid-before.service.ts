import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import type { Wallet } from '../wallet.entity.js';
import { PayeeRemembered } from '../wallet.events.js';
import type { WalletControls } from '../wallet.port.js';
import { CoolingOffStore } from './cooling-off.store.js';
import { PayeesStore } from './payees.store.js';

const NAMES_PER_JOB = 10;

/** Backfills payees and ages when an owner turns a rule on. */
@Injectable()
export class PaidBefore {
  constructor(
    private readonly payees: PayeesStore,
    private readonly coolingOff: CoolingOffStore,
    private readonly events: Events,
  ) {}

  async takeOver(before: Wallet, { id, controls: after }: Wallet, tx: Tx): Promise<void> {
    if (remembers(after) && !remembers(before.controls)) {
      const payees = await this.payees.rememberPaid(id, tx);
      const events = payees.map(
        ({ id: payeeId, walletId, accountNumber, bankCode }) =>
          new PayeeRemembered({ walletId, payeeId, accountNumber, bankCode }),
      );
      for (let i = 0; i < events.length; i += NAMES_PER_JOB) {
        await this.events.publish(events.slice(i, i + NAMES_PER_JOB), tx);
      }
    }
    if (coolsPayees(after) && !coolsPayees(before.controls)) await this.coolingOff.takeOverPaid(id, tx);
  }
}

function remembers(controls: WalletControls | null): boolean {
  return controls?.payeePolicy === 'first_use' || controls?.payeePolicy === 'warn';
}

function coolsPayees(controls: WalletControls | null): boolean {
  return controls?.coolingOff?.newPayeeHours !== undefined;
}
