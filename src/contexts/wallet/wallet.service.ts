import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Businesses } from '../business/business.port.js';
import { TransferReceived } from '../funding/funding.events.js';
import { type VirtualAccount, VirtualAccounts } from '../funding/funding.port.js';
import { Users } from '../identity/identity.port.js';
import { PaymentApproved } from '../payments/payments.events.js';
import { SettlementFailed } from '../settlement/settlement.events.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { AppError } from '../../kernel/errors.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { type Kobo, kobo } from '../../kernel/money.js';
import { WalletCredited, WalletDebited } from './wallet.events.js';
import { newApiKey, assertValid, type SpendingRules } from './wallet.domain.js';
import { WalletSpendingStore } from './wallet-spending.store.js';
import { type ApiKeyRow, type MerchantRow, type WalletRow, WalletStore } from './wallet.store.js';

/** A wallet with what belongs to it. */
export interface WalletDetails {
  readonly wallet: WalletRow & { readonly businessId: string | null };
  readonly virtualAccount: VirtualAccount;
  readonly apiKeys: readonly ApiKeyRow[];
}

@Injectable()
export class WalletService {
  constructor(
    private readonly store: WalletStore,
    private readonly spending: WalletSpendingStore,
    private readonly accounts: VirtualAccounts,
    private readonly users: Users,
    private readonly businesses: Businesses,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /** Makes a wallet, its virtual account and its API key: all or nothing. `fullKey` is shown here and never again. */
  async create(
    ownerId: string,
    name: string,
    rules: SpendingRules,
  ): Promise<WalletDetails & { apiKey: ApiKeyRow & { fullKey: string } }> {
    assertValid(rules, await this.store.now(this.database));
    const id = uuid();
    const ownerEmail = await this.users.emailOf(ownerId);
    const issued = await this.accounts.issue({ id, name, ownerEmail });
    const { fullKey, ...key } = newApiKey();
    const businessId = await this.businesses.idOf(ownerId);
    return this.database.transaction(async (tx) => {
      const { wallet, apiKey } = await this.store.add({ ...rules, id, userId: ownerId, name }, key, tx);
      const virtualAccount = await this.accounts.add(issued, tx);
      return {
        wallet: { ...wallet, businessId },
        virtualAccount,
        apiKeys: [apiKey],
        apiKey: { ...apiKey, fullKey },
      };
    });
  }

  /** Throws `WALLET_NOT_FOUND`, the same whether the wallet does not exist or is somebody else's. */
  async get(
    walletId: string,
    userId: string,
  ): Promise<WalletDetails & { merchants: readonly MerchantRow[] }> {
    const wallet = await this.store.find(walletId, userId);
    const [details] = await this.detailsOf([wallet], userId);
    return { ...(details as WalletDetails), merchants: await this.store.merchantsOf(wallet.id) };
  }

  /** The wallets of `ownerId`, newest first. Throws `USER_NOT_FOUND`, or `FORBIDDEN` for another user. */
  async listOf(ownerId: string, requesterId: string): Promise<readonly WalletDetails[]> {
    if (ownerId !== requesterId) {
      if (await this.users.exists(ownerId)) {
        throw new AppError('FORBIDDEN', 'Only the user whose wallets these are may list them.');
      }
      throw new AppError('USER_NOT_FOUND', 'No user has this id.');
    }
    return this.detailsOf(await this.store.listOf(ownerId), ownerId);
  }

  private async detailsOf(wallets: readonly WalletRow[], ownerId: string): Promise<WalletDetails[]> {
    const ids = wallets.map(({ id }) => id);
    const [accounts, keys, businessId] = await Promise.all([
      this.accounts.of(ids),
      this.store.keysOf(ids),
      this.businesses.idOf(ownerId),
    ]);
    const accountOf = new Map(accounts.map((account) => [account.walletId, account]));
    const keysOf = Map.groupBy(keys, ({ walletId }) => walletId);
    return wallets.map((wallet) => {
      const virtualAccount = accountOf.get(wallet.id);
      if (!virtualAccount) throw new Error(`the wallet ${wallet.id} has no virtual account`);
      return { wallet: { ...wallet, businessId }, virtualAccount, apiKeys: keysOf.get(wallet.id) ?? [] };
    });
  }

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
        ({ walletId, amount, balanceAfter, transactionId, at }) =>
          new WalletDebited({ walletId, amount, balanceAfter, transactionId, at }),
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
      transfers.map((transfer) => ({ ...transfer, transactionId: null })),
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
        reference,
        transactionId: reference,
        narration: null,
      })),
      tx,
    );
  }

  private async credit(
    credits: readonly {
      walletId: string;
      amount: Kobo;
      transactionId: string | null;
      reference: string;
      narration: string | null;
    }[],
    tx: Tx,
  ): Promise<void> {
    const byWallet = Map.groupBy(credits, ({ walletId }) => walletId);
    const changes = [...byWallet].map(([walletId, own]) => ({ walletId, amount: sum(own) }));
    const credited = await this.spending.credit(changes, tx);
    const events = [...byWallet].flatMap(([walletId, own]) => {
      const wallet = credited.get(walletId);
      if (!wallet) throw new Error(`a credit names the wallet ${walletId}, which does not exist`);
      let balance = wallet.balance - sum(own);
      return own.map(({ amount, transactionId, reference, narration }) => {
        balance += amount;
        return new WalletCredited({
          walletId,
          amount,
          balanceAfter: kobo(balance),
          transactionId,
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
