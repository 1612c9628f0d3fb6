/** Where a wallet stands, in numbers of which all but `heldCount` only grow. */
export interface WalletState {
  readonly walletId: string;
  readonly userId: string;
  /** Attempts to pay. */
  readonly attemptCount: number;
  /** Ledger entries. */
  readonly entryCount: number;
  /** Payouts that the bank took back after they had succeeded. */
  readonly returnCount: number;
  /** Changes by the owner: of its rules, its status, its keys and its payees. */
  readonly changeCount: number;
  /** Payments that wait for the owner. */
  readonly heldCount: number;
  /** When one of its keys was last used, in microseconds since 1970; 0: never. Written a little behind. */
  readonly keysUsedAt: number;
}

/** What happens in wallets, for those that watch them. */
export abstract class WalletActivity {
  /** Where all wallets of these users stand. */
  abstract statesOf(userIds: readonly string[]): Promise<readonly WalletState[]>;

  /** The newest withdrawals of each of these wallets, at most `limit` of each. */
  abstract newestWithdrawals(
    walletIds: readonly string[],
    limit: number,
  ): Promise<readonly { readonly id: string; readonly walletId: string }[]>;
}
