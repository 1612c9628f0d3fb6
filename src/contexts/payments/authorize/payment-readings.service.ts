import { Injectable } from '@nestjs/common';
import { filterMap } from '../../../kernel/mapped.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import type { LimitedKey } from '../../wallet/keys/key-usages.port.js';
import type { SpendAccess } from '../../wallet/wallet.port.js';
import { type AttemptsDecided, PaymentApproved } from '../payments.events.js';
import { type HistoryRef, PaymentsStore, type WindowQuery } from '../payments.store.js';
import { CoolingOffStore } from '../rules/cooling-off/cooling-off.store.js';
import {
  type PurchaseIdentity,
  purchaseIdentity,
  purchaseText,
} from '../rules/duplicate-guard/duplicate-guard.domain.js';
import { RecentPurchasesStore } from '../rules/duplicate-guard/recent-purchases.store.js';
import { KeyLimitsStore } from '../rules/key-limits/key-limits.store.js';
import { PayeeRecordsStore } from '../rules/payees/payee-records.store.js';
import { type PayeeQuery, payeeQuery, readsPayees } from '../rules/payees/payees.domain.js';
import { isWindowCurrent, latestOf } from '../spending-wallet.domain.js';
import { type KnownKey, KnownKeys } from './known-keys.js';
import { guardMinutesOf, type PaymentRequest } from './payments.aggregate.js';
import { NOTHING_READ, type Readings, readingsByWallet } from './readings.domain.js';

interface ReadingQuery {
  readonly wallet: WindowQuery;
  readonly needsWindow: boolean;
  readonly idempotencyKey: string | null;
  /** Null: a key without limits. */
  readonly historyId: string | null;
  /** Null: a key without limits. */
  readonly limitedKey: LimitedKey | null;
  /** Null: the duplicate guard is off. */
  readonly purchase: PurchaseIdentity | null;
  /** Null: no rule reads payees. */
  readonly payee: PayeeQuery | null;
}

export interface BatchReadings {
  readonly access: readonly SpendAccess[];
  /** Predictions by which the first round trip read. */
  readonly predictedKeys: readonly (KnownKey | undefined)[];
  readonly readings: readonly Readings[];
}

@Injectable()
export class PaymentReadings {
  private readonly knownKeys = new KnownKeys();

  constructor(
    private readonly store: PaymentsStore,
    private readonly keyLimits: KeyLimitsStore,
    private readonly payees: PayeeRecordsStore,
    private readonly coolingOff: CoolingOffStore,
    private readonly purchases: RecentPurchasesStore,
    private readonly events: Events,
  ) {}

  /**
   * Reads all inputs of the decisions: what known keys will need in the round trip of `accessing`, the rest in a
   * second one.
   */
  async read(
    requests: readonly PaymentRequest[],
    accessing: Promise<readonly SpendAccess[]>,
    tx: Tx,
  ): Promise<BatchReadings> {
    const predictedKeys = this.knownKeys.of(requests);
    const [access, prefetched] = await Promise.all([
      accessing,
      this.readAll(
        filterMap(requests, (request, i): ReadingQuery | undefined => {
          const predicted = predictedKeys[i];
          if (!predicted) return undefined;
          const { wallet, keyId, historyId, windowHoldsUntil: until } = predicted;
          const payee = predicted.readsPayees ? payeeQuery(request, wallet.id, keyId, historyId) : null;
          const purchase = predicted.isGuarded ? purchaseIdentity(wallet.id, keyId, request) : null;
          const needsWindow = until !== null && until <= Date.now();
          const limitedKey =
            historyId === null ? null : { walletId: wallet.id, keyId, days: predicted.windowDays };
          const { idempotencyKey } = request;
          return { wallet, needsWindow, idempotencyKey, historyId, limitedKey, payee, purchase };
        }),
        tx,
      ),
    ]);
    const readings = readingsByWallet([prefetched]);
    const misses = filterMap(requests, (request, i): ReadingQuery | undefined => {
      const found = access[i];
      if (found?.kind !== 'locked') return undefined;
      const { wallet, key } = found;
      const predicted = predictedKeys[i];
      const isPredicted = predicted?.wallet.id === wallet.id;
      const walletId = wallet.id;
      const { windows, keyUsages } = readings.get(walletId) ?? NOTHING_READ;
      const days = key.limited?.limits.periodWindowDays ?? 0;
      const isUsageRead =
        !key.limited || keyUsages.some((usage) => usage.keyId === key.id && usage.days === days);
      const limitedKey = isUsageRead ? null : { walletId, keyId: key.id, days };
      // A usage read now may be later than a window that was current until then.
      const needsWindow =
        !isUsageRead ||
        (!isWindowCurrent(wallet, latestOf(wallet.now, keyUsages)) &&
          windows[0]?.days !== wallet.periodWindowDays);
      const needsPayee = readsPayees(wallet) && !(isPredicted && predicted.readsPayees);
      const needsPurchase = guardMinutesOf(request, wallet) > 0 && !(isPredicted && predicted.isGuarded);
      if (isPredicted && !needsWindow && !needsPayee && !needsPurchase) return undefined;
      const purchase = needsPurchase ? purchaseIdentity(walletId, key.id, request) : null;
      const historyId = key.limited?.historyId ?? null;
      const payee = needsPayee ? payeeQuery(request, walletId, key.id, historyId) : null;
      const { idempotencyKey } = request;
      return { wallet, needsWindow, idempotencyKey, historyId, limitedKey, payee, purchase };
    });
    return { access, predictedKeys, readings: [prefetched, await this.readAll(misses, tx)] };
  }

  remember(
    requests: readonly PaymentRequest[],
    { access, predictedKeys }: BatchReadings,
    outcomes: readonly AttemptsDecided[],
  ): void {
    this.knownKeys.remember(requests, access, predictedKeys, outcomes);
  }

  private async readAll(queries: readonly ReadingQuery[], tx: Tx): Promise<Readings> {
    if (queries.length === 0) return NOTHING_READ;
    const wallets = new Set<string>();
    const unread = new Map<string, WindowQuery>();
    const limited = new Map<string, LimitedKey>();
    const keyed: { walletId: string; idempotencyKey: string }[] = [];
    const lines = new Map<string, HistoryRef>();
    const paying: PayeeQuery[] = [];
    const guarded = new Map<string, PurchaseIdentity>();
    for (const { wallet, needsWindow, idempotencyKey, historyId, limitedKey, payee, purchase } of queries) {
      wallets.add(wallet.id);
      if (needsWindow) unread.set(wallet.id, wallet);
      if (limitedKey) limited.set(limitedKey.keyId, limitedKey);
      if (idempotencyKey !== null) keyed.push({ walletId: wallet.id, idempotencyKey });
      if (historyId !== null) lines.set(historyId, { walletId: wallet.id, id: historyId });
      if (payee) paying.push(payee);
      if (purchase) guarded.set(purchaseText(purchase), purchase);
    }
    const prefetching = this.events.prefetch(PaymentApproved, [...wallets], tx);
    if (unread.size + limited.size + keyed.length + lines.size + paying.length + guarded.size === 0) {
      await prefetching;
      return NOTHING_READ;
    }
    // In this order: a window is read no earlier than a key's usage.
    const [keyUsages, windows, idempotencyRecords, histories, payees, cooling, purchases] = await Promise.all(
      [
        limited.size > 0 ? this.keyLimits.usageOf([...limited.values()], tx) : undefined,
        unread.size > 0 ? this.store.windows([...unread.values()], tx) : [],
        keyed.length > 0 ? this.store.usesOf(keyed, tx) : [],
        lines.size > 0 ? this.store.histories([...lines.values()], tx) : [],
        paying.length > 0 ? this.payees.read(paying, tx) : [],
        paying.length > 0 ? this.coolingOff.read(paying, tx) : NOTHING_READ,
        guarded.size > 0 ? this.purchases.newest([...guarded.values()], tx) : [],
        prefetching,
      ],
    );
    const { coolingAccounts, coolingKeys } = cooling;
    const usages = keyUsages ? [...keyUsages.values()] : [];
    return {
      windows,
      keyUsages: usages,
      idempotencyRecords,
      histories,
      payees,
      coolingAccounts,
      coolingKeys,
      purchases,
    };
  }
}
