/** A key's own window that leaves too little, and how much of its spend may be left. */
export interface KeyReleaseQuery {
  readonly walletId: string;
  readonly keyId: string;
  /** ISO 8601: where the window ended. */
  readonly now: string;
  /** Days of exactly 24 hours. */
  readonly days: number;
  readonly room: number;
}

/** When a window has let go of enough, and what is left of its spend then. */
export interface WindowRelease {
  readonly at: Date;
  readonly spent: number;
}

/** When keys with a limit for a period can pay again, and when keys end. */
export abstract class KeyWindows {
  /** When so much has left the window that at most `room` of its spend is left; null when it never paid. */
  abstract releaseOf(query: KeyReleaseQuery): Promise<WindowRelease | null>;

  /** Whether the key is dead at that time: it was rotated or made to end by then. A limit of it that ends is another matter. */
  abstract endsBy(keyId: string, at: Date): Promise<boolean>;
}
