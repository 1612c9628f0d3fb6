export interface KeyReleaseQuery {
  readonly walletId: string;
  readonly keyId: string;
  /** ISO 8601: end of the window. */
  readonly now: string;
  /** Days of exactly 24 hours. */
  readonly days: number;
  readonly room: number;
}

/** When enough has left a window, and what is left of its spend, in kobo. */
export interface WindowRelease {
  readonly at: Date;
  readonly spent: number;
}

export abstract class KeyWindows {
  /** When at most `room` of the window's spend is left; null if the key never paid. */
  abstract releaseOf(query: KeyReleaseQuery): Promise<WindowRelease | null>;

  /** True if the key was rotated or ended by then; its own expiry limit does not count. */
  abstract endsBy(keyId: string, at: Date): Promise<boolean>;
}
