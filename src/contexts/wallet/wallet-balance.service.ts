import { Injectable } from '@nestjs/common';
import { TransferReceived } from '../funding/funding.events.js';
import { AttemptsDecided, PaymentApproved } from '../payments/payments.events.js';
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

  /** Takes what was spent from wallets that the publisher has locked, and keeps their running totals. */
  @InTransaction(AttemptsDecided)
  recordAttempts(decided: readonly AttemptsDecided[], tx: Tx): void {
    this.spending.recordAttempts(decided, tx);
  }

  /** Tells of each debit, and remembers the merchants. */
  @InTransaction(PaymentApproved)
  async debit(payments: readonly PaymentApproved[], tx: Tx): Promise<void> {
    const counts = new Map<string, number>();
    const nextSeq = (walletId: string): number => {
      const seq = (counts.get(walletId) ?? this.spending.entryCountOf(walletId, tx)) + 1;
      counts.set(walletId, seq);
      return seq;
    };
    await this.events.publish(
      payments.map(
        ({ walletId, amount, balanceAfter, transactionId: reference, at }) =>
          new WalletDebited({
            walletId,
            amount,
            balanceAfter,
            seq: nextSeq(walletId),
            cause: 'payment',
            reference,
            narration: null,
            at,
          }),
      ),
      tx,
    );
    this.spending.remember(
      payments.map(({ walletId, merchant, merchantName: name }) => ({ walletId, merchant, name })),
      tx,
    );
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
    const changes = [...byWallet].map(([walletId, own]) => ({
      walletId,
      amount: sum(own),
      entries: own.length,
    }));
    const credited = await this.spending.credit(changes, tx);
    const events = [...byWallet].flatMap(([walletId, own]) => {
      const wallet = credited.get(walletId);
      if (!wallet) throw new Error(`a credit names the wallet ${walletId}, which does not exist`);
      let balance = wallet.balance - sum(own);
      let seq = wallet.entryCount - own.length;
      return own.map((credit) => {
        balance += credit.amount;
        seq += 1;
        const { amount, cause, reference, narration } = credit;
        return new WalletCredited({
          walletId,
          amount,
          balanceAfter: kobo(balance),
          seq,
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
