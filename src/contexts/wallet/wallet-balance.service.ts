import { Injectable } from '@nestjs/common';
import { TransferReceived } from '../funding/funding.events.js';
import { ApprovalDecided, AttemptsDecided, PaymentApproved } from '../payments/payments.events.js';
import { CaseOpened } from '../operations/operations.events.js';
import {
  ReturnRefunded,
  SettlementFailed,
  SettlementReversed,
  WithdrawalFailed,
} from '../settlement/settlement.events.js';
import type { Tx } from '../../platform/database/tx.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { type Kobo, kobo } from '../../kernel/money.js';
import { mapped } from '../../kernel/mapped.js';
import { WalletActivityStore } from './wallet-activity.store.js';
import { WalletCredited, WalletDebited } from './wallet.events.js';
import { WalletHoldsStore } from './wallet-holds.store.js';
import { WalletSpendingStore } from './wallet-spending.store.js';

@Injectable()
export class WalletBalanceService {
  constructor(
    private readonly spending: WalletSpendingStore,
    private readonly holds: WalletHoldsStore,
    private readonly activity: WalletActivityStore,
    private readonly events: Events,
  ) {}

  @InTransaction(AttemptsDecided)
  recordAttempts(decided: readonly AttemptsDecided[], tx: Tx): void {
    this.spending.recordAttempts(decided, tx);
  }

  @InTransaction(ApprovalDecided)
  endHolds(decided: readonly ApprovalDecided[], tx: Tx): void {
    this.holds.end(
      mapped(decided, ({ walletId, details: { amount }, outcome, at }) => ({
        walletId,
        amount,
        isApproved: outcome === 'approved',
        at,
      })),
      tx,
    );
  }

  @InTransaction(PaymentApproved)
  async publishDebits(payments: readonly PaymentApproved[], tx: Tx): Promise<void> {
    const counts = new Map<string, number>();
    const nextSeq = (walletId: string): number => {
      const seq = (counts.get(walletId) ?? this.spending.entryCountOf(walletId, tx)) + 1;
      counts.set(walletId, seq);
      return seq;
    };
    await this.events.publish(
      mapped(
        payments,
        (payment) =>
          new WalletDebited({
            walletId: payment.walletId,
            amount: payment.details.amount,
            balanceAfter: payment.balanceAfter,
            seq: nextSeq(payment.walletId),
            cause: 'payment',
            reference: payment.transactionId,
            narration: null,
            purpose: payment.purpose,
            requestId: payment.requestId,
            traceParent: payment.traceParent,
            at: payment.at,
          }),
      ),
      tx,
    );
    this.spending.remember(payments, tx);
  }

  /** Returns the time of the change. */
  async debit(
    wallet: { readonly id: string; readonly balance: Kobo },
    { amount, ...movement }: Pick<WalletDebited, 'amount' | 'cause' | 'reference' | 'narration'>,
    tx: Tx,
  ): Promise<Date> {
    const walletId = wallet.id;
    const balanceAfter = kobo(wallet.balance - amount);
    const { seq, at } = await this.spending.debit({ walletId, amount, balanceAfter }, tx);
    const debit = new WalletDebited({ ...movement, purpose: null, walletId, amount, balanceAfter, seq, at });
    await this.events.publish([debit], tx);
    return at;
  }

  @InTransaction(TransferReceived)
  async topUp(transfers: readonly TransferReceived[], tx: Tx): Promise<void> {
    await this.credit(
      transfers.map((transfer) => ({ ...transfer, cause: 'bank-transfer' })),
      tx,
    );
  }

  /** Refunds failed payouts; the ledger refuses a second refund. */
  @InTransaction(SettlementFailed)
  async refund(failures: readonly SettlementFailed[], tx: Tx): Promise<void> {
    await this.credit(
      failures.map(({ walletId, amount, reference, requestId = null, traceParent = null }) => ({
        walletId,
        amount,
        cause: 'payment',
        reference,
        narration: null,
        requestId,
        traceParent,
      })),
      tx,
    );
  }

  @InTransaction(SettlementReversed)
  countReturns(reversals: readonly SettlementReversed[], tx: Tx): void {
    this.activity.countReturns(
      reversals.map(({ walletId }) => walletId),
      tx,
    );
  }

  @InTransaction(ReturnRefunded)
  async refundReturned(returns: readonly ReturnRefunded[], tx: Tx): Promise<void> {
    await this.credit(
      returns.map(({ walletId, amount, reference, isWithdrawal, caseId, requestId = null }) => ({
        walletId,
        amount,
        cause: isWithdrawal ? 'withdrawal' : 'payment',
        reference,
        narration: null,
        caseId,
        requestId,
      })),
      tx,
    );
  }

  @InTransaction(WithdrawalFailed)
  async refundWithdrawals(failures: readonly WithdrawalFailed[], tx: Tx): Promise<void> {
    await this.credit(
      failures.map(({ walletId, amount, withdrawalId: reference }) => ({
        walletId,
        amount,
        cause: 'withdrawal',
        reference,
        narration: null,
      })),
      tx,
    );
  }

  /** Any status; locks in id order. A credit to a closed wallet opens a case. */
  async credit(
    credits: readonly Pick<
      WalletCredited,
      'walletId' | 'amount' | 'cause' | 'reference' | 'narration' | 'caseId' | 'requestId' | 'traceParent'
    >[],
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
        const {
          amount,
          cause,
          reference,
          narration,
          caseId = null,
          requestId = null,
          traceParent = null,
        } = credit;
        return new WalletCredited({
          walletId,
          amount,
          balanceAfter: kobo(balance),
          seq,
          cause,
          reference,
          narration,
          caseId,
          requestId,
          traceParent,
          at: wallet.at,
        });
      });
    });
    await this.events.publish(events, tx);
    await this.events.publish(
      events
        .filter(({ walletId }) => credited.get(walletId)?.status === 'CLOSED')
        .map(
          ({ walletId, amount, cause, reference }) =>
            new CaseOpened({
              kind: 'credit-to-closed-wallet',
              subject: reference,
              walletId,
              description: `${amount} kobo (${cause}) arrived at a closed wallet; its owner can withdraw them`,
            }),
        ),
      tx,
    );
  }
}

function sum(parts: readonly { readonly amount: number }[]): number {
  return parts.reduce((total, { amount }) => total + amount, 0);
}
