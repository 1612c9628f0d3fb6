import { KOBO_MAX } from '../../kernel/money.js';
import type { Facts, KeyFacts } from '../payments/checks/facts.port.js';
import type { Decisions, Transaction } from '../payments/payments.port.js';
import type { BlockReason } from '../../kernel/errors.js';
import { blockedByCheck } from './replay.domain.js';
import { SpendDifference } from './spend-difference.domain.js';

/** Absent members stay as recorded. */
export interface OtherRules {
  readonly spendLimitPerTx?: number;
  readonly spendLimitPeriod?: number;
  readonly periodWindowDays?: number;
  readonly expiry?: Date;
  readonly useAllowlist?: boolean;
  /** Normalised. */
  readonly allowedMerchants?: ReadonlySet<string>;
}

export interface RecordedAttempt extends Transaction {
  /** From the books, for another window length; else null. */
  readonly spentInWindow: number | null;
  /** Null: not refunded. */
  readonly refundedAt: Date | null;
}

export interface DecisionChange {
  readonly transaction: Transaction;
  /** Null: approved. */
  readonly recorded: BlockReason | null;
  readonly underRules: BlockReason | null;
}

const DAY_MS = 24 * 60 * 60_000;
const clamp = (sum: number) => Math.min(Math.max(0, sum), KOBO_MAX);

/**
 * Decides on recorded facts corrected by earlier differences. Unchanged rules change nothing. Payees,
 * duplicates and people's decisions stay as recorded.
 */
export class Backtest {
  private readonly ofWallet = new SpendDifference();
  private readonly ofKeys = new Map<string, SpendDifference>();

  constructor(
    private readonly rules: OtherRules,
    private readonly decisions: Decisions,
  ) {}

  /** Null: approved. */
  decide(attempt: RecordedAttempt): BlockReason | null {
    const facts = this.factsOf(attempt);
    const underRules = this.decisions.firstFailed(facts, attempt);
    const recorded = blockedByCheck(attempt.blockReason);
    if ((underRules === null) !== (recorded === null) && attempt.blockReason === recorded) {
      this.note(attempt, underRules === null ? attempt.amount : 0 - attempt.amount);
    }
    return underRules;
  }

  private note({ facts, createdAt, refundedAt }: RecordedAttempt, amount: number): void {
    const at = createdAt.getTime();
    const returnedAt = amount < 0 ? (refundedAt?.getTime() ?? null) : null;
    this.ofWallet.add(at, amount, returnedAt);
    if (facts.key) this.ofKey(facts.key.id).add(at, amount, returnedAt);
  }

  private ofKey(id: string): SpendDifference {
    const known = this.ofKeys.get(id) ?? new SpendDifference();
    this.ofKeys.set(id, known);
    return known;
  }

  private factsOf({ facts, merchant, spentInWindow }: RecordedAttempt): Facts {
    const { rules } = this;
    const now = Date.parse(facts.now);
    const days = rules.periodWindowDays ?? facts.periodWindowDays;
    const more = days === undefined ? 0 : this.ofWallet.since(now - days * DAY_MS, now);
    const useAllowlist = rules.useAllowlist ?? facts.useAllowlist;
    // The books lack the times of refunds and releases; recorded facts have them.
    const recordedSpent = days === facts.periodWindowDays ? facts.spent : (spentInWindow ?? facts.spent);
    return {
      ...facts,
      spendLimitPerTx: rules.spendLimitPerTx ?? facts.spendLimitPerTx,
      spendLimitPeriod: rules.spendLimitPeriod ?? facts.spendLimitPeriod,
      ...(days !== undefined && { periodWindowDays: days }),
      expiry: rules.expiry?.toISOString() ?? facts.expiry,
      spent: clamp(recordedSpent + more),
      balance: clamp(facts.balance - this.ofWallet.since(-Infinity, now)),
      useAllowlist,
      onAllowlist: rules.allowedMerchants?.has(merchant) ?? facts.onAllowlist,
      ...(facts.key && { key: this.keyFactsOf(facts.key, now) }),
    };
  }

  private keyFactsOf(key: KeyFacts, now: number): KeyFacts {
    const difference = this.ofKeys.get(key.id);
    if (!difference) return key;
    const start = now - (key.limits.periodWindowDays ?? 0) * DAY_MS;
    return {
      ...key,
      spent: clamp(key.spent + difference.since(-Infinity, now)),
      payments: key.payments + difference.paymentsAt(now),
      ...(key.spentInPeriod !== undefined && {
        spentInPeriod: clamp(key.spentInPeriod + difference.since(start, now)),
      }),
    };
  }
}
