import type { AttemptMade, AttemptRange } from '../payments/payments.port.js';
import type { WalletState } from '../wallet/wallet-activity.port.js';

/** Something of a user's that changed: clients that show it read it again. */
export type Change =
  /** An attempt was made, or what became of it changed. Null: several of the wallet. */
  | { readonly type: 'payment'; readonly walletId: string; readonly transactionId: string | null }
  /** A withdrawal was paid out for good, or came back. */
  | { readonly type: 'withdrawal'; readonly walletId: string; readonly withdrawalId: string }
  /** A key of a wallet was used. */
  | { readonly type: 'key'; readonly walletId: string }
  /** A payment waits for the owner, or does no longer. */
  | { readonly type: 'approval'; readonly walletId: string }
  /** Rules, status, name, keys or payees of a wallet; also a wallet that is new. */
  | { readonly type: 'wallet'; readonly walletId: string }
  /** A balance, and the ledger with it. */
  | { readonly type: 'ledger'; readonly walletId: string }
  /** A webhook endpoint, or what was or is to be sent to it. */
  | { readonly type: 'delivery'; readonly endpointId: string };

/** How a user's things stand at a moment. */
export interface Snapshot {
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** Of each webhook endpoint, a text that changes with it and its deliveries. */
  readonly endpoints: ReadonlyMap<string, string>;
}

/** What changed between two snapshots, but for the attempts. */
export function changesBetween(before: Snapshot, after: Snapshot): Change[] {
  const changes: Change[] = [];
  for (const [walletId, { changeCount, entryCount, heldCount, returnCount, keysUsedAt }] of after.wallets) {
    const known = before.wallets.get(walletId);
    if (known?.changeCount !== changeCount) changes.push({ type: 'wallet', walletId });
    if (entryCount !== (known?.entryCount ?? 0)) changes.push({ type: 'ledger', walletId });
    // Which one is not read: the bank takes back few. The ledger is what withdrawals are shown with.
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

/** The attempts that were made between two snapshots. */
export function attemptsBetween(before: Snapshot, after: Snapshot): AttemptRange[] {
  return [...after.wallets.values()].flatMap(({ walletId, attemptCount }) => {
    const known = before.wallets.get(walletId)?.attemptCount ?? 0;
    return attemptCount > known ? [{ walletId, after: known, upTo: attemptCount }] : [];
  });
}

/**
 * New attempts of a wallet as changes; `attempts` null: so many that they were not read. One that waits may have taken
 * the place of one that was decided, so that the count of the waiting says nothing.
 */
export function changesByAttempts(
  walletId: string,
  attempts: readonly Pick<AttemptMade, 'id' | 'isReviewed'>[] | null,
): Change[] {
  const payments: Change[] = attempts
    ? attempts.map(({ id }) => ({ type: 'payment', walletId, transactionId: id }))
    : [{ type: 'payment', walletId, transactionId: null }];
  const wasAsked = !attempts || attempts.some(({ isReviewed }) => isReviewed);
  return wasAsked ? [...payments, { type: 'approval', walletId }] : payments;
}

/** The longest pause between two reads, in milliseconds. */
const PAUSE_MS_MAX = 3_000;

/**
 * How long after a read of `readMs` the next one may begin, in milliseconds: reading takes a tenth of the time. Only
 * after a read that took unusually long is it more, as the pause is bounded: the streams are not silent for longer.
 */
export function pauseAfterRead(readMs: number): number {
  return Math.min(9 * readMs, PAUSE_MS_MAX);
}

/** Who a stream is for. */
export interface StreamHolder {
  readonly userId: string;
  /** Part of the client's address that it can't change at will. */
  readonly network: string;
}

/**
 * Finds the stream that makes room for one of `newcomer` where no more may be open: the newest of the user with most, in
 * the network with most, else of the user with most anywhere. So many accounts, or many addresses, lock nobody out.
 * Undefined when the newcomer would have as many as they: two would go on displacing each other.
 */
export function streamToEnd<Stream>(
  open: readonly (readonly [Stream, StreamHolder])[],
  newcomer: StreamHolder,
): readonly [Stream, StreamHolder] | undefined {
  const ofNetwork = largestShare(open, 'network', newcomer);
  const ofUser = largestShare(ofNetwork ?? open, 'userId', newcomer);
  return (ofUser ?? ofNetwork)?.at(-1);
}

/** The largest group of streams by `key`; undefined unless it is larger than that of `newcomer` would be. */
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
