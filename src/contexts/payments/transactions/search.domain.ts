import type { PaymentStatus } from '../payments.domain.js';

/** Which attempts a list is narrowed to; null: not by this. */
export interface PaymentFilter {
  readonly walletIds: readonly string[] | null;
  readonly statuses: ReadonlySet<PaymentStatus> | null;
  /** From this moment on. */
  readonly from: Date | null;
  /** Before this moment. */
  readonly to: Date | null;
  /** The key that asked for them. */
  readonly keyId: string | null;
  /** The merchant's identity. */
  readonly merchant: string | null;
  /** Part of the merchant's name or of the reason, or the whole account number or id. */
  readonly text: string | null;
  /**
   * The same as it was given, where that differs: a reason is kept as it came, spaces and compatibility characters
   * included. Null where it does not differ, so that no reason is read twice.
   */
  readonly phrase: string | null;
  readonly minAmount: number | null;
  readonly maxAmount: number | null;
}

/**
 * A place in the attempts of several wallets, newest first: what comes after it is older, or as old and of a wallet
 * with a smaller id, or of the same wallet with a smaller `seq`. `at` is ISO 8601 with microseconds.
 */
export interface Position {
  readonly at: string;
  readonly walletId: string;
  readonly seq: number;
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Before everything that was made at `at` or earlier. */
export function startOf(at: string): Position {
  return { at, walletId: LAST_ID, seq: Number.MAX_SAFE_INTEGER };
}

/** The last microsecond before a moment. */
export function justBefore(moment: Date): string {
  return new Date(moment.getTime() - 1).toISOString().replace('Z', '999Z');
}

/** Where a list begins: at its cursor, or before its newest attempt. */
export function beginningOf({ to }: PaymentFilter, cursor: Position | null): Position {
  const newest = startOf(to ? justBefore(to) : 'infinity');
  return cursor && cursor.at < newest.at ? cursor : newest;
}

/**
 * What a filter's candidates are read from: all attempts, or those alone that can pass. The blocked, those whose
 * payout was sent back and those that wait have an index of their own: rare attempts are found without reading the others.
 */
export type Candidates = 'all' | 'approved' | 'blocked' | 'unpaid' | 'waiting';

const ONLY: readonly (readonly [Candidates, ReadonlySet<PaymentStatus>])[] = [
  ['waiting', new Set<PaymentStatus>(['awaiting_approval'])],
  ['blocked', new Set<PaymentStatus>(['blocked', 'denied', 'expired'])],
  ['unpaid', new Set<PaymentStatus>(['failed', 'returned'])],
  ['approved', new Set<PaymentStatus>(['paid', 'processing', 'failed', 'returned'])],
];

export function candidatesOf({ statuses }: PaymentFilter): Candidates {
  return ONLY.find(([, those]) => statuses?.isSubsetOf(those))?.[0] ?? 'all';
}

/** Whether attempts are left out, so that a page may take more reading than it has rows. */
export function isNarrowed({
  statuses,
  keyId,
  merchant,
  text,
  minAmount,
  maxAmount,
}: PaymentFilter): boolean {
  return [statuses, keyId, merchant, text, minAmount, maxAmount].some((each) => each !== null);
}
