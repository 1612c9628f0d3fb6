import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import type { Wallet } from '../wallet.entity.js';
import { PayeeRemembered } from '../wallet.events.js';
import type { WalletControls } from '../wallet.port.js';
import { CoolingOffStore } from './cooling-off.store.js';
import { PayeesStore } from './payees.store.js';

/** How many names one job asks the bank for. */
const NAMES_PER_JOB = 10;

/** Whom a wallet paid before its owner turned a rule on: the rule knows them from then on. */
@Injectable()
export class PaidBefore {
  constructor(
    private readonly payees: PayeesStore,
    private readonly coolingOff: CoolingOffStore,
    private readonly events: Events,
  ) {}

  /** Takes over what the controls `after` need to know of a locked wallet and those `before` did not. */
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

/** Whether first uses are remembered. */
function remembers(controls: WalletControls | null): boolean {
  return controls?.payeePolicy === 'first_use' || controls?.payeePolicy === 'warn';
}

function coolsPayees(controls: WalletControls | null): boolean {
  return controls?.coolingOff?.newPayeeHours !== undefined;
}
