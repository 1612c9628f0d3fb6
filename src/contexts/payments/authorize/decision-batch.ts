import { newId } from '../../../kernel/ids.js';
import { AppError } from '../../../kernel/errors.js';
import type { Kobo } from '../../../kernel/money.js';
import { mapped } from '../../../kernel/mapped.js';
import type { Outcome } from '../../../platform/batching/group-commit.js';
import { type PayeeReadings, WHOLE_WALLET } from '../../wallet/payees/payees.port.js';
import type { KeyHash, LockedWallet, SpendAccess, SpendingKey } from '../../wallet/wallet.port.js';
import { CoolingBook } from '../rules/cooling-off/cooling-off.domain.js';
import {
  duplicateGuardFacts,
  guardMinutes,
  type NewPurchase,
  type Purchase,
  purchaseIdentity,
  purchaseText,
} from '../rules/duplicate-guard/duplicate-guard.domain.js';
import type { Intent } from '../checks/facts.port.js';
import { lacksRecipient, PayeeBook } from '../rules/payees/payees.domain.js';
import { blockMessage } from '../checks/decide.domain.js';
import type { Transaction } from '../payments.port.js';
import { type AttemptsDecided, PayeeFirstPaid } from '../payments.events.js';
import {
  type Decision,
  type HistoryTotals,
  type IdempotencyRecord,
  type IntentFacts,
  SpendingWallet,
  type WindowReading,
} from '../spending-wallet.domain.js';
import type { DecidedAttempt } from './attempt-events.js';
import type { BlockedAttemptLimits, BlockedAttempts } from './blocked-attempts.js';
import { fingerprintOf, IdempotentUses, type LockedAccess } from './idempotent-uses.js';

export interface PaymentRequest extends Intent {
  readonly amount: Kobo;
  readonly keyHash: KeyHash;
  readonly idempotencyKey: string | null;
  /** The payment that this one repeats on purpose. */
  readonly confirmSecondPurchase?: string | null;
  /** Minutes the duplicate guard looks back if the owner chose none. */
  readonly guardMinutesAsked?: number | undefined;
  /** Absent: the bank was not asked. */
  readonly recipient?: 'known' | 'unknown';
}

/** The recipient must be verified before a decision; nothing is stored. */
export const RECIPIENT_UNASKED = 'recipient-unasked';

export interface PaymentResult {
  readonly transaction: Transaction;
  readonly replayed: boolean;
}

export interface PaymentQuote extends Decision {
  readonly walletId: string;
  readonly keyId: string;
}

/** Data read from the wallets' past. */
export interface History {
  /** Windows that the wallets' rows do not carry. */
  readonly windows: ReadonlyMap<string, WindowReading>;
  readonly idempotencyRecords: readonly IdempotencyRecord[];
  /** By history id. */
  readonly histories: ReadonlyMap<string, HistoryTotals>;
  /** Newest purchases by identity, for the duplicate guard. */
  readonly purchases: ReadonlyMap<string, Purchase>;
  readonly payees: PayeeReadings;
}

export const NO_PAYEES_READ: PayeeReadings = { merchants: [], accounts: [], keys: [] };
export const NOTHING_READ: History = {
  windows: new Map(),
  idempotencyRecords: [],
  histories: new Map(),
  payees: NO_PAYEES_READ,
  purchases: new Map(),
};

/** Minutes the duplicate guard looks back; 0: off. */
export function guardMinutesOf({ guardMinutesAsked }: PaymentRequest, { controls }: LockedWallet): number {
  return guardMinutes(controls?.duplicateGuardMinutes, guardMinutesAsked);
}

const NO_ATTEMPTS: HistoryTotals = { attempts: 0, blocked: 0, pending: 0 };

/** The decisions of one transaction, in order of arrival. */
export class DecisionBatch {
  readonly decided: DecidedAttempt[] = [];
  readonly payeesPaid: PayeeFirstPaid[] = [];
  readonly purchases: NewPurchase[] = [];
  private readonly wallets = new Map<string, SpendingWallet>();
  private readonly windows = new Map<string, WindowReading>();
  private readonly newestPurchases = new Map<string, Purchase>();
  readonly blocked = new Map<string, BlockedAttempts>();
  private readonly uses = new IdempotentUses();
  private readonly histories = new Map<string, HistoryTotals>();
  private readonly payees: PayeeBook;
  private readonly cooling: CoolingBook;

  /** Later reads override earlier ones. */
  constructor(
    histories: readonly History[],
    private readonly limit: BlockedAttemptLimits,
  ) {
    for (const { windows, purchases, idempotencyRecords, histories: totals } of histories) {
      for (const [id, window] of windows) this.windows.set(id, window);
      for (const [identity, purchase] of purchases) this.newestPurchases.set(identity, purchase);
      for (const [id, history] of totals) this.histories.set(id, history);
      for (const use of idempotencyRecords) this.uses.add(use);
    }
    this.payees = new PayeeBook(mapped(histories, ({ payees }) => payees));
    this.cooling = new CoolingBook(mapped(histories, ({ payees }) => payees));
  }

  decide(request: PaymentRequest, access: SpendAccess): Outcome<PaymentResult | typeof RECIPIENT_UNASKED> {
    if (access.kind !== 'locked') return refusedAccess(access);
    const { wallet, key } = access;
    const historyId = key.limited?.historyId ?? null;
    const fingerprint = request.idempotencyKey === null ? null : fingerprintOf(request);
    const repeated = fingerprint && this.uses.repeated(access, request.idempotencyKey, fingerprint);
    if (repeated) return repeated;
    const spendingWallet = this.walletOf(wallet);
    const ofIntent = this.ofIntent(request, access, spendingWallet.now);
    if (ofIntent.rules.recipient === 'unasked') {
      const { facts, blockReason } = spendingWallet.quote(request, ofIntent);
      if (lacksRecipient(facts, request, blockReason)) return { done: RECIPIENT_UNASKED };
    }
    const tooMany = this.pastLimit(request, key.id, spendingWallet, ofIntent);
    if (tooMany) return { refused: tooMany };
    const authorised = spendingWallet.authorise(request, ofIntent);
    const history = historyId === null ? null : this.moveHistory(historyId, authorised);
    const transaction: DecidedAttempt = {
      // Spread first: V8 copies an object in one go only then.
      ...authorised,
      // Ids of one millisecond are unordered; `seq` orders transactions.
      id: newId(),
      walletId: wallet.id,
      amount: request.amount,
      merchant: request.merchant,
      merchantName: request.merchantName,
      recipientAccountNo: request.recipientAccountNo,
      recipientBankCode: request.recipientBankCode,
      reason: request.reason,
      createdAt: spendingWallet.now,
      keyId: key.id,
      historyId,
      historySeq: history && history.attempts,
      historyBlockedTotal: history && history.blocked,
      purpose: key.purpose,
      idempotencyKey: request.idempotencyKey,
      fingerprint,
      approvalDecidedAt: null,
      approvalDecidedBy: null,
      approvalNote: null,
    };
    this.decided.push(transaction);
    if (transaction.blockReason !== null) this.countBlocked(transaction, key.id);
    else this.take(transaction, wallet, key);
    if (fingerprint) this.uses.add(transaction);
    return { done: { transaction, replayed: false } };
  }

  /** Decides the intent alone; changes no state. */
  quote(request: PaymentRequest, access: SpendAccess): Outcome<PaymentQuote> {
    if (access.kind !== 'locked') return refusedAccess(access);
    const { wallet, key } = access;
    const spendingWallet = this.walletOf(wallet);
    const quote = spendingWallet.quote(request, this.ofIntent(request, access, spendingWallet.now));
    return { done: { ...quote, walletId: wallet.id, keyId: key.id } };
  }

  private ofIntent(
    request: PaymentRequest,
    { wallet, key, onAllowlist }: LockedAccess,
    now: Date,
  ): IntentFacts & Pick<Required<IntentFacts>, 'rules'> {
    const rules = this.ruleFacts(request, wallet, key, now);
    if (!key.limited) return { onAllowlist, key, rules };
    return { onAllowlist, key, rules, pendingOfKey: this.historyOf(key.limited.historyId).pending };
  }

  /** Refusal of a blocked attempt past the key's limit. */
  private pastLimit(
    request: PaymentRequest,
    keyId: string,
    wallet: SpendingWallet,
    ofIntent: IntentFacts,
  ): AppError | undefined {
    const waitMs = this.limit.waitMs(keyId, this.blocked.get(keyId)?.count ?? 0, wallet.now);
    if (waitMs === 0) return undefined;
    const { facts, blockReason } = wallet.quote(request, ofIntent);
    return blockReason === null
      ? undefined
      : this.limit.refusal(waitMs, blockMessage(facts, request, blockReason));
  }

  private countBlocked({ walletId, createdAt: at }: DecidedAttempt, keyId: string): void {
    const count = (this.blocked.get(keyId)?.count ?? 0) + 1;
    this.blocked.set(keyId, { walletId, keyId, count, at });
  }

  private historyOf(id: string): HistoryTotals {
    return this.histories.get(id) ?? NO_ATTEMPTS;
  }

  private moveHistory(id: string, { blockReason, approval }: Decision): HistoryTotals {
    const { attempts, blocked, pending } = this.historyOf(id);
    const history = {
      attempts: attempts + 1,
      blocked: blockReason === null ? blocked : blocked + 1,
      pending: approval === null ? pending : pending + 1,
    };
    this.histories.set(id, history);
    return history;
  }

  /** Facts of the owner's optional rules. */
  private ruleFacts(
    request: PaymentRequest,
    wallet: LockedWallet,
    key: SpendingKey,
    now: Date,
  ): NonNullable<IntentFacts['rules']> {
    const duplicateGuard = this.duplicateGuardOf(request, wallet, key);
    if (!wallet.controls) return { ...(duplicateGuard && { duplicateGuard }) };
    const payee = this.payees.factsOf(wallet, request, key.limited?.historyId);
    const coolingOff = this.cooling.factsOf(wallet, request, key.id, now);
    return {
      ...(payee && { payee }),
      ...(wallet.controls.verifyRecipient === true && { recipient: request.recipient ?? 'unasked' }),
      ...(coolingOff && { coolingOff }),
      ...(duplicateGuard && { duplicateGuard }),
    };
  }

  /** Applies an approval to the state the rest of the batch sees. */
  private take(transaction: DecidedAttempt, wallet: LockedWallet, key: SpendingKey): void {
    const { facts, createdAt: at } = transaction;
    if (facts.duplicateGuard) this.remember(transaction, key.id);
    const waits = transaction.approval !== null;
    this.cooling.take(wallet, transaction, key.id, facts, waits ? null : at);
    if (waits) return;
    const first = this.payees.take(wallet, transaction, facts, key.limited?.historyId);
    if (!first) return;
    this.payeesPaid.push(
      new PayeeFirstPaid({
        walletId: wallet.id,
        transactionId: transaction.id,
        merchant: transaction.merchant,
        merchantName: transaction.merchantName,
        accountNumber: transaction.recipientAccountNo,
        bankCode: transaction.recipientBankCode,
        isNew: first === 'new-payee',
        historyId: transaction.historyId ?? WHOLE_WALLET,
        at,
      }),
    );
  }

  /** Resulting state of each wallet. */
  outcomes(): AttemptsDecided[] {
    return mapped([...this.wallets.values()], (wallet) => wallet.outcome());
  }

  private duplicateGuardOf(request: PaymentRequest, wallet: LockedWallet, key: SpendingKey) {
    const minutes = guardMinutesOf(request, wallet);
    if (minutes === 0) return undefined;
    const last = this.newestPurchases.get(purchaseText(purchaseIdentity(wallet.id, key.id, request)));
    return duplicateGuardFacts(minutes, last, request.confirmSecondPurchase);
  }

  private remember(payment: DecidedAttempt, keyId: string): void {
    const identity = purchaseIdentity(payment.walletId, keyId, payment);
    const { id: transactionId, seq, createdAt: at } = payment;
    const isPending = payment.approval === 'pending';
    this.newestPurchases.set(purchaseText(identity), { transactionId, at, isPending });
    this.purchases.push({ ...identity, seq, transactionId, approvedAt: at });
  }

  private walletOf(wallet: LockedWallet): SpendingWallet {
    const known = this.wallets.get(wallet.id);
    if (known) return known;
    const spendingWallet = new SpendingWallet(wallet, this.windows.get(wallet.id));
    this.wallets.set(wallet.id, spendingWallet);
    return spendingWallet;
  }
}

function refusedAccess(access: Exclude<SpendAccess, { kind: 'locked' }>) {
  if (access.kind === 'held-elsewhere') return { rowLocked: access.walletId };
  return { refused: new AppError('INVALID_API_KEY', 'Invalid API key.') };
}
