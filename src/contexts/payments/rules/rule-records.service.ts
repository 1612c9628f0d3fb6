import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import { InTransaction } from '../../../platform/events/events.js';
import { WalletControlsChanged } from '../../wallet/wallet.events.js';
import type { LockedWallet } from '../../wallet/wallet.port.js';
import type { DecidedAttempt } from '../spending-wallet.domain.js';
import { CoolingOffStore } from './cooling-off/cooling-off.store.js';
import { RecentPurchasesStore } from './duplicate-guard/recent-purchases.store.js';
import { KeyLimitsStore } from './key-limits/key-limits.store.js';
import { PayeeRecords } from './payees/payee-records.service.js';
import type { OwnerApproval, ReleasedPayment, RuleRecords } from './rule-records.js';

@Injectable()
export class RuleRecordsService {
  private readonly rules: readonly RuleRecords[];

  constructor(
    keyLimits: KeyLimitsStore,
    payees: PayeeRecords,
    coolingOff: CoolingOffStore,
    duplicateGuard: RecentPurchasesStore,
  ) {
    this.rules = [keyLimits, payees, coolingOff, duplicateGuard];
  }

  async record(attempts: readonly DecidedAttempt[], tx: Tx): Promise<void> {
    for (const rule of this.rules) await rule.record(attempts, tx);
  }

  release(payments: readonly ReleasedPayment[], tx: Tx): void {
    if (payments.length > 0) for (const rule of this.rules) rule.release?.(payments, tx);
  }

  async approve(wallet: LockedWallet, approvals: readonly OwnerApproval[], tx: Tx): Promise<void> {
    if (approvals.length > 0) for (const rule of this.rules) await rule.approve?.(wallet, approvals, tx);
  }

  @InTransaction(WalletControlsChanged)
  async changeControls(changes: readonly WalletControlsChanged[], tx: Tx): Promise<void> {
    for (const change of changes) for (const rule of this.rules) await rule.changeControls?.(change, tx);
  }
}
