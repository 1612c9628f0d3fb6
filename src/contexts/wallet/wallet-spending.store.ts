import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { growingTo } from '../../kernel/growing-to.js';
import { mapped } from '../../kernel/mapped.js';
import type { Tx } from '../../platform/database/tx.js';
import type { AttemptsDecided, PaymentApproved } from '../payments/payments.events.js';
import { KeyUsageStore } from './keys/key-usage.store.js';
import {
  type KeyLockedRow,
  type KeyRow,
  LOCK_BY_ID,
  LOCK_OF_KEY,
  LOCK_OR_SKIP,
  LOCK_OR_WAIT,
  READ_UNLOCKED,
  type LockedRow,
  STILL_LIVE,
  WALLET_OF_KEY,
} from './lock-statements.js';
import { keysOf, type RequestKeys } from './request-keys.js';
import {
  type CreditedWallet,
  merchantPaid,
  type NewMerchant,
  RECORD_ATTEMPTS,
  REMEMBER_MERCHANTS,
} from './spending-statements.js';
import {
  type KeyHash,
  keyHashBytes,
  type LockedWallet,
  SpendableWallets,
  type SpendAccess,
  type SpendingKey,
  type SpendRequest,
} from './wallet.port.js';

export interface BalanceChange {
  readonly walletId: string;
  readonly amount: number;
}

const MERCHANTS_KNOWN_MAX = 50_000;

@Injectable()
export class WalletSpendingStore extends SpendableWallets {
  private readonly entryCounts = new WeakMap<Tx, Map<string, number>>();
  private readonly knownMerchants = new LRUCache<string, true>(growingTo(MERCHANTS_KNOWN_MAX));

  constructor(private readonly keyUsage: KeyUsageStore) {
    super();
  }

  async lockForSpending(
    requests: readonly SpendRequest[],
    wait: boolean,
    tx: Tx,
  ): Promise<readonly SpendAccess[]> {
    const keys = keysOf(requests);
    const [keyHash] = keys.hashes;
    const access = await (keyHash && keys.hashes.length === 1 && !wait
      ? this.lockOfKey(keyHash, requests, tx)
      : wait
        ? this.severalInTurn(keys, requests, tx)
        : this.several(LOCK_OR_SKIP, keys, requests, tx));
    for (const [i, hash] of keys.hashes.entries()) {
      const found = access[keys.firsts[i] as number];
      if (found?.kind === 'locked') this.keyUsage.touch(hash, found.wallet.now);
    }
    return access;
  }

  readUnlocked(requests: readonly SpendRequest[], tx: Tx): Promise<readonly SpendAccess[]> {
    return this.several(READ_UNLOCKED, keysOf(requests), requests, tx);
  }

  private async lockOfKey(
    keyHash: KeyHash,
    requests: readonly SpendRequest[],
    tx: Tx,
  ): Promise<SpendAccess[]> {
    const [row] = await tx.query<KeyLockedRow>(LOCK_OF_KEY, [
      keyHashBytes(keyHash),
      mapped(requests, ({ merchant }) => merchant),
    ]);
    if (row) {
      const found = accessBy(row, this.lockedBy(tx, row));
      return mapped(requests, (_, i) => found(i + 1));
    }
    const [held] = await tx.query<{ walletId: string }>(WALLET_OF_KEY, [keyHashBytes(keyHash)]);
    return mapped(requests, () =>
      held ? { kind: 'locked-elsewhere', walletId: held.walletId } : { kind: 'no-such-key' },
    );
  }

  private async several(
    statement: string,
    { hashes, numbers }: RequestKeys,
    requests: readonly SpendRequest[],
    tx: Tx,
  ): Promise<SpendAccess[]> {
    const rows = await tx.query<KeyRow>(statement, [
      mapped(hashes, keyHashBytes),
      numbers,
      mapped(requests, ({ merchant }) => merchant),
    ]);
    const wallets = new Map<string, LockedWallet>();
    const found: ((requestNumber: number) => SpendAccess)[] = [];
    for (const row of rows) {
      const { keyNumber, walletId, isLocked } = row;
      if (!isLocked) {
        found[keyNumber] = () => ({ kind: 'locked-elsewhere', walletId });
        continue;
      }
      // Keys of one wallet share it.
      const wallet = wallets.get(walletId) ?? this.lockedBy(tx, row);
      wallets.set(walletId, wallet);
      found[keyNumber] = accessBy(row, wallet);
    }
    return mapped(numbers, (number, i) => found[number]?.(i + 1) ?? { kind: 'no-such-key' });
  }

  /** Keys must still be live after waiting. */
  private async severalInTurn(
    keys: RequestKeys,
    requests: readonly SpendRequest[],
    tx: Tx,
  ): Promise<SpendAccess[]> {
    const [found, rows] = await Promise.all([
      this.several(LOCK_OR_WAIT, keys, requests, tx),
      tx.query<{ keyNumber: number }>(STILL_LIVE, [mapped(keys.hashes, keyHashBytes)]),
    ]);
    const live = new Set(mapped(rows, ({ keyNumber }) => keyNumber));
    return mapped(found, (access, i) =>
      live.has(keys.numbers[i] as number) ? access : { kind: 'no-such-key' },
    );
  }

  async lockById(walletId: string, tx: Tx): Promise<LockedWallet> {
    const [row] = await tx.query<LockedRow>(LOCK_BY_ID, [walletId]);
    if (!row) throw new Error(`the wallet ${walletId} does not exist`);
    return this.lockedBy(tx, row);
  }

  private lockedBy(tx: Tx, row: LockedRow): LockedWallet {
    const { walletId: id, attemptCount, blockedCount, entryCount, windowDays, windowSpent, windowFrom } = row;
    const entryCounts = this.entryCounts.get(tx) ?? new Map<string, number>();
    this.entryCounts.set(tx, entryCounts.set(id, entryCount));
    const window = windowDays === null ? null : { days: windowDays, spent: windowSpent, from: windowFrom };
    const totals = { attemptCount, blockedCount, spentTotal: BigInt(row.spentTotal), window };
    return {
      id,
      status: row.status,
      expiry: row.expiry,
      balance: row.balance,
      held: row.held,
      heldCount: row.heldCount,
      spendLimitPerTx: row.spendLimitPerTx,
      spendLimitPeriod: row.spendLimitPeriod,
      periodWindowDays: row.periodWindowDays,
      useAllowlist: row.useAllowlist,
      now: row.now,
      totals,
      ...(row.controls && { controls: row.controls }),
    };
  }

  entryCountOf(walletId: string, tx: Tx): number {
    const count = this.entryCounts.get(tx)?.get(walletId);
    if (count === undefined) throw new Error(`the wallet ${walletId} is not locked for spending`);
    return count;
  }

  /** PostgreSQL computes balances again; a difference breaks `wallets_balance_range`. */
  recordAttempts(decided: readonly AttemptsDecided[], tx: Tx): void {
    tx.writeRows(
      RECORD_ATTEMPTS,
      mapped(decided, ({ walletId, approved, spent, balanceAfter, held, heldCount, at, totals }) => ({
        walletId,
        approved,
        spent,
        balanceAfter,
        held,
        heldCount,
        at,
        attemptCount: totals.attemptCount,
        blockedCount: totals.blockedCount,
        spentTotal: totals.spentTotal,
        windowDays: totals.window?.days ?? null,
        windowSpent: totals.window?.spent ?? 0,
        windowFrom: totals.window?.from ?? null,
      })),
    );
  }

  /** Not spend, so its window stays. Returns the entry's number and time. */
  async debit(
    { walletId, amount, balanceAfter }: BalanceChange & { readonly balanceAfter: number },
    tx: Tx,
  ): Promise<{ readonly seq: number; readonly at: Date }> {
    const [debited] = await tx.query<{ seq: number; at: Date }>(
      `UPDATE wallets SET balance = CASE WHEN balance - $2::bigint = $3::bigint THEN $3::bigint ELSE -1 END,
              entry_count = entry_count + 1,
              updated_at = greatest(updated_at, date_trunc('milliseconds', clock_timestamp()))
        WHERE id = $1 RETURNING entry_count AS seq, updated_at AS at`,
      [walletId, amount, balanceAfter],
    );
    if (!debited) throw new Error(`the wallet ${walletId} does not exist`);
    return debited;
  }

  /**
   * Locks in id order. The window is read again before the next payment, as a refund may change it. Throws a
   * violation of `wallets_balance_range` past the largest balance.
   */
  async credit(
    changes: readonly (BalanceChange & { readonly entries: number })[],
    tx: Tx,
  ): Promise<Map<string, CreditedWallet>> {
    const ids = changes.map(({ walletId }) => walletId);
    await tx.query('SELECT id FROM wallets WHERE id = ANY ($1) ORDER BY id FOR UPDATE', [ids]);
    const rows = await tx.query<CreditedWallet & { id: string }>(
      `UPDATE wallets w SET balance = w.balance + c.amount, entry_count = w.entry_count + c.entries, window_days = NULL,
              updated_at = greatest(w.updated_at, date_trunc('milliseconds', clock_timestamp()))
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS c (id, amount, entries)
        WHERE w.id = c.id RETURNING w.id, w.balance, w.entry_count AS "entryCount", w.updated_at AS at,
                w.status`,
      [ids, changes.map(({ amount }) => amount), changes.map(({ entries }) => entries)],
    );
    return new Map(rows.map(({ id, ...change }) => [id, change]));
  }

  remember(payments: readonly PaymentApproved[], tx: Tx): void {
    const first = new Map<string, NewMerchant>();
    let last: PaymentApproved | undefined;
    for (const payment of payments) {
      if (payment.details.merchant === last?.details.merchant && payment.walletId === last.walletId) continue;
      last = payment;
      const key = `${payment.walletId} ${payment.details.merchant}`;
      if (this.knownMerchants.has(key) || first.has(key)) continue;
      first.set(key, merchantPaid(payment));
    }
    if (first.size === 0) return;
    tx.writeRows(REMEMBER_MERCHANTS, [...first.values()]);
    tx.afterCommit(() => {
      for (const key of first.keys()) this.knownMerchants.set(key, true);
    });
  }
}

function accessBy(row: KeyLockedRow, wallet: LockedWallet): (requestNumber: number) => SpendAccess {
  const { keyId: id, purpose, requires, lineage, limits, historyId, keyCreatedAt, listed, keyListed } = row;
  const key: SpendingKey = {
    id,
    purpose,
    lineage,
    ...(requires && { requires }),
    ...(keyCreatedAt && { createdAt: keyCreatedAt }),
  };
  const limited = limits && { limits, historyId: historyId ?? id };
  return (requestNumber) => ({
    kind: 'locked',
    wallet,
    key: limited
      ? {
          ...key,
          limited: { ...limited, ...(keyListed && { onAllowlist: keyListed.includes(requestNumber) }) },
        }
      : key,
    onAllowlist: listed?.includes(requestNumber) ?? false,
  });
}
