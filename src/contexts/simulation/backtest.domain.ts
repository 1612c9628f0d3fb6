import { KOBO_MAX } from '../../kernel/money.js';
import type { Facts, KeyFacts } from '../payments/checks/facts.port.js';
import type { Decisions, Transaction } from '../payments/payments.port.js';
import type { BlockReason } from '../payments/payments.events.js';
import { blockedByCheck } from './replay.domain.js';
import { SpendDifference } from './spend-difference.domain.js';

/** Rules in the place of those that an attempt was decided under; what is absent stays as it was then. */
export interface OtherRules {
  readonly spendLimitPerTx?: number;
  readonly spendLimitPeriod?: number;
  readonly periodWindowDays?: number;
  readonly expiry?: Date;
  readonly useAllowlist?: boolean;
  /** The identities of the merchants. */
  readonly allowedMerchants?: ReadonlySet<string>;
}

/** A recorded attempt with what else a backtest has to know of it. */
export interface RecordedAttempt extends Transaction {
  /** Spend in a window of the other rules' length, from the books; null where they name none. */
  readonly spentInWindow: number | null;
  /** When its money came back; null when it did not. */
  readonly refundedAt: Date | null;
}

/** An attempt that the other rules decide otherwise. */
export interface DecisionChange {
  readonly transaction: Transaction;
  /** Null: approved. */
  readonly recorded: BlockReason | null;
  readonly underRules: BlockReason | null;
}

const DAY_MS = 24 * 60 * 60_000;
const clamp = (sum: number) => Math.min(Math.max(0, sum), KOBO_MAX);

/**
 * Replays recorded attempts in their order under other rules. The facts are the recorded ones, corrected by what the
 * other rules decided differently before: under the rules that were recorded nothing is corrected and nothing flips.
 * What a check of another kind looked at (payees, repetitions, people) stays as recorded. A payment that was blocked
 * and now passes is taken to have reached its payee.
 */
export class Backtest {
  private readonly ofWallet = new SpendDifference();
  private readonly ofKeys = new Map<string, SpendDifference>();

  constructor(
    private readonly rules: OtherRules,
    private readonly decisions: Decisions,
  ) {}

  /** What the rules make of the next attempt; null: approved. */
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
    // The books do not say when what was held or refunded came back; what was recorded knows.
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
