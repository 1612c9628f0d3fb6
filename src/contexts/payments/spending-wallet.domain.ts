import { type Kobo, kobo } from '../../kernel/money.js';
import type { LockedWallet } from '../wallet/wallet.port.js';
import type { BlockReason } from './payments.events.js';
import { type Facts, firstFailed, type Intent, type Transaction } from './payments.domain.js';

/** Where a wallet's history of payments stands. */
export interface Spending {
  /** The database's clock, read after the lock, in whole milliseconds. */
  readonly now: Date;
  readonly lastSeq: number;
  /** All the wallet ever spent; past what a number holds exactly. */
  readonly spentTotal: bigint;
  readonly blockedTotal: number;
  /** Approved and not refunded spend with `createdAt` > now − days × 24 h. */
  readonly spent: number;
}

/** The facts that belong to one intent rather than to its wallet. */
export type IntentFacts = Pick<Facts, 'onAllowlist'>;

/** What was decided of one intent, on which facts. */
export interface Decision {
  readonly facts: Facts;
  /** Null: approved. */
  readonly blockReason: BlockReason | null;
  /** What the wallet has once the decision is carried out. */
  readonly balanceAfter: Kobo;
}

/** Where an attempt stands in its wallet's history. */
export interface Place {
  readonly seq: number;
  /** All the wallet ever spent, this attempt included. */
  readonly spentTotal: bigint;
  /** How many attempts were ever blocked, this one included. */
  readonly blockedTotal: number;
}

/** An attempt to be stored, with its place in its wallet's history. */
export interface NewTransaction extends Transaction, Place {
  readonly idempotencyKey: string | null;
  readonly fingerprint: Buffer | null;
}

/** A transaction that an idempotency key was first used for. */
export interface IdempotencyRecord extends Transaction {
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
}

/**
 * The spendable state of one locked wallet. `quote` only decides; `authorise` decides and moves the state, so that the
 * next intent of the same transaction sees it. A further check is a row of `CHECKS`; what it looks at is a fact, either
 * of the wallet (set here) or of the intent ({@link IntentFacts}).
 */
export class SpendingWallet {
  private balance: number;
  private spent: number;
  private place: Place;

  constructor(
    private readonly wallet: LockedWallet,
    private readonly spending: Spending,
  ) {
    const { lastSeq: seq, spentTotal, blockedTotal, spent } = spending;
    this.balance = wallet.balance;
    this.spent = spent;
    this.place = { seq, spentTotal, blockedTotal };
  }

  /** The time of every decision on this wallet in this transaction. */
  get now(): Date {
    return this.spending.now;
  }

  /** What would be decided of the intent now. */
  quote(intent: Intent, ofIntent: IntentFacts): Decision {
    const { status, expiry, spendLimitPerTx, spendLimitPeriod, useAllowlist } = this.wallet;
    const facts: Facts = {
      status,
      expiry: expiry.toISOString(),
      now: this.now.toISOString(),
      spendLimitPerTx,
      spendLimitPeriod,
      spent: this.spent,
      balance: this.balance,
      useAllowlist,
      ...ofIntent,
    };
    const blockReason = firstFailed(facts, intent);
    const debited = blockReason === null ? intent.amount : 0;
    return { facts, blockReason, balanceAfter: kobo(this.balance - debited) };
  }

  /** Decides the intent, and takes what it spends; answers the attempt's place in the history too. */
  authorise(intent: Intent, ofIntent: IntentFacts): Decision & Place {
    const decision = this.quote(intent, ofIntent);
    const { seq, spentTotal, blockedTotal } = this.place;
    const isApproved = decision.blockReason === null;
    this.balance = decision.balanceAfter;
    if (isApproved) this.spent += intent.amount;
    this.place = {
      seq: seq + 1,
      spentTotal: spentTotal + (isApproved ? BigInt(intent.amount) : 0n),
      blockedTotal: blockedTotal + (isApproved ? 0 : 1),
    };
    return { ...decision, ...this.place };
  }
}
