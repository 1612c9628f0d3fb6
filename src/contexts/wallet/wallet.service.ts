import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { type WalletVirtualAccount, VirtualAccounts } from '../funding/funding.port.js';
import { type Actor, Businesses, Users } from '../identity/identity.port.js';
import { databaseNow } from '../../platform/database/clock.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { AccountActed, MemberJoining } from '../identity/identity.events.js';
import { AppError } from '../../kernel/errors.js';
import type { Kobo } from '../../kernel/money.js';
import { ControlsStore } from './controls/controls.store.js';
import { LowBalanceStore } from './low-balance/low-balance.store.js';
import { assertRoom, assertValid, newApiKey, type SpendingRules } from './wallet.domain.js';
import type { ApiKey, Wallet, WalletMerchant } from './wallet.entity.js';
import { WalletCreated } from './wallet.events.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { WalletControls } from './wallet.events.js';
import { type KeySummary, type WalletQuery, WalletStore } from './wallet.store.js';

export interface NewWallet {
  readonly name: string;
  readonly rules: SpendingRules;
  readonly controls: WalletControls | null;
  /** Null: `wallet.low_balance` is not sent. */
  readonly lowBalanceThreshold: Kobo | null;
}

export interface WalletDetails {
  readonly wallet: Wallet & { readonly businessId: string | null };
  readonly virtualAccount: WalletVirtualAccount;
  readonly apiKeys: readonly KeySummary[];
}

@Injectable()
export class WalletService {
  constructor(
    private readonly store: WalletStore,
    private readonly changes: ControlsStore,
    private readonly lowBalance: LowBalanceStore,
    private readonly accounts: VirtualAccounts,
    private readonly users: Users,
    private readonly businesses: Businesses,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /**
   * All or nothing. `fullKey` is shown only here. Optional settings are the first recorded change. Throws the
   * first broken rule and `WALLET_LIMIT_REACHED` before the bank is asked.
   */
  async create(
    actor: Actor,
    { name, rules, controls, lowBalanceThreshold }: NewWallet,
  ): Promise<WalletDetails & { apiKey: ApiKey & { fullKey: string } }> {
    const { accountId, userId } = actor;
    assertValid(rules, await databaseNow(this.database));
    const more = { wallets: 1, allowlistEntries: rules.merchantAllowlist.length };
    assertRoom(await this.store.holdingsOf(accountId, this.database), more);
    const id = newId();
    const ownerEmail = await this.users.emailOf(userId);
    const business = await this.businesses.of(accountId);
    const businessId = business?.id ?? null;
    const issued = await this.accounts.issue({ id, name, ownerEmail, businessName: business?.name ?? null });
    const { fullKey, ...key } = newApiKey();
    const made = this.database.transaction(async (tx) => {
      await this.store.lockOwner(accountId, tx);
      await this.users.assertMay(actor, 'wallets.create', tx);
      assertRoom(await this.store.holdingsOf(accountId, tx), more);
      const asked = { ...rules, id, accountId, madeByUserId: userId, name, controls };
      const { wallet, apiKey } = await this.store.add(asked, key, tx);
      const virtualAccount = { ...issued, createdAt: wallet.createdAt };
      const created = { walletId: id, userId: accountId, virtualAccount };
      await this.events.publish([new WalletCreated(created)], tx);
      if (lowBalanceThreshold !== null) await this.lowBalance.set(id, lowBalanceThreshold, tx);
      const acted = { accountId, userId, act: 'wallet.opened', subject: id, after: { name } };
      await this.events.publish([new AccountActed(acted)], tx);
      await this.recordSettings(wallet, userId, lowBalanceThreshold, tx);
      return {
        wallet: { ...wallet, businessId },
        virtualAccount,
        apiKeys: [apiKey],
        apiKey: { ...apiKey, fullKey },
      };
    });
    return made.catch(async (error: unknown) => {
      throw await this.accounts.refusalOf(error, issued);
    });
  }

  /** Throws `ACCOUNT_NOT_EMPTY`: no wallet is left behind without an owner. */
  @InTransaction(MemberJoining)
  async refuseOwners(joining: readonly MemberJoining[], tx: Tx): Promise<void> {
    for (const { accountId } of joining) {
      await this.store.lockOwner(accountId, tx);
      if ((await this.store.holdingsOf(accountId, tx)).wallets === 0) continue;
      throw new AppError(
        'ACCOUNT_NOT_EMPTY',
        'You have wallets of your own, which nobody could reach any more. Sign up with another e-mail address to join.',
      );
    }
  }

  private async recordSettings(
    { id: walletId, controls, createdAt }: Wallet,
    userId: string,
    lowBalanceThreshold: Kobo | null,
    tx: Tx,
  ): Promise<void> {
    const after = { ...controls, ...(lowBalanceThreshold !== null && { lowBalanceThreshold }) };
    const fields = Object.keys(after);
    if (fields.length === 0) return;
    const before = Object.fromEntries(fields.map((field) => [field, null]));
    await this.changes.record([{ walletId, userId, action: 'created', before, after }], createdAt, tx);
  }

  /** Throws `WALLET_NOT_FOUND`, also for another user's. */
  async get(
    walletId: string,
    accountId: string,
  ): Promise<WalletDetails & { merchants: readonly WalletMerchant[] }> {
    const wallet = await this.store.find(walletId, accountId);
    const [details] = await this.detailsOf([wallet], await this.businesses.idOf(accountId));
    return { ...(details as WalletDetails), merchants: await this.store.merchantsOf(wallet.id) };
  }

  /** Yields pages, newest first. Throws `USER_NOT_FOUND`, or `FORBIDDEN` for another user. */
  async *listOf(ownerId: string, requester: Actor): AsyncGenerator<readonly WalletDetails[], void> {
    if (ownerId !== requester.userId) {
      if (await this.users.exists(ownerId)) {
        throw new AppError('FORBIDDEN', 'Only the user whose wallets these are may list them.');
      }
      throw new AppError('USER_NOT_FOUND', 'No user has this id.');
    }
    const businessId = await this.businesses.idOf(requester.accountId);
    for await (const page of this.store.pagesOf(requester)) yield await this.detailsOf(page, businessId);
  }

  labels(accountId: string): Promise<readonly Pick<Wallet, 'id' | 'name' | 'status' | 'suspendedAllAt'>[]> {
    return this.store.labelsOf(accountId);
  }

  async search(accountId: string, query: WalletQuery, request: PageRequest): Promise<Page<WalletDetails>> {
    const { rows, total } = await this.store.search(accountId, query, request);
    return { rows: await this.detailsOf(rows, await this.businesses.idOf(accountId)), total };
  }

  private async detailsOf(wallets: readonly Wallet[], businessId: string | null): Promise<WalletDetails[]> {
    const ids = wallets.map(({ id }) => id);
    const [accounts, keys] = await Promise.all([this.accounts.of(ids), this.store.keysOf(ids)]);
    const accountOf = new Map(accounts.map((account) => [account.walletId, account]));
    const keysOf = Map.groupBy(keys, ({ walletId }) => walletId);
    return wallets.map((wallet) => {
      const virtualAccount = accountOf.get(wallet.id);
      if (!virtualAccount) throw new Error(`the wallet ${wallet.id} has no virtual account`);
      return { wallet: { ...wallet, businessId }, virtualAccount, apiKeys: keysOf.get(wallet.id) ?? [] };
    });
  }
}
