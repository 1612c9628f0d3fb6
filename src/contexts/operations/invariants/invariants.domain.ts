export const INVARIANTS = ['balance', 'holds', 'period-cap', 'settlement'] as const;
export type Invariant = (typeof INVARIANTS)[number];

export interface Breach {
  readonly invariant: Invariant;
  readonly walletId: string;
  readonly description: string;
}

export interface Range {
  readonly walletId: string;
  readonly after: number;
  readonly upTo: number;
}

const ROWS_MAX = 1_000;

/** The newest `depth` of `count` rows of each wallet, in groups of at most {@link ROWS_MAX} rows. */
export function rangesOf(
  counts: readonly { readonly walletId: string; readonly count: number }[],
  depth: number,
): Range[][] {
  const groups: Range[][] = [];
  let left = 0;
  for (const { walletId, count } of counts) {
    for (let upTo = count; upTo > Math.max(0, count - depth);) {
      if (left === 0) {
        groups.push([]);
        left = ROWS_MAX;
      }
      const after = Math.max(0, count - depth, upTo - left);
      groups.at(-1)?.push({ walletId, after, upTo });
      left -= upTo - after;
      upTo = after;
    }
  }
  return groups;
}
