import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { type Actor, Businesses, secondFactorRequired } from '../../identity/identity.port.js';
import { databaseNow } from '../../../platform/database/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { AppError } from '../../../kernel/errors.js';
import type { Kobo } from '../../../kernel/money.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { WalletControlsChanged, type WalletStatus, WalletStatusChanged } from '../wallet.events.js';
import { allowlist, assertRoom, assertValid, type SpendingRules } from '../wallet.domain.js';
import { assertOpen, assertReleased } from '../open-wallet.port.js';
import type { Wallet } from '../wallet.entity.js';
import { WalletStore } from '../wallet.store.js';
import { LowBalanceService } from '../low-balance/low-balance.service.js';
import { changedControls, type ControlsChange, controlsDiffering } from './controls.domain.js';
import { isWeakened } from './weakening.domain.js';
import { ControlsStore, type ListedChange, type WalletSettings } from './controls.store.js';

export type OwnersWallet = Wallet & { readonly businessId: string | null };

/** Absent members stay. */
export type SettingsChange = Partial<Omit<WalletSettings, 'status' | 'controls'>> & {
  readonly controls?: ControlsChange;
  /** Null: `wallet.low_balance` is not sent. */
  readonly lowBalanceThreshold?: Kobo | null;
};

interface StatusMove {
  readonly status: WalletStatus;
  readonly action: string;
  readonly isAll?: boolean;
  readonly isByOperator?: boolean;
}

@Injectable()
export class ControlsService {
  constructor(
    private readonly store: ControlsStore,
    private readonly wallets: WalletStore,
    private readonly lowBalance: LowBalanceService,
    private readonly businesses: Businesses,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /**
   * `version` null: any. Throws `VERSION_CONFLICT`, `WALLET_CLOSED`, the first broken rule,
   * `WALLET_LIMIT_REACHED`, and `TWO_FACTOR_REQUIRED` for weaker safeguards without `mayWeaken`.
   */
  change(
    walletId: string,
    actor: Actor,
    { lowBalanceThreshold, ...change }: SettingsChange,
    { version, mayWeaken }: { readonly version: number | null; readonly mayWeaken: boolean },
  ): Promise<OwnersWallet> {
    const { accountId, userId } = actor;
    return this.database.transaction(async (tx) => {
      if (change.merchantAllowlist) await this.wallets.lockOwner(accountId, tx);
      const before = await this.store.lock(walletId, actor, 'wallets.change', tx);
      if (version !== null && version !== before.version) throw versionConflict(before.version);
      assertOpen(before);
      const settings = await this.changedSettings(before, change, tx);
      if (!mayWeaken && isWeakened(before, { ...before, ...settings })) throw secondFactorRequired();
      const after = await this.applySettings(before, settings, userId, tx);
      if (lowBalanceThreshold === undefined) return this.shown(after, tx);
      return this.shown(await this.lowBalance.change(after, userId, lowBalanceThreshold, tx), tx);
    });
  }

  /** Throws the first broken rule. */
  private async changedSettings(
    before: Wallet,
    change: SettingsChange,
    tx: Tx,
  ): Promise<Partial<WalletSettings>> {
    const useAllowlist = change.useAllowlist ?? before.useAllowlist;
    const rules: SpendingRules = {
      spendLimitPerTx: change.spendLimitPerTx ?? before.spendLimitPerTx,
      spendLimitPeriod: change.spendLimitPeriod ?? before.spendLimitPeriod,
      periodWindowDays: change.periodWindowDays ?? before.periodWindowDays,
      expiry: change.expiry ?? before.expiry,
      useAllowlist,
      merchantAllowlist: allowlist(useAllowlist, change.merchantAllowlist ?? before.merchantAllowlist),
    };
    // An expired wallet may be renamed; a new expiry must lie ahead.
    assertValid(rules, change.expiry ? await databaseNow(tx) : new Date(0));
    const more = rules.merchantAllowlist.length - before.merchantAllowlist.length;
    if (more > 0) {
      const holdings = await this.wallets.holdingsOf(before.accountId, tx);
      assertRoom(holdings, { wallets: 0, allowlistEntries: more });
    }
    const settings = {
      ...rules,
      name: change.name ?? before.name,
      controls: changedControls(before.controls, change.controls ?? {}),
    };
    return Object.fromEntries(
      Object.entries(settings).filter(
        ([field, value]) => !isDeepStrictEqual(value, before[field as keyof typeof settings]),
      ),
    );
  }

  private async applySettings(
    before: Wallet,
    settings: Partial<WalletSettings>,
    userId: string,
    tx: Tx,
  ): Promise<Wallet> {
    const fields = Object.keys(settings) as (keyof WalletSettings)[];
    if (fields.length === 0) return before;
    const at = await this.store.timeOfChange([before], tx);
    const after = await this.store.change(before, settings, at, tx);
    const own = fields.filter((field) => field !== 'controls');
    const of = (wallet: Wallet) => Object.fromEntries(own.map((field) => [field, wallet[field]]));
    const controls = controlsDiffering(before.controls, after.controls);
    const change = {
      walletId: before.id,
      userId,
      action: 'updated',
      before: { ...of(before), ...controls.before },
      after: { ...of(after), ...controls.after },
    };
    await this.store.record([change], at, tx);
    if (settings.controls !== undefined) {
      const changed = { walletId: before.id, before: before.controls, after: after.controls };
      await this.events.publish([new WalletControlsChanged(changed)], tx);
    }
    return after;
  }

  suspend(walletId: string, actor: Actor): Promise<OwnersWallet> {
    return this.setStatus(walletId, actor, 'SUSPENDED', 'suspended');
  }

  /** Throws `WALLET_CLOSED`. */
  resume(walletId: string, actor: Actor): Promise<OwnersWallet> {
    return this.setStatus(walletId, actor, 'ACTIVE', 'resumed');
  }

  private setStatus(
    walletId: string,
    actor: Actor,
    status: WalletStatus,
    action: string,
  ): Promise<OwnersWallet> {
    const act = status === 'ACTIVE' ? 'wallets.change' : 'wallets.suspend';
    return this.database.transaction(async (tx) => {
      const before = await this.store.lock(walletId, actor, act, tx);
      assertOpen(before);
      const [after] = await this.changeStatus({ status, action }, [before], actor.userId, tx);
      return this.shown(after as Wallet, tx);
    });
  }

  async suspendAsOperator(wallets: readonly Wallet[], operatorId: string, tx: Tx): Promise<void> {
    const move = { status: 'SUSPENDED', action: 'suspended by an operator', isByOperator: true } as const;
    await this.changeStatus(move, wallets, operatorId, tx);
  }

  /** All or none. Returns their ids. */
  async suspendAll(actor: Actor): Promise<readonly string[]> {
    return this.database.transaction(async (tx) => {
      const active = await this.store.lockActive(actor, 'wallets.suspend', tx);
      const move = { status: 'SUSPENDED', action: 'suspended', isAll: true } as const;
      await this.changeStatus(move, active, actor.userId, tx);
      return active.map(({ id }) => id);
    });
  }

  /** All or none; returns those that were suspended. Throws `WALLET_NOT_FOUND` and `WALLET_CLOSED`. */
  async resumeAll(walletIds: readonly string[], actor: Actor): Promise<readonly string[]> {
    const ids = [...new Set(walletIds)];
    return this.database.transaction(async (tx) => {
      const wallets = await this.store.lockAll(ids, actor, 'wallets.change', tx);
      wallets.forEach(assertOpen);
      await this.changeStatus({ status: 'ACTIVE', action: 'resumed' }, wallets, actor.userId, tx);
      return wallets.filter(({ status }) => status === 'SUSPENDED').map(({ id }) => id);
    });
  }

  async close(wallet: Wallet, userId: string, tx: Tx): Promise<Wallet> {
    const [closed] = await this.changeStatus({ status: 'CLOSED', action: 'closed' }, [wallet], userId, tx);
    return closed as Wallet;
  }

  private async changeStatus(
    { status, action, isAll = false, isByOperator = false }: StatusMove,
    wallets: readonly Wallet[],
    userId: string,
    tx: Tx,
  ): Promise<readonly Wallet[]> {
    if (status === 'ACTIVE') wallets.forEach(assertReleased);
    const moving = wallets.filter((wallet) => wallet.status !== status);
    if (moving.length === 0) return wallets;
    const at = await this.store.timeOfChange(moving, tx);
    const suspendedAllAt = isAll ? at : null;
    await this.store.setStatus(moving, { status, suspendedAllAt }, at, tx);
    await this.store.record(
      moving.map(({ id, status: before }) => ({
        walletId: id,
        userId,
        action,
        before: { status: before },
        after: { status },
        isByOperator,
      })),
      at,
      tx,
    );
    await this.events.publish(
      moving.map(
        ({ id, status: before }) => new WalletStatusChanged({ walletId: id, before, after: status, at }),
      ),
      tx,
    );
    return wallets.map((wallet) =>
      wallet.status === status
        ? wallet
        : { ...wallet, status, suspendedAllAt, version: wallet.version + 1, updatedAt: at },
    );
  }

  /** Returns one page, newest first. Throws `WALLET_NOT_FOUND`. */
  async changesOf(walletId: string, accountId: string, request: PageRequest): Promise<Page<ListedChange>> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    return this.store.changesOf(id, request);
  }

  /** Not read after the commit: a failed read would deny the change. */
  async shown(wallet: Wallet, tx: Tx): Promise<OwnersWallet> {
    return { ...wallet, businessId: await this.businesses.idOf(wallet.accountId, tx) };
  }
}

function versionConflict(version: number): AppError {
  return new AppError(
    'VERSION_CONFLICT',
    `The wallet was changed in the meantime: its version is ${version}. Read it again, then change it.`,
  );
}
