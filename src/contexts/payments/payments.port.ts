import type { Kobo } from '../../kernel/money.js';
import type { BankAccount } from '../bank/name-enquiry.port.js';
import type { ShownSettlement } from '../settlement/settlement.port.js';
import type { KeyReader } from '../wallet/wallet.port.js';
import type { Facts, Intent } from './checks/facts.port.js';
import type { ApprovalStatus } from './payments.events.js';
import type { BlockReason } from '../../kernel/errors.js';

export interface Transaction extends Intent {
  readonly id: string;
  readonly walletId: string;
  /** Null on attempts older than key tracking. */
  readonly keyId: string | null;
  /** Set only if the key has limits. A key that replaces it continues its history. */
  readonly historyId: string | null;
  readonly purpose: string | null;
  /** Null on attempts older than the column. */
  readonly requestId: string | null;
  readonly amount: Kobo;
  readonly blockReason: BlockReason | null;
  readonly facts: Facts;
  readonly createdAt: Date;
  /** Null: no approval was needed. */
  readonly approval: ApprovalStatus | null;
  readonly approvalExpiresAt: Date | null;
  readonly approvalDecidedAt: Date | null;
  /** Null: expired, or not decided. */
  readonly approvalDecidedBy: string | null;
  readonly approvalNote: string | null;
}

export function recipientOf({
  recipientAccountNo: accountNumber,
  recipientBankCode: bankCode,
}: Pick<Intent, 'recipientAccountNo' | 'recipientBankCode'>): BankAccount {
  return { accountNumber, bankCode };
}

export interface PlacedAttempt extends Transaction {
  readonly seq: number;
  /** Set only if another window length was asked for. */
  readonly spentInWindow: number | null;
  readonly isRefunded: boolean;
}

/** `days`: another window length, or null. */
export interface RecordedPage {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  readonly days: number | null;
}

export interface ReceiptPayee {
  readonly merchantName: string;
  readonly accountNumber: string;
  readonly bankCode: string;
}

export interface PaymentOrigin {
  /** Null on attempts older than key tracking. */
  readonly keyId: string | null;
  readonly reason: string | null;
}

export interface AttemptSummary {
  readonly id: string;
  readonly walletId: string;
  readonly isBlocked: boolean;
  /** An approval was asked for. */
  readonly isReviewed: boolean;
}

/** Attempts with `after` < `seq` <= `upTo`. */
export interface AttemptRange {
  readonly walletId: string;
  readonly after: number;
  readonly upTo: number;
}

/** How busy payments are; background work yields to them. */
export abstract class PaymentLoad {
  abstract readonly pendingDecisions: number;
}

export abstract class Payments {
  abstract payeesOf(transactionIds: readonly string[]): Promise<ReadonlyMap<string, ReceiptPayee>>;

  abstract originsOf(transactionIds: readonly string[]): Promise<ReadonlyMap<string, PaymentOrigin>>;

  /** Pending ones are added. */
  abstract newest(walletIds: readonly string[], limit: number): Promise<readonly AttemptSummary[]>;

  /** By wallet; `hour` since 1970, by the database's clock. */
  abstract blockedWithin(
    walletIds: readonly string[],
    minutes: number,
  ): Promise<readonly { readonly walletId: string; readonly count: number; readonly hour: number }[]>;

  /** Each wallet's in order. */
  abstract between(ranges: readonly AttemptRange[]): Promise<readonly AttemptSummary[]>;
}

/** Recorded attempts in the order of their decisions. */
export abstract class RecordedAttempts {
  /** The `seq` before the first and of the last attempt of a wallet's last `days`; 0 if there is none. */
  abstract edges(walletId: string, days: number): Promise<{ before: number; last: number }>;

  /** One page. In a window of another length than the recorded one a refunded payment never counts. */
  abstract page(walletId: string, query: RecordedPage): Promise<PlacedAttempt[]>;

  /** The attempts with these numbers, newest first. */
  abstract at(walletId: string, seqs: readonly number[]): Promise<(Transaction & { readonly seq: number })[]>;
}

/** Decides on given facts; reads and stores nothing. */
export abstract class Decisions {
  /** Null when all pass. */
  abstract firstFailed(facts: Facts, intent: Intent): BlockReason | null;
}

/** A transaction with its settlement; null: it was not approved. */
export interface SettledTransaction {
  readonly transaction: Transaction;
  readonly settlement: ShownSettlement | null;
}

export interface FoundPayment {
  readonly id: string;
  readonly walletId: string;
  readonly merchantName: string;
  readonly amount: Kobo;
  readonly status: string;
  readonly createdAt: Date;
}

export abstract class PaymentSearch {
  /** Searches a history's newest part. */
  abstract newestNamed(accountId: string, text: string, limit: number): Promise<readonly FoundPayment[]>;
}

export abstract class Transactions {
  /** One that the holder of a key may read. Throws `TRANSACTION_NOT_FOUND`. */
  abstract get(transactionId: string, reader: KeyReader): Promise<SettledTransaction>;

  /** One of any wallet of this user. Throws `TRANSACTION_NOT_FOUND`. */
  abstract ofUser(transactionId: string, accountId: string): Promise<SettledTransaction>;
}
