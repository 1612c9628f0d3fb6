import type { BlockReason } from '../../../kernel/errors.js';
import { type Kobo, koboFromNaira } from '../../../kernel/money.js';
import { merchantIdentity } from '../../../kernel/text.js';
import type { PaymentStatus } from '../payments.domain.js';

export const WITHOUT = ['key', 'purpose', 'run', 'category', 'costCentre'] as const;

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
  readonly category: string | null;
  readonly costCentre: string | null;
  readonly without: (typeof WITHOUT)[number] | null;
  /** Approved and not refunded. */
  readonly isSpent: true | null;
  /** Normalised. */
  readonly merchant: string | null;
  /** Part of merchant, reason or purpose, or whole account, run, key or id. */
  readonly text: string | null;
  /** The text as given, if it differs: reasons are stored unnormalised. */
  readonly phrase: string | null;
  /** The text as an amount. */
  readonly amount: Kobo | null;
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

const UNFILTERED: PaymentFilter = {
  walletIds: null,
  statuses: null,
  from: null,
  to: null,
  keyId: null,
  runId: null,
  purpose: null,
  blockReason: null,
  category: null,
  costCentre: null,
  without: null,
  isSpent: null,
  merchant: null,
  text: null,
  phrase: null,
  amount: null,
  minAmount: null,
  maxAmount: null,
};

export function wordsSought(search: string): Pick<PaymentFilter, 'text' | 'phrase' | 'amount'> {
  const text = merchantIdentity(search);
  return { text, phrase: search === text ? null : search, amount: amountIn(search) };
}

export function soughtByWords(search: string): PaymentFilter {
  return { ...UNFILTERED, ...wordsSought(search) };
}

function amountIn(text: string): Kobo | null {
  const plain = /^(?:₦|ngn)?\s*(\d{1,3}(?:,\d{3})+|\d+)(\.\d{1,2})?$/iu.exec(text.trim());
  return plain && koboFromNaira(`${plain[1]?.replaceAll(',', '')}${plain[2] ?? ''}`);
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

/** Rows that a filter reads. */
export type Candidates = CountedCandidates | 'unpaid' | 'waiting' | 'inCategory' | 'inCostCentre';

export type CountedCandidates = 'all' | 'approved' | 'blocked';

export function isCounted(candidates: Candidates): candidates is CountedCandidates {
  return candidates === 'all' || candidates === 'approved' || candidates === 'blocked';
}

const ONLY: readonly (readonly [Candidates, ReadonlySet<PaymentStatus>])[] = [
  ['waiting', new Set<PaymentStatus>(['awaiting_approval'])],
  ['blocked', new Set<PaymentStatus>(['blocked', 'denied', 'expired'])],
  ['unpaid', new Set<PaymentStatus>(['failed', 'returned'])],
  ['approved', new Set<PaymentStatus>(['paid', 'processing', 'failed', 'returned'])],
];

export function candidatesOf({ statuses, category, costCentre, isSpent }: PaymentFilter): Candidates {
  if (category !== null) return 'inCategory';
  if (costCentre !== null) return 'inCostCentre';
  if (isSpent) return 'approved';
  return ONLY.find(([, those]) => statuses?.isSubsetOf(those))?.[0] ?? 'all';
}

/** A page of a narrowed search may read more than it has rows. */
export function isNarrowed({
  statuses,
  keyId,
  runId,
  purpose,
  blockReason,
  category,
  costCentre,
  without,
  isSpent,
  merchant,
  text,
  minAmount,
  maxAmount,
}: PaymentFilter): boolean {
  const named = [statuses, keyId, runId, purpose, blockReason, category, costCentre, without, isSpent];
  return [...named, merchant, text, minAmount, maxAmount].some((each) => each !== null);
}
