/** Something of a user's that changed, so that whoever shows it reads it again. */
export type Change =
  /** An attempt was made, or what became of it changed. Null: several of the wallet. */
  | { readonly type: 'payment'; readonly walletId: string; readonly transactionId: string | null }
  /** Rules, status or name of a wallet; also a wallet that is new. */
  | { readonly type: 'wallet'; readonly walletId: string }
  /** A balance, and the ledger with it. */
  | { readonly type: 'ledger'; readonly walletId: string }
  /** What was or is to be sent to a webhook endpoint. */
  | { readonly type: 'delivery'; readonly endpointId: string };

/** The running numbers of a wallet: each of them only grows. */
export interface WalletState {
  readonly walletId: string;
  readonly attemptCount: number;
  readonly entryCount: number;
  readonly version: number;
}

/** How a user's things stand at a moment. */
export interface Snapshot {
  readonly wallets: ReadonlyMap<string, WalletState>;
  /** Of each webhook endpoint, a text that changes with its deliveries. */
  readonly endpoints: ReadonlyMap<string, string>;
}

/** Attempts of a wallet that were made since a snapshot: those with `after` < `seq` <= `upTo`. */
export interface NewAttempts {
  readonly walletId: string;
  readonly after: number;
  readonly upTo: number;
}

/** What changed between two snapshots, but for the attempts. */
export function changesBetween(before: Snapshot, after: Snapshot): Change[] {
  const changes: Change[] = [];
  for (const [walletId, { version, entryCount }] of after.wallets) {
    const known = before.wallets.get(walletId);
    if (known?.version !== version) changes.push({ type: 'wallet', walletId });
    if (entryCount !== (known?.entryCount ?? 0)) changes.push({ type: 'ledger', walletId });
  }
  for (const endpointId of new Set([...before.endpoints.keys(), ...after.endpoints.keys()])) {
    if (before.endpoints.get(endpointId) !== after.endpoints.get(endpointId)) {
      changes.push({ type: 'delivery', endpointId });
    }
  }
  return changes;
}

/** The attempts that were made between two snapshots. */
export function attemptsBetween(before: Snapshot, after: Snapshot): NewAttempts[] {
  return [...after.wallets.values()].flatMap(({ walletId, attemptCount }) => {
    const known = before.wallets.get(walletId)?.attemptCount ?? 0;
    return attemptCount > known ? [{ walletId, after: known, upTo: attemptCount }] : [];
  });
}
