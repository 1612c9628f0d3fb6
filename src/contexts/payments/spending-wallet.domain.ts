import { mapped } from '../../kernel/mapped.js';
import { cappedSum, type Kobo, kobo } from '../../kernel/money.js';
import { isoText } from '../../kernel/time.js';
import type { KeyUsageReading } from '../wallet/keys/key-usages.port.js';
import type {
  AttemptTotals,
  KeyUsage,
  LockedWallet,
  SpendingKey,
  SpendWindow,
} from '../wallet/wallet.port.js';
import {
  APPROVAL_TTL_MINUTES_DEFAULT,
  approvalExpiry,
  needsApproval,
} from './rules/approval/approval-rule.domain.js';
import type { Facts, Intent } from './checks/facts.port.js';
import type { PayeeFirstPaid } from './rules/payees/payees.domain.js';
import { keyFacts, usageAfter } from './rules/key-limits/key-limits.domain.js';
import { type LimitReached, reached, reachedByKey } from './limit-warnings/limit-warnings.domain.js';
import { AttemptsDecided } from './payments.events.js';
import type { BlockReason } from '../../kernel/errors.js';
import { firstFailed } from './checks/decide.domain.js';
import type { Transaction } from './payments.port.js';

export interface IntentFacts extends Pick<Facts, 'onAllowlist'> {
  readonly key?: SpendingKey;
  readonly pendingOfKey?: number;
  readonly rules?: Partial<Facts>;
}

export interface SpendingDecision {
  readonly facts: Facts;
  /** Null: approved, or pending. */
  readonly blockReason: BlockReason | null;
  /** Null: no approval is needed. */
  readonly approval: 'pending' | null;
  readonly approvalExpiresAt: Date | null;
  /** In kobo. */
  readonly balanceAfter: Kobo;
}

interface Place {
  readonly seq: number;
  /** Running total of the wallet's spend, this attempt included. */
  readonly spentTotal: bigint;
  /** Running count, this attempt included. */
  readonly blockedTotal: number;
}

export interface Authorised extends SpendingDecision, Place {
  /** Set only if the key has limits and pays: its usage, this payment included. */
  readonly keyUsage?: KeyUsage;
}

export interface NewTransaction extends Transaction, Place {
  readonly historySeq: number | null;
  readonly historyBlockedTotal: number | null;
  readonly idempotencyKey: string | null;
  readonly fingerprint: Buffer | null;
}

export type DecidedAttempt = NewTransaction &
  Pick<Authorised, 'balanceAfter' | 'keyUsage'> & {
    readonly traceParent: string | null;
    /** Set only if it is the first approved payment to a payee. */
    readonly payeeFirstPaid?: PayeeFirstPaid;
  };

export interface IdempotencyRecord extends Transaction {
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
}

export interface HistoryTotals {
  readonly attempts: number;
  readonly blocked: number;
  readonly pending: number;
}

export interface HistoryReading extends HistoryTotals {
  readonly walletId: string;
  readonly historyId: string;
}

export interface WindowReading extends SpendWindow {
  readonly walletId: string;
  /** When it was read, by the database's clock. */
  readonly now: Date;
}

const DAY_MS = 24 * 60 * 60_000;

/** Milliseconds since 1970 until which an idle window's sum holds; null: without end. */
export function windowHoldsUntil({ days, from }: SpendWindow): number | null {
  return from === null ? null : from.getTime() + days * DAY_MS;
}

/** True if the row's window equals a fresh reading at `now`. */
export function isWindowCurrent(
  { totals: { window }, periodWindowDays }: Pick<LockedWallet, 'totals' | 'periodWindowDays'>,
  now: Date,
): boolean {
  if (window?.days !== periodWindowDays) return false;
  const until = windowHoldsUntil(window);
  return until === null || now.getTime() < until;
}

/** The later of `now` and when usages were read. */
export function latestOf(now: Date, usages: readonly KeyUsageReading[]): Date {
  let latest = now;
  for (const usage of usages) if (usage.now > latest) latest = usage.now;
  return latest;
}

/**
 * Spendable state of one locked wallet. `quote` decides; `authorise` decides and applies it, so that the
 * transaction's next intent sees it.
 */
export class SpendingWallet {
  /** Time of every decision on this wallet in this transaction. */
  readonly now: Date;
  private balance: Kobo;
  private window: SpendWindow;
  private totals: Omit<AttemptTotals, 'window'>;
  private held: Kobo;
  private heldCount: number;
  private approved = 0;
  /** By key id. */
  private readonly keys: Map<string, KeyUsage>;
  private readonly spentBefore: number;
  /** Usage of keys with limits before this transaction. */
  private readonly usedBefore = new Map<string, { readonly key: SpendingKey; readonly usage: KeyUsage }>();
  private readonly times: Pick<Facts, 'expiry' | 'now'>;

  /** `reading` is required unless {@link isWindowCurrent}. Decisions are no earlier than what was read. */
  constructor(
    private readonly wallet: LockedWallet,
    reading?: WindowReading,
    usages: readonly KeyUsageReading[] = [],
  ) {
    const { window, ...totals } = wallet.totals;
    this.keys = new Map(mapped(usages, (usage) => [usage.keyId, usage]));
    const now = latestOf(wallet.now, usages);
    const isCurrent = isWindowCurrent(wallet, now);
    const current = isCurrent ? window : reading;
    if (current?.days !== wallet.periodWindowDays) {
      throw new Error(`the window of wallet ${wallet.id} was not read`);
    }
    this.window = { days: current.days, spent: current.spent, from: current.from };
    this.spentBefore = current.spent;
    this.now = !isCurrent && reading && reading.now > now ? reading.now : now;
    this.times = { expiry: wallet.expiry.toISOString(), now: isoText(this.now) };
    this.totals = totals;
    this.balance = wallet.balance;
    this.held = wallet.held;
    this.heldCount = wallet.heldCount;
  }

  quote(intent: Intent, ofIntent: IntentFacts): SpendingDecision {
    const { status, spendLimitPerTx, spendLimitPeriod, periodWindowDays, useAllowlist, controls } =
      this.wallet;
    const threshold = controls?.approvalThreshold;
    const { key } = ofIntent;
    const facts: Facts = {
      status,
      expiry: this.times.expiry,
      now: this.times.now,
      spendLimitPerTx,
      spendLimitPeriod,
      periodWindowDays,
      spent: this.window.spent,
      balance: this.balance,
      useAllowlist,
      onAllowlist: ofIntent.onAllowlist,
      ...(this.held > 0 && { held: this.held }),
      ...(threshold !== undefined && {
        approval: {
          threshold,
          ttlMinutes: controls?.approvalTtlMinutes ?? APPROVAL_TTL_MINUTES_DEFAULT,
          pending: this.heldCount,
          ...(ofIntent.pendingOfKey !== undefined && { pendingOfKey: ofIntent.pendingOfKey }),
        },
      }),
      ...(key?.limited && { key: keyFacts(key.id, key.limited, this.usageOf(key), intent) }),
      ...ofIntent.rules,
    };
    const blockReason = firstFailed(facts, intent);
    const waits = blockReason === null && needsApproval(facts, intent);
    const debited = blockReason === null && !waits ? intent.amount : 0;
    return {
      facts,
      blockReason,
      approval: waits ? 'pending' : null,
      approvalExpiresAt: waits ? approvalExpiry(facts) : null,
      balanceAfter: kobo(this.balance - debited),
    };
  }

  authorise(intent: Intent, ofIntent: IntentFacts): Authorised {
    const decision = this.quote(intent, ofIntent);
    const { key } = ofIntent;
    const { attemptCount, spentTotal, blockedCount } = this.totals;
    // Pending payments count from their request: docs/adr/0007.
    const counts = decision.blockReason === null;
    this.balance = decision.balanceAfter;
    let keyUsage: KeyUsage | undefined;
    if (counts) {
      const { days, spent, from } = this.window;
      this.window = { days, spent: cappedSum(spent, intent.amount), from: from ?? this.now };
      if (decision.approval === null) this.approved += 1;
      else {
        this.held = kobo(this.held + intent.amount);
        this.heldCount += 1;
      }
      if (key?.limited) {
        const usage = this.usageOf(key);
        if (!this.usedBefore.has(key.id)) this.usedBefore.set(key.id, { key, usage });
        keyUsage = usageAfter(usage, intent.amount);
        this.keys.set(key.id, keyUsage);
      }
    }
    this.totals = {
      attemptCount: attemptCount + 1,
      spentTotal: counts ? spentTotal + BigInt(intent.amount) : spentTotal,
      blockedCount: counts ? blockedCount : blockedCount + 1,
    };
    return {
      ...decision,
      seq: this.totals.attemptCount,
      spentTotal: this.totals.spentTotal,
      blockedTotal: this.totals.blockedCount,
      ...(keyUsage && { keyUsage }),
    };
  }

  private usageOf({ id }: SpendingKey): KeyUsage {
    const usage = this.keys.get(id);
    if (!usage) throw new Error(`usage of key ${id} was not loaded`);
    return usage;
  }

  /** Limits of which this transaction reached 80 or 100 %. */
  limitsReached(): LimitReached[] {
    const { spendLimitPeriod: limit, periodWindowDays: days } = this.wallet;
    const ofWallet = { keyId: null, budget: 'period', limit, days } as const;
    const own = reached(ofWallet, this.spentBefore, this.window.spent);
    if (this.usedBefore.size === 0) return own;
    return [...this.usedBefore.values()].reduce(
      (all, { key, usage }) => [
        ...all,
        ...reachedByKey(key.id, key.limited?.limits ?? {}, usage, this.usageOf(key)),
      ],
      own,
    );
  }

  outcome(): AttemptsDecided {
    return new AttemptsDecided({
      walletId: this.wallet.id,
      approved: this.approved,
      spent: this.wallet.balance - this.balance,
      balanceAfter: this.balance,
      held: this.held,
      heldCount: this.heldCount,
      totals: { ...this.totals, window: this.window },
      at: this.now,
    });
  }
}
