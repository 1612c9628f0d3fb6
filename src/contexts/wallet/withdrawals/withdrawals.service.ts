import { Injectable } from '@nestjs/common';
import { assertPayable, Bank } from '../../bank/bank.port.js';
import { Settlements, shownSettlement, type ShownSettlement } from '../../settlement/settlement.port.js';
import type { Actor } from '../../identity/identity.port.js';
import { Database } from '../../../platform/database/database.js';
import { isUnavailable, outcomeUnknown } from '../../../platform/database/failures.js';
import type { Queryable, Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed } from '../../identity/identity.events.js';
import { newId } from '../../../kernel/ids.js';
import { AppError, validationError } from '../../../kernel/errors.js';
import { type Kobo, KOBO_MAX } from '../../../kernel/money.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { ControlsService, type OwnersWallet } from '../controls/controls.service.js';
import { assertOpen, assertReleased } from '../open-wallet.port.js';
import { ControlsStore } from '../controls/controls.store.js';
import type { Wallet } from '../wallet.entity.js';
import { WalletClosing, WithdrawalRequested } from '../wallet.events.js';
import { WalletBalanceService } from '../wallet-balance.service.js';
import { WalletStore } from '../wallet.store.js';
import { assertFunds, assertSameRequest, availableOf, fingerprintOf } from './withdrawals.domain.js';
import type { WalletTransfer, Withdrawal } from './withdrawals.entity.js';
import { type ReturnedWithdrawal, ReturnedWithdrawals } from './withdrawals.port.js';
import { WithdrawalsStore } from './withdrawals.store.js';

export interface PayoutAccount {
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly narration: string | null;
}

export interface WithdrawalOrder extends PayoutAccount {
  /** `all`: what is available when the wallet is locked. */
  readonly amount: Kobo | 'all';
}

export interface TransferOrder {
  readonly toWalletId: string;
  readonly amount: Kobo;
  readonly narration: string | null;
}

export interface WithdrawalState {
  readonly withdrawal: Withdrawal;
  readonly settlement: ShownSettlement;
}

const RETURNED_SHOWN_MAX = 10;

/** Owners' own money: bounded by what is available alone, by no cap, whatever the wallet's status. */
@Injectable()
export class WithdrawalsService implements ReturnedWithdrawals {
  constructor(
    private readonly store: WithdrawalsStore,
    private readonly controls: ControlsService,
    private readonly locks: ControlsStore,
    private readonly balances: WalletBalanceService,
    private readonly wallets: WalletStore,
    private readonly settlements: Settlements,
    private readonly bank: Bank,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /**
   * At most once per idempotency key. Throws `WALLET_NOT_FOUND`, `INSUFFICIENT_FUNDS`,
   * `IDEMPOTENCY_KEY_REUSED`, and `VALIDATION_ERROR` for an amount that the bank does not pay out.
   */
  async withdraw(
    walletId: string,
    actor: Actor,
    request: WithdrawalOrder,
    idempotencyKey: string,
  ): Promise<WithdrawalState & { readonly replayed: boolean }> {
    const { amount, accountNumber, bankCode, narration } = request;
    const fingerprint = fingerprintOf([amount, accountNumber, bankCode, narration]);
    const { withdrawal, replayed } = await this.database.transaction(async (tx) => {
      const wallet = await this.locks.lock(walletId, actor, 'money.move', tx);
      const first = await this.store.firstUse(wallet.id, idempotencyKey, tx);
      if (first) {
        assertSameRequest(first, fingerprint);
        return { withdrawal: first, replayed: true };
      }
      const key = { idempotencyKey, fingerprint };
      const taken = amount === 'all' ? availableOf(wallet) : amount;
      return {
        withdrawal: await this.payOut(wallet, actor.userId, taken, request, key, tx),
        replayed: false,
      };
    });
    return { ...(replayed ? await this.stateOfReplayed(withdrawal) : opened(withdrawal)), replayed };
  }

  /**
   * Denies pending payments, then pays the rest to `payoutTo`. Throws `WALLET_NOT_FOUND`, `WALLET_NOT_EMPTY`,
   * and what a withdrawal throws.
   */
  close(
    walletId: string,
    actor: Actor,
    payoutTo: PayoutAccount | null,
  ): Promise<{ readonly wallet: OwnersWallet; readonly withdrawal: WithdrawalState | null }> {
    const { userId } = actor;
    return this.database.transaction(async (tx) => {
      const before = await this.locks.lock(walletId, actor, 'money.move', tx);
      if (before.status === 'CLOSED') {
        return { wallet: await this.controls.shown(before, tx), withdrawal: null };
      }
      if (before.balance > 0 && !payoutTo) {
        throw new AppError(
          'WALLET_NOT_EMPTY',
          `The wallet has ${before.balance} kobo. Withdraw or move them first, or name an account in payoutTo.`,
        );
      }
      await this.events.publish([new WalletClosing({ walletId: before.id, userId })], tx);
      const released = { ...before, held: 0 as Kobo };
      const rest =
        before.balance > 0 && payoutTo
          ? await this.payOut(released, userId, before.balance, payoutTo, NO_KEY, tx)
          : null;
      const emptied = rest ? { ...released, balance: 0 as Kobo, updatedAt: rest.createdAt } : released;
      const closed = await this.controls.close(emptied, userId, tx);
      return { wallet: await this.controls.shown(closed, tx), withdrawal: rest && opened(rest) };
    });
  }

  private async payOut(
    wallet: Wallet,
    userId: string,
    amount: Kobo,
    { accountNumber, bankCode, narration }: PayoutAccount,
    key: Pick<Withdrawal, 'idempotencyKey' | 'fingerprint'>,
    tx: Tx,
  ): Promise<Withdrawal> {
    assertReleased(wallet);
    assertFunds(wallet, amount);
    assertPayable(amount, this.bank.capabilities);
    const id = newId();
    const at = await this.balances.debit(
      wallet,
      { amount, cause: 'withdrawal', reference: id, narration },
      tx,
    );
    const withdrawal = await this.store.add(
      {
        id,
        walletId: wallet.id,
        userId,
        amount,
        accountNumber,
        bankCode,
        narration,
        createdAt: at,
        ...key,
      },
      tx,
    );
    await this.events.publish(
      [
        new WithdrawalRequested({
          withdrawalId: id,
          walletId: wallet.id,
          amount,
          accountNumber,
          bankCode,
          narration: narration ?? 'Withdrawal',
          at,
        }),
      ],
      tx,
    );
    const after = { walletId: wallet.id, amount, accountNumber, bankCode };
    const acted = { accountId: wallet.accountId, userId, act: 'money.withdrawn', subject: id, after };
    await this.events.publish([new AccountActed(acted)], tx);
    return withdrawal;
  }

  /**
   * At most once per idempotency key. Throws `WALLET_NOT_FOUND`, `INSUFFICIENT_FUNDS`,
   * `IDEMPOTENCY_KEY_REUSED`, `WALLET_CLOSED` for the target, and `VALIDATION_ERROR` for the same wallet or
   * too large a balance.
   */
  async transfer(
    walletId: string,
    actor: Actor,
    { toWalletId, amount, narration }: TransferOrder,
    idempotencyKey: string | null,
  ): Promise<{ readonly transfer: WalletTransfer; readonly replayed: boolean }> {
    if (toWalletId === walletId.toLowerCase()) {
      throw validationError({ field: 'toWalletId', message: 'must be another wallet' });
    }
    const { accountId, userId } = actor;
    const fingerprint = idempotencyKey === null ? null : fingerprintOf([toWalletId, amount, narration]);
    return this.database.transaction(async (tx) => {
      const both = [walletId, toWalletId];
      const [from, to] = (await this.locks.lockAll(both, actor, 'money.move', tx)) as [Wallet, Wallet];
      const first = idempotencyKey && (await this.store.firstTransfer(from.id, idempotencyKey, tx));
      if (first) {
        assertSameRequest(first, fingerprint);
        return { transfer: first, replayed: true };
      }
      assertReleased(from);
      assertOpen(to);
      assertFunds(from, amount);
      if (to.balance > KOBO_MAX - amount) {
        throw validationError({ field: 'amount', message: 'is more than the other wallet can hold' });
      }
      const id = newId();
      const movement = { amount, cause: 'wallet-transfer', reference: id, narration } as const;
      const at = await this.balances.debit(from, movement, tx);
      await this.balances.credit([{ ...movement, walletId: to.id }], tx);
      const transfer: WalletTransfer = {
        id,
        fromWalletId: from.id,
        toWalletId: to.id,
        userId,
        amount,
        narration,
        idempotencyKey,
        fingerprint,
        createdAt: at,
      };
      await this.store.addTransfer(transfer, tx);
      const after = { fromWalletId: from.id, toWalletId: to.id, amount };
      const acted = { accountId, userId, act: 'money.transferred', subject: id, after };
      await this.events.publish([new AccountActed(acted)], tx);
      return { transfer, replayed: false };
    });
  }

  /** Returns one page, newest first. Throws `WALLET_NOT_FOUND`. */
  async list(walletId: string, accountId: string, request: PageRequest): Promise<Page<WithdrawalState>> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    const { rows, total } = await this.store.page(id, request);
    return { rows: await this.statesOf(rows), total };
  }

  /** Throws `WALLET_NOT_FOUND` and `WITHDRAWAL_NOT_FOUND`. */
  async get(walletId: string, accountId: string, withdrawalId: string): Promise<WithdrawalState> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    const withdrawal = await this.store.find(withdrawalId, id);
    if (!withdrawal) {
      throw new AppError('WITHDRAWAL_NOT_FOUND', 'No withdrawal of this wallet has this id.');
    }
    return this.stateOf(withdrawal);
  }

  async returned(walletIds: readonly string[]): Promise<readonly ReturnedWithdrawal[]> {
    const newest = await this.store.newest(walletIds);
    if (newest.length === 0) return [];
    const settlements = await this.settlements.of(newest.map(({ id }) => id));
    const isOpen = ({ id }: ReturnedWithdrawal) => settlements.get(id)?.reversal?.refundedAt === null;
    return newest.filter(isOpen).slice(0, RETURNED_SHOWN_MAX);
  }

  private async stateOf(withdrawal: Withdrawal, from?: Queryable): Promise<WithdrawalState> {
    const [state] = await this.statesOf([withdrawal], from);
    return state as WithdrawalState;
  }

  private async stateOfReplayed(withdrawal: Withdrawal): Promise<WithdrawalState> {
    try {
      return await this.stateOf(withdrawal, this.database);
    } catch (error) {
      throw isUnavailable(error) ? outcomeUnknown() : error;
    }
  }

  private async statesOf(withdrawals: readonly Withdrawal[], from?: Queryable): Promise<WithdrawalState[]> {
    const ids = withdrawals.map(({ id }) => id);
    const settlements = await this.settlements.of(ids, from);
    return withdrawals.map((withdrawal) => {
      const settlement = settlements.get(withdrawal.id);
      if (!settlement) throw new Error(`the withdrawal ${withdrawal.id} has no settlement`);
      return { withdrawal, settlement: shownSettlement(settlement) };
    });
  }
}

/** No read after the commit: a failed one would deny it. */
function opened(withdrawal: Withdrawal): WithdrawalState {
  return { withdrawal, settlement: { reference: withdrawal.id, status: 'pending' } };
}

const NO_KEY = { idempotencyKey: null, fingerprint: null };
