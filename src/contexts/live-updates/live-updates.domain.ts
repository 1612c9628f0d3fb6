import type { AttemptSummary, AttemptRange } from '../payments/payments.port.js';
import type { WalletState } from '../wallet/wallet-activity.port.js';

/** Change of a user's data; clients that show it read it again. */
export type Change =
  /** New or changed attempt. Null: several of the wallet. */
  | { readonly type: 'payment'; readonly walletId: string; readonly transactionId: string | null }
  /** The withdrawal was paid out or returned. */
  | { readonly type: 'withdrawal'; readonly walletId: string; readonly withdrawalId: string }
  /** A key was used. */
  | { readonly type: 'key'; readonly walletId: string }
  /** The payments that wait for approval changed. */
  | { readonly type: 'approval'; readonly walletId: string }
  /** Settings, status, name, keys or payees; or a new wallet. */
  | { readonly type: 'wallet'; readonly walletId: string }
  /** Balance and ledger. */
  | { readonly type: 'ledger'; readonly walletId: string }
  /** Webhook endpoint or its deliveries. */
  | { readonly type: 'delivery'; readonly endpointId: string };

export interface Snapshot {
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** Fingerprint of each webhook endpoint and its deliveries. */
  readonly endpoints: ReadonlyMap<string, string>;
}

export function changesBetween(before: Snapshot, after: Snapshot): Change[] {
  const changes: Change[] = [];
  for (const [walletId, { changeCount, entryCount, heldCount, returnCount, keysUsedAt }] of after.wallets) {
    const known = before.wallets.get(walletId);
    if (known?.changeCount !== changeCount) changes.push({ type: 'wallet', walletId });
    if (entryCount !== (known?.entryCount ?? 0)) changes.push({ type: 'ledger', walletId });
    // Returns are rare, so which one is not read. Withdrawals are shown with the ledger.
    if (returnCount !== (known?.returnCount ?? 0)) {
      changes.push({ type: 'payment', walletId, transactionId: null }, { type: 'ledger', walletId });
    }
    if (heldCount !== (known?.heldCount ?? 0)) changes.push({ type: 'approval', walletId });
    if (keysUsedAt !== (known?.keysUsedAt ?? 0)) changes.push({ type: 'key', walletId });
  }
  for (const endpointId of new Set([...before.endpoints.keys(), ...after.endpoints.keys()])) {
    if (before.endpoints.get(endpointId) !== after.endpoints.get(endpointId)) {
      changes.push({ type: 'delivery', endpointId });
    }
  }
  return changes;
}

export function attemptsBetween(before: Snapshot, after: Snapshot): AttemptRange[] {
  return [...after.wallets.values()].flatMap(({ walletId, attemptCount }) => {
    const known = before.wallets.get(walletId)?.attemptCount ?? 0;
    return attemptCount > known ? [{ walletId, after: known, upTo: attemptCount }] : [];
  });
}

/** Null: too many to read. The pending count proves nothing: a new attempt may replace a decided one. */
export function changesByAttempts(
  walletId: string,
  attempts: readonly Pick<AttemptSummary, 'id' | 'isReviewed'>[] | null,
): Change[] {
  const payments: Change[] = attempts
    ? attempts.map(({ id }) => ({ type: 'payment', walletId, transactionId: id }))
    : [{ type: 'payment', walletId, transactionId: null }];
  const wasAsked = !attempts || attempts.some(({ isReviewed }) => isReviewed);
  return wasAsked ? [...payments, { type: 'approval', walletId }] : payments;
}

const PAUSE_MS_MAX = 3_000;

/** Milliseconds to pause after a read of `readMs`: reading takes a tenth of the time. */
export function pauseAfterRead(readMs: number): number {
  return Math.min(9 * readMs, PAUSE_MS_MAX);
}

export interface StreamHolder {
  readonly userId: string;
  /** Part of the client's address that it cannot change at will. */
  readonly network: string;
}

/**
 * The newest stream of the largest user in the largest network. Undefined if the newcomer would have as many.
 */
export function streamToEnd<Stream>(
  open: readonly (readonly [Stream, StreamHolder])[],
  newcomer: StreamHolder,
): readonly [Stream, StreamHolder] | undefined {
  const ofNetwork = largestShare(open, 'network', newcomer);
  const ofUser = largestShare(ofNetwork ?? open, 'userId', newcomer);
  return (ofUser ?? ofNetwork)?.at(-1);
}

function largestShare<Stream>(
  open: readonly (readonly [Stream, StreamHolder])[],
  key: keyof StreamHolder,
  newcomer: StreamHolder,
): (readonly [Stream, StreamHolder])[] | undefined {
  const groups = Map.groupBy(open, ([, holder]) => holder[key]);
  const [largest = []] = [...groups.values()].sort((a, b) => b.length - a.length);
  const own = groups.get(newcomer[key])?.length ?? 0;
  return largest.length > own + 1 ? largest : undefined;
}
