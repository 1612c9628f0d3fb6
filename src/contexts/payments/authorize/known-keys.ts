import { LRUCache } from 'lru-cache';
import { growingTo } from '../../../kernel/growing-to.js';
import { mapped } from '../../../kernel/mapped.js';
import type { KeyHash, LockedWallet, SpendAccess } from '../../wallet/wallet.port.js';
import { readsPayees } from '../rules/payees/payees.domain.js';
import type { AttemptsDecided } from '../payments.events.js';
import { windowHoldsUntil } from '../spending-wallet.domain.js';
import { guardMinutesOf, type PaymentRequest } from './payments.aggregate.js';

const KEYS_REMEMBERED_MAX = 10_000;

/** What a key led to when last used. `windowHoldsUntil`: null without end. */
export interface KnownKey {
  readonly wallet: Pick<LockedWallet, 'id' | 'periodWindowDays'>;
  readonly keyId: string;
  /** Null: a key without limits. */
  readonly historyId: string | null;
  /** Days of a limited key's own window; 0: none. */
  readonly windowDays: number;
  readonly windowHoldsUntil: number | null;
  readonly isGuarded: boolean;
  readonly readsPayees: boolean;
}

export class KnownKeys {
  private readonly known = new LRUCache<KeyHash, KnownKey>(growingTo(KEYS_REMEMBERED_MAX));

  of(requests: readonly PaymentRequest[]): (KnownKey | undefined)[] {
    let last: KeyHash | undefined;
    let known: KnownKey | undefined;
    return mapped(requests, ({ keyHash }) => {
      if (last !== keyHash) known = this.known.get(keyHash);
      last = keyHash;
      return known;
    });
  }

  /** Most predictions were right and stay. */
  remember(
    requests: readonly PaymentRequest[],
    access: readonly SpendAccess[],
    predictedKeys: readonly (KnownKey | undefined)[],
    outcomes: readonly AttemptsDecided[],
  ): void {
    const windows = new Map(outcomes.map(({ walletId, totals: { window } }) => [walletId, window]));
    for (const [i, request] of requests.entries()) {
      const found = access[i];
      if (found?.kind !== 'locked') continue;
      const { id, periodWindowDays } = found.wallet;
      const window = windows.get(id);
      const known: KnownKey = {
        wallet: { id, periodWindowDays },
        keyId: found.key.id,
        historyId: found.key.limited?.historyId ?? null,
        windowDays: found.key.limited?.limits.periodWindowDays ?? 0,
        windowHoldsUntil: window ? windowHoldsUntil(window) : null,
        isGuarded: guardMinutesOf(request, found.wallet) > 0,
        readsPayees: readsPayees(found.wallet),
      };
      const predicted = predictedKeys[i];
      if (!predicted || !isSame(predicted, known)) this.known.set(request.keyHash, known);
    }
  }
}

function isSame(predicted: KnownKey, known: KnownKey): boolean {
  return (
    predicted.wallet.id === known.wallet.id &&
    predicted.wallet.periodWindowDays === known.wallet.periodWindowDays &&
    predicted.keyId === known.keyId &&
    predicted.windowHoldsUntil === known.windowHoldsUntil &&
    predicted.isGuarded === known.isGuarded &&
    predicted.readsPayees === known.readsPayees
  );
}
