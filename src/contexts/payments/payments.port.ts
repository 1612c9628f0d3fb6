import type { Kobo } from '../../kernel/money.js';
import type { ShownSettlement } from '../settlement/settlement.port.js';
import type { KeyReader } from '../wallet/wallet.port.js';
import type { Facts, Intent } from './checks/facts.port.js';
import type { ApprovalStatus, BlockReason } from './payments.events.js';

/** One attempt to pay, as stored. */
export interface Transaction extends Intent {
  readonly id: string;
  readonly walletId: string;
  /** The key that asked for it; null of attempts from before keys were noted. */
  readonly keyId: string | null;
  /** Set only if the key has limits: its history, which goes on with a key that replaces it. */
  readonly historyId: string | null;
  /** What the key is for, where its owner said so. */
  readonly purpose: string | null;
  readonly amount: Kobo;
  readonly blockReason: BlockReason | null;
  readonly facts: Facts;
  readonly createdAt: Date;
  /** Null: the owner was not asked. */
  readonly approval: ApprovalStatus | null;
  readonly approvalExpiresAt: Date | null;
  readonly approvalDecidedAt: Date | null;
  /** Null: no owner decided, or not in time. */
  readonly approvalDecidedBy: string | null;
  readonly approvalNote: string | null;
}

/** A recorded attempt with its place in its wallet's history. */
export interface PlacedAttempt extends Transaction {
  readonly seq: number;
  /** There and not null where another length of the window was asked for. */
  readonly spentInWindow: number | null;
  readonly isRefunded: boolean;
}

/** Which attempts are read: those after `seq`, at most `limit`; `days` is another length of the window, or null. */
export interface RecordedPage {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  readonly days: number | null;
}

/** Whom a payment is for. */
export interface Payee {
  readonly merchantName: string;
  readonly accountNumber: string;
  readonly bankCode: string;
}

/** An attempt to pay, told apart from the others. */
export interface AttemptMade {
  readonly id: string;
  readonly walletId: string;
  /** Blocked at once, for good. */
  readonly isBlocked: boolean;
  /** Its owner was asked about it. */
  readonly isReviewed: boolean;
}

/** Attempts of a wallet: those with `after` < `seq` <= `upTo`. */
export interface AttemptRange {
  readonly walletId: string;
  readonly after: number;
  readonly upTo: number;
}

/** How busy the payments are: work that no caller waits for gives way to them. */
export abstract class PaymentLoad {
  /** How many payments wait for their decision right now, in this process. */
  abstract readonly undecided: number;
}

/** The payments, as the other contexts may read them. */
export abstract class Payments {
  /** Whom these payments are for, by transaction id. */
  abstract payeesOf(transactionIds: readonly string[]): Promise<ReadonlyMap<string, Payee>>;

  /** The newest `limit` attempts of these wallets, and the newest `limit` of those that wait for their owner. */
  abstract newest(walletIds: readonly string[], limit: number): Promise<readonly AttemptMade[]>;

  /** All attempts of these ranges, in the order in which each wallet made them. */
  abstract between(ranges: readonly AttemptRange[]): Promise<readonly AttemptMade[]>;
}

/** Recorded attempts in the order of their decisions, to be decided again. Reads only. */
export abstract class RecordedAttempts {
  /** The `seq` before the first and of the last attempt of a wallet's last `days`; 0 if there is none. */
  abstract edges(walletId: string, days: number): Promise<{ before: number; last: number }>;

  /** One page. In a window of another length than the recorded one a refunded payment never counts. */
  abstract page(walletId: string, query: RecordedPage): Promise<PlacedAttempt[]>;

  /** The attempts with these numbers, newest first. */
  abstract at(walletId: string, seqs: readonly number[]): Promise<(Transaction & { readonly seq: number })[]>;
}

/** Decides on given facts, by the checks and rules of every payment; reads and stores nothing. */
export abstract class Decisions {
  /** The code of the first check or rule that fails; null when all pass. */
  abstract firstFailed(facts: Facts, intent: Intent): BlockReason | null;
}

/** A transaction with its settlement; null: it was not approved. */
export interface SettledTransaction {
  readonly transaction: Transaction;
  readonly settlement: ShownSettlement | null;
}

/** Single transactions, for those who may read them. */
export abstract class Transactions {
  /** One that the holder of a key may read. Throws `TRANSACTION_NOT_FOUND`. */
  abstract get(transactionId: string, reader: KeyReader): Promise<SettledTransaction>;

  /** One of any wallet of this user. Throws `TRANSACTION_NOT_FOUND`. */
  abstract ofUser(transactionId: string, userId: string): Promise<SettledTransaction>;
}
