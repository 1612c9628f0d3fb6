import { Injectable } from '@nestjs/common';
import { newId } from '../../../../kernel/ids.js';
import { filterMap } from '../../../../kernel/mapped.js';
import type { Tx } from '../../../../platform/database/tx.js';
import { Events } from '../../../../platform/events/events.js';
import { WHOLE_WALLET } from '../../../wallet/payees/payees.port.js';
import type { WalletControls, WalletControlsChanged } from '../../../wallet/wallet.events.js';
import type { LockedWallet } from '../../../wallet/wallet.port.js';
import { PayeeRemembered } from '../../payments.events.js';
import { recipientOf, type Transaction } from '../../payments.port.js';
import type { DecidedAttempt } from '../../spending-wallet.domain.js';
import type { OwnerApproval, RuleRecords } from '../rule-records.js';
import {
  type FirstPayment,
  type FirstUse,
  PayeeRecordsStore,
  type RememberedPayee,
} from './payee-records.store.js';

const NAMES_PER_JOB = 10;

/** Binds merchants to the accounts first paid, and records the first payment to each payee. Refunds unbind nothing. */
@Injectable()
export class PayeeRecords implements RuleRecords {
  constructor(
    private readonly store: PayeeRecordsStore,
    private readonly events: Events,
  ) {}

  async record(attempts: readonly DecidedAttempt[], tx: Tx): Promise<void> {
    const first = attempts.filter(({ payeeFirstPaid }) => payeeFirstPaid !== undefined);
    if (first.length === 0) return;
    this.store.noteFirst(
      filterMap(first, (attempt) =>
        attempt.payeeFirstPaid === 'known-payee' ? paymentTo(attempt) : undefined,
      ),
      tx,
    );
    await this.remember(
      filterMap(first, (attempt) =>
        attempt.payeeFirstPaid === 'new-payee' ? useOf(attempt, attempt.createdAt) : undefined,
      ),
      tx,
    );
  }

  /** An approval binds the merchant too, also under a policy that was set meanwhile. */
  async approve({ controls }: LockedWallet, approvals: readonly OwnerApproval[], tx: Tx): Promise<void> {
    const policyOf = ({ facts }: Transaction) => facts.payee?.policy ?? controls?.payeePolicy ?? 'off';
    const bound = approvals.filter(({ transaction }) => policyOf(transaction) !== 'off');
    this.store.noteFirst(
      bound.map(({ transaction }) => paymentTo(transaction)),
      tx,
    );
    const binding = bound.filter(({ transaction }) =>
      transaction.facts.payee
        ? transaction.facts.payee.standing === 'first'
        : policyOf(transaction) !== 'strict',
    );
    await this.remember(
      binding.map(({ transaction, at }) => useOf(transaction, at)),
      tx,
    );
  }

  async changeControls({ walletId, before, after }: WalletControlsChanged, tx: Tx): Promise<void> {
    if (remembers(after) && !remembers(before))
      await this.publish(await this.store.backfill(walletId, tx), tx);
  }

  private async remember(uses: readonly FirstUse[], tx: Tx): Promise<void> {
    this.store.remember(uses, tx);
    await this.publish(uses, tx);
  }

  private async publish(payees: readonly RememberedPayee[], tx: Tx): Promise<void> {
    const events = payees.map(
      ({ walletId, id: payeeId, accountNumber, bankCode, merchantName }) =>
        new PayeeRemembered({
          walletId,
          payeeId,
          accountNumber,
          bankCode,
          ...(merchantName !== undefined && { merchantName }),
        }),
    );
    for (let i = 0; i < events.length; i += NAMES_PER_JOB) {
      await this.events.publish(events.slice(i, i + NAMES_PER_JOB), tx);
    }
  }
}

function remembers(controls: WalletControls | null): boolean {
  return controls?.payeePolicy === 'first_use' || controls?.payeePolicy === 'warn';
}

function paymentTo(transaction: Transaction): FirstPayment {
  return {
    walletId: transaction.walletId,
    merchant: transaction.merchant,
    ...recipientOf(transaction),
    historyId: transaction.historyId ?? WHOLE_WALLET,
    transactionId: transaction.id,
  };
}

function useOf(transaction: Transaction, createdAt: Date): FirstUse {
  return { ...paymentTo(transaction), id: newId(), merchantName: transaction.merchantName, createdAt };
}
