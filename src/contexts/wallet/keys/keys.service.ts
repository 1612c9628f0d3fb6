import { Injectable } from '@nestjs/common';
import type { Actor } from '../../identity/identity.port.js';
import { databaseNow } from '../../../platform/database/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Queryable, Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { AppError, validationError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { Kobo } from '../../../kernel/money.js';
import { merchantIdentity } from '../../../kernel/text.js';
import { assertOpen } from '../open-wallet.port.js';
import { ControlsStore, type NewChange } from '../controls/controls.store.js';
import { newApiKey } from '../wallet.domain.js';
import type { ApiKey, Wallet } from '../wallet.entity.js';
import { ApiKeyAdded } from '../wallet.events.js';
import type { RequiredOfPayment } from '../wallet.port.js';
import { WalletStore } from '../wallet.store.js';
import {
  inheritedLineage,
  type KeyLeft,
  type KeyLimitsRequest,
  leftOf,
  lineageOf,
  narrowed,
} from './keys.domain.js';
import { KeysStore, type ListedKey } from './keys.store.js';
import { KeyUsages } from './key-usages.port.js';

const LIVE_KEYS_MAX = 50;
const KEYS_MAX = 10_000;

export interface KeyRequest {
  readonly name: string;
  /** Null: no expiry. */
  readonly expiresAt: Date | null;
  /** Seconds that replaced keys live on; null: it replaces none. */
  readonly graceSeconds: number | null;
  /** The key it replaces; null: with `graceSeconds` all live ones. */
  readonly replaces: string | null;
  /** True: as old as the oldest replaced key; else it cools off. */
  readonly inheritAge: boolean;
  /** Null: only the wallet's limits. */
  readonly limits: KeyLimitsRequest | null;
  readonly purpose: string | null;
  readonly requires: readonly RequiredOfPayment[];
  readonly secondApprovalAbove: Kobo | null;
}

export type KeyState = ListedKey & {
  readonly status: 'active' | 'expired' | 'revoked';
  /** Set only if the key has limits. */
  readonly left?: KeyLeft;
};

@Injectable()
export class KeysService {
  constructor(
    private readonly store: KeysStore,
    private readonly usages: KeyUsages,
    private readonly wallets: WalletStore,
    private readonly controls: ControlsStore,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /**
   * Ends replaced keys after their grace, all or nothing. `fullKey` is shown only here.
   * Throws `WALLET_NOT_FOUND`, `WALLET_CLOSED`, `KEY_NOT_FOUND`, `KEY_LIMIT_REACHED`, `VALIDATION_ERROR`.
   */
  async create(
    walletId: string,
    actor: Actor,
    {
      name,
      expiresAt,
      graceSeconds,
      replaces,
      purpose,
      requires,
      secondApprovalAbove,
      inheritAge,
      ...request
    }: KeyRequest,
  ): Promise<KeyState & { readonly fullKey: string }> {
    if (replaces !== null && graceSeconds === null) {
      // Required: the key may be leaked and must not live on by default.
      throw validationError({ field: 'replaces', message: 'needs graceSeconds: 0 ends that key at once' });
    }
    if (inheritAge && graceSeconds === null) {
      throw validationError({ field: 'inheritAge', message: 'needs graceSeconds: the key replaces none' });
    }
    const { userId } = actor;
    const { fullKey, ...secret } = newApiKey();
    return this.database.transaction(async (tx) => {
      const wallet = await this.controls.lock(walletId, actor, 'keys.manage', tx);
      assertOpen(wallet);
      const at = await this.controls.timeOfChange([wallet], tx);
      if (expiresAt && expiresAt <= at) {
        throw validationError({ field: 'expiresAt', message: 'must lie in the future' });
      }
      const limits = narrowed(request.limits, wallet, at);
      const live = await this.store.live(wallet.id, tx);
      const replaced = graceSeconds === null ? [] : await this.replaced(wallet, replaces, live, tx);
      const ending = replaced.filter(({ id }) => live.some((key) => key.id === id));
      if (inheritAge && ending.length === 0) {
        throw validationError({ field: 'inheritAge', message: 'the key replaces none that pays' });
      }
      const count = await this.store.count(wallet.id, tx);
      if (live.length - (graceSeconds === 0 ? ending.length : 0) >= LIVE_KEYS_MAX || count >= KEYS_MAX) {
        throw new AppError(
          'KEY_LIMIT_REACHED',
          `A wallet can have ${LIVE_KEYS_MAX} keys that pay, and ${KEYS_MAX} in its life.`,
        );
      }
      const predecessor = inheritAge ? await this.store.oldest(ending, tx) : null;
      const id = newId();
      const key: ApiKey = {
        ...secret,
        ...predecessor,
        id,
        walletId: wallet.id,
        limits,
        allowedMerchants: limits?.allowedMerchants?.map(merchantIdentity) ?? null,
        lineage: inheritedLineage({ id, walletId: wallet.id, limits }, replaced),
        purpose,
        requires: requires.length > 0 ? requires : null,
        secondApprovalAbove,
        madeByUserId: userId,
        name,
        expiresAt,
        lastUsedAt: null,
        createdAt: at,
        revokedAt: null,
      };
      await this.store.add(key, tx);
      const isLimited = limits !== null;
      const added = { walletId: wallet.id, keyId: id, isLimited, inheritsFrom: predecessor?.id ?? null };
      await this.events.publish([new ApiKeyAdded(added)], tx);
      const made = {
        keyId: key.id,
        name,
        expiresAt,
        ...(limits && { limits }),
        ...(purpose && { purpose }),
        ...(requires.length > 0 && { requires }),
        ...(secondApprovalAbove !== null && { secondApprovalAbove }),
        ...(inheritAge && { inheritAge }),
      };
      const changes = [change(wallet, userId, 'key.created', {}, made)];
      for (const old of ending) {
        const [scope] = lineageOf(key);
        const known = lineageOf(old);
        // Until it ends, both may be asked for the same payment.
        if (scope && !known.includes(scope)) await this.store.extendLineage(old.id, [...known, scope], tx);
        changes.push(...(await this.retire(old, wallet, userId, graceSeconds ?? 0, at, tx)));
      }
      await this.record(wallet, changes, at, tx);
      return { ...(await this.stateIn(tx, key, at)), fullKey };
    });
  }

  /** A named one may have ended: its payments must not be repeated. */
  private async replaced(
    wallet: Wallet,
    replaces: string | null,
    live: readonly ApiKey[],
    tx: Tx,
  ): Promise<readonly ApiKey[]> {
    return replaces === null ? live : [await this.store.find(replaces, wallet.id, tx)];
  }

  private async retire(
    key: ApiKey,
    wallet: Wallet,
    userId: string,
    graceSeconds: number,
    at: Date,
    tx: Tx,
  ): Promise<readonly NewChange[]> {
    const { id: keyId, expiresAt: before } = key;
    if (graceSeconds === 0) {
      await this.store.revoke(keyId, at, tx);
      return [change(wallet, userId, 'key.revoked', { keyId, revokedAt: null }, { keyId, revokedAt: at })];
    }
    const expiresAt = new Date(at.getTime() + graceSeconds * 1_000);
    if (before && before <= expiresAt) return [];
    await this.store.expire(keyId, expiresAt, tx);
    return [change(wallet, userId, 'key.replaced', { keyId, expiresAt: before }, { keyId, expiresAt })];
  }

  /** Throws `WALLET_NOT_FOUND`. */
  async list(walletId: string, accountId: string): Promise<readonly KeyState[]> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    const [now, keys] = await Promise.all([databaseNow(this.database), this.store.list(id)]);
    return this.withLeft(
      keys.map((key) => stateOf(key, now)),
      this.database.reads,
    );
  }

  private async stateIn(tx: Tx, key: ApiKey, at: Date): Promise<KeyState> {
    const [state] = await this.withLeft([stateOf(key, at)], tx);
    return state as KeyState;
  }

  private async withLeft(keys: readonly KeyState[], from: Queryable): Promise<KeyState[]> {
    const limited = keys.flatMap(({ id: keyId, walletId, limits }) =>
      limits ? [{ walletId, keyId, days: limits.periodWindowDays ?? 0 }] : [],
    );
    if (limited.length === 0) return [...keys];
    const usages = await this.usages.usageOf(limited, from);
    return keys.map((key) => {
      const usage = usages.get(key.id);
      return key.limits && usage ? { ...key, left: leftOf(key.limits, usage) } : key;
    });
  }

  /** Throws `WALLET_NOT_FOUND` and `KEY_NOT_FOUND`. */
  rename(walletId: string, actor: Actor, keyId: string, name: string): Promise<KeyState> {
    return this.database.transaction(async (tx) => {
      const wallet = await this.controls.lock(walletId, actor, 'keys.manage', tx);
      const key = await this.store.find(keyId, wallet.id, tx);
      const at = await this.controls.timeOfChange([wallet], tx);
      if (key.name === name) return this.stateIn(tx, key, at);
      await this.store.rename(key.id, name, tx);
      const [before, after] = [
        { keyId: key.id, name: key.name },
        { keyId: key.id, name },
      ];
      await this.record(wallet, [change(wallet, actor.userId, 'key.renamed', before, after)], at, tx);
      return this.stateIn(tx, { ...key, name }, at);
    });
  }

  /** Holds for payments that begin later; repeatable. Throws `WALLET_NOT_FOUND` and `KEY_NOT_FOUND`. */
  revoke(walletId: string, actor: Actor, keyId: string): Promise<KeyState> {
    return this.database.transaction(async (tx) => {
      const wallet = await this.controls.lock(walletId, actor, 'keys.manage', tx);
      const key = await this.store.find(keyId, wallet.id, tx);
      const at = await this.controls.timeOfChange([wallet], tx);
      if (key.revokedAt) return this.stateIn(tx, key, at);
      await this.record(wallet, await this.retire(key, wallet, actor.userId, 0, at, tx), at, tx);
      return this.stateIn(tx, { ...key, revokedAt: at }, at);
    });
  }

  private async record(wallet: Wallet, changes: readonly NewChange[], at: Date, tx: Tx): Promise<void> {
    await this.controls.touch(wallet, at, tx);
    await this.controls.record(changes, at, tx);
  }
}

function change(
  { id: walletId }: Wallet,
  userId: string,
  action: string,
  before: object,
  after: object,
): NewChange {
  return { walletId, userId, action, before, after };
}

function stateOf(key: ListedKey, now: Date): KeyState {
  const isExpired = key.expiresAt !== null && key.expiresAt <= now;
  return { ...key, status: key.revokedAt ? 'revoked' : isExpired ? 'expired' : 'active' };
}
