import { cappedSum, type Kobo, kobo } from '../../kernel/money.js';
import { isoText } from '../../kernel/time.js';
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
import { keyFacts, usageAfter } from './rules/key-limits/key-limits.domain.js';
import { AttemptsDecided, type BlockReason } from './payments.events.js';
import { firstFailed } from './checks/decide.domain.js';
import type { Transaction } from './payments.port.js';

/** What belongs to one intent rather than to its wallet. A member that no rule asks for may be left out. */
export interface IntentFacts extends Pick<Facts, 'onAllowlist'> {
  readonly key?: SpendingKey;
  /** How many payments of the history of a key with limits wait for a person. */
  readonly pendingOfKey?: number;
  /** What the rules that the owner asked for look at. */
  readonly rules?: Pick<Facts, 'payee' | 'recipient' | 'coolingOff' | 'duplicateGuard'>;
}

/** What was decided of one intent, on which facts. */
export interface Decision {
  readonly facts: Facts;
  /** Null: approved, or waiting for a person. */
  readonly blockReason: BlockReason | null;
  /** Null: the owner is not asked. */
  readonly approval: 'pending' | null;
  readonly approvalExpiresAt: Date | null;
  /** What the wallet has once the decision is carried out. */
  readonly balanceAfter: Kobo;
}

/** Where an attempt stands in its wallet's history. */
interface Place {
  readonly seq: number;
  /** All the wallet ever spent, this attempt included. */
  readonly spentTotal: bigint;
  /** How many attempts were ever blocked, this one included. */
  readonly blockedTotal: number;
}

/** A decision that was carried out. */
export interface Authorised extends Decision, Place {
  /** Where its key stands with it: of a payment whose key has limits. */
  readonly keyUsage?: KeyUsage;
}

/** An attempt to be stored, with its place in its wallet's history, and in that of a key with limits. */
export interface NewTransaction extends Transaction, Place {
  readonly historySeq: number | null;
  readonly historyBlockedTotal: number | null;
  readonly idempotencyKey: string | null;
  readonly fingerprint: Buffer | null;
}

/** A transaction that an idempotency key was used for. */
export interface IdempotencyRecord extends Transaction {
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
}

/** Where the history of a key with limits stands. */
export interface HistoryTotals {
  readonly attempts: number;
  /** Of those: blocked by the checks. */
  readonly blocked: number;
  /** Of those: waiting for a person. */
  readonly pending: number;
}

/** A wallet's window as it was read from its history, and when. */
export interface WindowReading extends SpendWindow {
  readonly now: Date;
}

const DAY_MS = 24 * 60 * 60_000;

/** Until when the sum of a window holds if nothing is spent; null: for ever. In milliseconds since 1970. */
export function windowHoldsUntil({ days, from }: SpendWindow): number | null {
  return from === null ? null : from.getTime() + days * DAY_MS;
}

/** Whether what the wallet's row carries of its window is what it would be if it were read now. */
export function isWindowCurrent({ totals: { window }, periodWindowDays, now }: LockedWallet): boolean {
  if (window?.days !== periodWindowDays) return false;
  const until = windowHoldsUntil(window);
  return until === null || now.getTime() < until;
}

/**
 * The spendable state of one locked wallet. `quote` only decides; `authorise` decides and moves the state, so that the
 * next intent of the same transaction sees it. A further check is a row of `CHECKS`; what it looks at is a fact, either
 * of the wallet (set here) or of the intent ({@link IntentFacts}).
 */
export class SpendingWallet {
  /** The time of every decision on this wallet in this transaction. */
  readonly now: Date;
  private balance: Kobo;
  private window: SpendWindow;
  private totals: Omit<AttemptTotals, 'window'>;
  private held: Kobo;
  private heldCount: number;
  private approved = 0;
  /** Where keys with limits stand, by their id. */
  private readonly keys = new Map<string, KeyUsage>();
  /** What the facts of every decision say of these two. */
  private readonly times: Pick<Facts, 'expiry' | 'now'>;

  /** `reading` is needed where the wallet's row does not carry its window: see {@link isWindowCurrent}. */
  constructor(
    private readonly wallet: LockedWallet,
    reading?: WindowReading,
  ) {
    const { window, ...totals } = wallet.totals;
    const isCurrent = isWindowCurrent(wallet);
    const current = isCurrent ? window : reading;
    if (current?.days !== wallet.periodWindowDays) {
      throw new Error(`the window of wallet ${wallet.id} was not read`);
    }
    this.window = { days: current.days, spent: current.spent, from: current.from };
    this.now = !isCurrent && reading && reading.now > wallet.now ? reading.now : wallet.now;
    this.times = { expiry: wallet.expiry.toISOString(), now: isoText(this.now) };
    this.totals = totals;
    this.balance = wallet.balance;
    this.held = wallet.held;
    this.heldCount = wallet.heldCount;
  }

  /** What would be decided of the intent now. */
  quote(intent: Intent, ofIntent: IntentFacts): Decision {
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

  /** Decides the intent, and takes what it spends or holds; answers the attempt's place in the history too. */
  authorise(intent: Intent, ofIntent: IntentFacts): Authorised {
    const decision = this.quote(intent, ofIntent);
    const { key } = ofIntent;
    const { attemptCount, spentTotal, blockedCount } = this.totals;
    // What waits for a person counts from its request on: see docs/adr/0007.
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
        keyUsage = usageAfter(this.usageOf(key), intent.amount);
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

  private usageOf({ id, limited }: SpendingKey): KeyUsage {
    const usage = this.keys.get(id) ?? limited?.usage;
    if (!usage) throw new Error(`the key ${id} has no limits`);
    return usage;
  }

  /** Where the attempts of this transaction leave the wallet. */
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
