import { Injectable } from '@nestjs/common';
import { TransferReceived } from '../funding/funding.events.js';
import { PaymentApproved } from '../payments/payments.events.js';
import { CaseOpened } from '../operations/operations.events.js';
import { SettlementFailed, WithdrawalFailed } from '../settlement/settlement.events.js';
import type { Tx } from '../../platform/database/database.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { type Kobo, kobo } from '../../kernel/money.js';
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

  /**
   * Takes what an owner takes out of a wallet that `tx` has locked, and that has it. Answers the time of the change,
   * which is never earlier than that of the last one.
   */
  async take(
    wallet: { readonly id: string; readonly balance: Kobo; readonly updatedAt: Date },
    { amount, ...movement }: Pick<WalletDebited, 'amount' | 'cause' | 'reference' | 'narration'>,
    tx: Tx,
  ): Promise<Date> {
    const walletId = wallet.id;
    const balanceAfter = kobo(wallet.balance - amount);
    const [row] = await tx.query<{ at: Date }>(
      `SELECT greatest(date_trunc('milliseconds', clock_timestamp()), $1::timestamptz) AS at`,
      [wallet.updatedAt],
    );
    const { at } = row as { at: Date };
    this.spending.debit([{ walletId, amount, balanceAfter, at }], tx);
    await this.events.publish([new WalletDebited({ ...movement, walletId, amount, balanceAfter, at })], tx);
    return at;
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

  /** The same for what an owner took out. */
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

  /**
   * Adds to wallets, whatever their status is; they are locked in the order of their ids. What arrives at a closed wallet opens a case: its owner may not look at it any more.
   */
  async credit(
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
