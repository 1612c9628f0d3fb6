import type { BlockReason } from '../../../kernel/errors.js';
import type { PaymentStatus } from '../payments.domain.js';

/** Null members do not filter. */
export interface PaymentFilter {
  readonly walletIds: readonly string[] | null;
  readonly statuses: ReadonlySet<PaymentStatus> | null;
  /** Inclusive. */
  readonly from: Date | null;
  /** Exclusive. */
  readonly to: Date | null;
  readonly keyId: string | null;
  readonly runId: string | null;
  readonly purpose: string | null;
  readonly blockReason: BlockReason | null;
  /** Normalised. */
  readonly merchant: string | null;
  /** Part of the merchant's name or reason, or a whole account number or id. */
  readonly text: string | null;
  /** The text as given, if it differs: reasons are stored unnormalised. */
  readonly phrase: string | null;
  readonly minAmount: number | null;
  readonly maxAmount: number | null;
}

/**
 * Place among attempts of several wallets, newest first, then by wallet id and `seq`. `at` is ISO 8601 with
 * microseconds.
 */
export interface Position {
  readonly at: string;
  readonly walletId: string;
  readonly seq: number;
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function startOf(at: string): Position {
  return { at, walletId: LAST_ID, seq: Number.MAX_SAFE_INTEGER };
}

export function justBefore(moment: Date): string {
  return new Date(moment.getTime() - 1).toISOString().replace('Z', '999Z');
}

export function beginningOf({ to }: PaymentFilter, cursor: Position | null): Position {
  const newest = startOf(to ? justBefore(to) : 'infinity');
  return cursor && cursor.at < newest.at ? cursor : newest;
}

/**
 * Rows a filter reads: all, or only those that can pass. Blocked, returned and pending attempts have an index
 * of their own.
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

/** A page of a narrowed search may read more than it has rows. */
export function isNarrowed({
  statuses,
  keyId,
  runId,
  purpose,
  blockReason,
  merchant,
  text,
  minAmount,
  maxAmount,
}: PaymentFilter): boolean {
  return [statuses, keyId, runId, purpose, blockReason, merchant, text, minAmount, maxAmount].some(
    (each) => each !== null,
  );
}
