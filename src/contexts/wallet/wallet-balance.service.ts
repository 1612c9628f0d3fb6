import { Injectable } from '@nestjs/common';
import { TransferReceived } from '../funding/funding.events.js';
import { PaymentApproved } from '../payments/payments.events.js';
import { SettlementFailed } from '../settlement/settlement.events.js';
import type { Tx } from '../../platform/database/database.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { kobo } from '../../kernel/money.js';
import { WalletCredited, WalletDebited } from './wallet.events.js';
import { WalletSpendingStore } from './wallet-spending.store.js';

/** Moves balances by what other contexts tell, and tells of every change. */
@Injectable()
export class WalletBalanceService {
  constructor(
    private readonly spending: WalletSpendingStore,
    private readonly events: Events,
  ) {}

  /** Takes approved payments from wallets that the publisher has locked, and remembers the merchants. */
  @InTransaction(PaymentApproved)
  async debit(payments: readonly PaymentApproved[], tx: Tx): Promise<void> {
    const byWallet = Map.groupBy(payments, ({ walletId }) => walletId);
    const changes = [...byWallet].map(([walletId, own]) => {
      const { at, balanceAfter } = own.at(-1) as PaymentApproved;
      return { walletId, amount: sum(own), balanceAfter, at };
    });
    this.spending.debit(changes, tx);
    await this.events.publish(
      payments.map(
        ({ walletId, amount, balanceAfter, transactionId: reference, at }) =>
          new WalletDebited({
            walletId,
            amount,
            balanceAfter,
            cause: 'payment',
            reference,
            narration: null,
            at,
          }),
      ),
      tx,
    );
    const merchants = new Map(
      payments.map(({ walletId, merchant, merchantName: name }) => [
        `${walletId} ${merchant}`,
        { walletId, merchant, name },
      ]),
    );
    this.spending.remember([...merchants.values()], tx);
  }

  @InTransaction(TransferReceived)
  async topUp(transfers: readonly TransferReceived[], tx: Tx): Promise<void> {
    await this.credit(
      transfers.map((transfer) => ({ ...transfer, cause: 'bank-transfer' })),
      tx,
    );
  }

  /** Gives back what the bank did not pay; the ledger refuses a second refund of the same payment. */
  @InTransaction(SettlementFailed)
  async refund(failures: readonly SettlementFailed[], tx: Tx): Promise<void> {
    await this.credit(
      failures.map(({ walletId, amount, reference }) => ({
        walletId,
        amount,
        cause: 'payment',
        reference,
        narration: null,
      })),
      tx,
    );
  }

  private async credit(
    credits: readonly Pick<WalletCredited, 'walletId' | 'amount' | 'cause' | 'reference' | 'narration'>[],
    tx: Tx,
  ): Promise<void> {
    const byWallet = Map.groupBy(credits, ({ walletId }) => walletId);
    const changes = [...byWallet].map(([walletId, own]) => ({ walletId, amount: sum(own) }));
    const credited = await this.spending.credit(changes, tx);
    const events = [...byWallet].flatMap(([walletId, own]) => {
      const wallet = credited.get(walletId);
      if (!wallet) throw new Error(`a credit names the wallet ${walletId}, which does not exist`);
      let balance = wallet.balance - sum(own);
      return own.map((credit) => {
        balance += credit.amount;
        const { amount, cause, reference, narration } = credit;
        return new WalletCredited({
          walletId,
          amount,
          balanceAfter: kobo(balance),
          cause,
          reference,
          narration,
          at: wallet.at,
        });
      });
    });
    await this.events.publish(events, tx);
  }
}

function sum(parts: readonly { readonly amount: number }[]): number {
  return parts.reduce((total, { amount }) => total + amount, 0);
}
