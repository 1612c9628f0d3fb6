/** What spend is totalled by. */
export const SPEND_GROUPS = [
  'merchant',
  'wallet',
  'key',
  'purpose',
  'run',
  'category',
  'costCentre',
  'blockReason',
] as const;
export type SpendGroup = (typeof SPEND_GROUPS)[number];

/** From `from` up to, but without, `to`. Null members do not filter. */
export interface SpendFilter {
  readonly from: Date;
  readonly to: Date;
  readonly keyId: string | null;
  /** Normalised. */
  readonly merchant: string | null;
  readonly runId: string | null;
  readonly purpose: string | null;
  readonly category: string | null;
  readonly costCentre: string | null;
}

/** Amounts in kobo, by time of request. */
export interface SpendFigures {
  /** Approved and not refunded. */
  readonly payments: number;
  readonly spent: number;
  readonly refunded: number;
  /** Denied and expired ones included. */
  readonly blocked: number;
  readonly blockedAmount: number;
}

export interface SpendRow extends SpendFigures {
  /** Null: without one, such as payments of no run. */
  readonly value: string | null;
  readonly label: string | null;
  /** Spent on each day; by block reason: blocked. */
  readonly byDay: readonly number[];
}

export interface Spend {
  /** As `2026-11-21`. */
  readonly days: readonly string[];
  readonly total: SpendFigures;
  readonly rows: readonly SpendRow[];
  /** Sum of the other groups; null: there are none. */
  readonly other: (SpendFigures & { readonly groups: number; readonly byDay: readonly number[] }) | null;
}
