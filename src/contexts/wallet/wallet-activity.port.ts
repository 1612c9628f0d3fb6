/** Counters of a wallet; all but `heldCount` only grow. */
export interface WalletState {
  readonly walletId: string;
  readonly accountId: string;
  readonly attemptCount: number;
  readonly entryCount: number;
  readonly returnCount: number;
  /** Changes of rules, status, keys and payees. */
  readonly changeCount: number;
  /** Pending payments. */
  readonly heldCount: number;
  /** Microseconds since 1970, slightly late; 0: never. */
  readonly keysUsedAt: number;
}

export abstract class WalletActivity {
  abstract statesOf(accountIds: readonly string[]): Promise<readonly WalletState[]>;

  /** At most `limit` of each wallet. */
  abstract newestWithdrawals(
    walletIds: readonly string[],
    limit: number,
  ): Promise<readonly { readonly id: string; readonly walletId: string }[]>;
}
