import { type AppError, validationError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { KeyHash, LockedWallet, SpendingKey } from '../../wallet/wallet.port.js';
import { blockMessage } from '../checks/decide.domain.js';
import { type AttemptsDecided, detailsOf, type PaymentDetails } from '../payments.events.js';
import type { WalletLimitReached } from '../limit-warnings/limit-warnings.domain.js';
import type { Transaction } from '../payments.port.js';
import { CoolingState } from '../rules/cooling-off/cooling-off.domain.js';
import {
  duplicateGuardFacts,
  guardMinutes,
  type Purchase,
  purchaseIdentity,
  purchaseText,
} from '../rules/duplicate-guard/duplicate-guard.domain.js';
import { lacksRecipient, PayeeState } from '../rules/payees/payees.domain.js';
import { ruleFactsOf } from '../rules/rules.domain.js';
import {
  type DecidedAttempt,
  type SpendingDecision,
  type HistoryTotals,
  type IntentFacts,
  SpendingWallet,
} from '../spending-wallet.domain.js';
import type { BlockedAttemptLimits, BlockedAttempts } from './blocked-attempts.domain.js';
import { fingerprintOf, IdempotentUses, type LockedAccess } from './idempotent-uses.domain.js';
import type { Readings } from './readings.domain.js';

export interface PaymentRequest extends PaymentDetails {
  readonly keyHash: KeyHash;
  readonly idempotencyKey: string | null;
  readonly requestId: string | null;
  /** The request's span. */
  readonly traceParent: string | null;
  /** The payment that this one repeats on purpose. */
  readonly confirmSecondPurchase?: string | null;
  /** Minutes the duplicate guard looks back if the owner chose none. */
  readonly guardMinutesAsked?: number | undefined;
  /** Absent: the bank was not asked. */
  readonly recipient?: 'known' | 'unknown';
}

/** The recipient must be verified before a decision; nothing is stored. */
export const RECIPIENT_UNVERIFIED = 'recipient-unverified';

export interface PaymentResult {
  readonly transaction: Transaction;
  readonly replayed: boolean;
}

export interface PaymentQuote extends SpendingDecision {
  readonly walletId: string;
  readonly keyId: string;
}

/** A decided attempt, or an answer that decides nothing. */
export type Answer =
  | { readonly attempt: DecidedAttempt }
  | { readonly done: PaymentResult | typeof RECIPIENT_UNVERIFIED }
  | { readonly refused: AppError };

type Quoted =
  Exclude<Answer, { attempt: DecidedAttempt } | { done: unknown }> | { readonly done: PaymentQuote };

/** The refusal of an intent without what its key requires. */
function missingIn(request: PaymentRequest, { requires }: SpendingKey): AppError | undefined {
  const missing = requires?.filter((member) => request[member] === null) ?? [];
  if (missing.length === 0) return undefined;
  return validationError(...missing.map((field) => ({ field, message: 'is required by this API key' })));
}

/** Minutes the duplicate guard looks back; 0: off. */
export function guardMinutesOf({ guardMinutesAsked }: PaymentRequest, { controls }: LockedWallet): number {
  return guardMinutes(controls?.duplicateGuardMinutes, guardMinutesAsked);
}

const NO_ATTEMPTS: HistoryTotals = { attempts: 0, blocked: 0, pending: 0 };

/**
 * All state that decisions on one locked wallet move, for one transaction. Decides in order of arrival; each
 * decision sees those before it.
 */
export class PaymentsAggregate {
  private spendingWallet: SpendingWallet | undefined;
  private readonly uses: IdempotentUses;
  private readonly payees: PayeeState;
  private readonly cooling: CoolingState;
  private readonly histories = new Map<string, HistoryTotals>();
  /** Newest ones, by identity. */
  private readonly purchases = new Map<string, Purchase>();
  private readonly blockedByKey = new Map<string, BlockedAttempts>();

  constructor(
    private readonly wallet: LockedWallet,
    private readonly readings: Readings,
    private readonly limit: BlockedAttemptLimits,
  ) {
    this.uses = new IdempotentUses(readings.idempotencyRecords);
    this.payees = new PayeeState(readings.payees);
    this.cooling = new CoolingState(readings);
    for (const { historyId, ...totals } of readings.histories) this.histories.set(historyId, totals);
    for (const purchase of readings.purchases) this.purchases.set(purchaseText(purchase), purchase);
  }

  quote(request: PaymentRequest, access: LockedAccess): Quoted {
    const incomplete = missingIn(request, access.key);
    if (incomplete) return { refused: incomplete };
    const decision = this.spending.quote(request, this.factsOf(request, access));
    return { done: { ...decision, walletId: this.wallet.id, keyId: access.key.id } };
  }

  /** A repeated request gets its first answer; nothing is decided. */
  decide(request: PaymentRequest, access: LockedAccess): Answer {
    const { key } = access;
    const { idempotencyKey } = request;
    const fingerprint = idempotencyKey === null ? null : fingerprintOf(request);
    const repeated = fingerprint && this.uses.repeated(access, idempotencyKey as string, fingerprint);
    if (repeated) return repeated;
    const incomplete = missingIn(request, key);
    if (incomplete) return { refused: incomplete };
    const ofIntent = this.factsOf(request, access);
    if (ofIntent.rules.recipient === 'unasked') {
      const { facts, blockReason } = this.spending.quote(request, ofIntent);
      if (lacksRecipient(facts, request, blockReason)) return { done: RECIPIENT_UNVERIFIED };
    }
    const tooMany = this.pastLimit(request, key.id, ofIntent);
    if (tooMany) return { refused: tooMany };
    const authorised = this.spending.authorise(request, ofIntent);
    const historyId = key.limited?.historyId ?? null;
    const history = historyId === null ? null : this.addToHistory(historyId, authorised);
    const transaction: DecidedAttempt = {
      // Spread first: V8 copies an object in one go only then.
      ...authorised,
      // Ids of one millisecond are unordered; `seq` orders transactions.
      id: newId(),
      walletId: this.wallet.id,
      ...detailsOf(request),
      createdAt: this.spending.now,
      keyId: key.id,
      historyId,
      historySeq: history && history.attempts,
      historyBlockedTotal: history && history.blocked,
      purpose: key.purpose,
      requestId: request.requestId,
      traceParent: request.traceParent,
      idempotencyKey,
      fingerprint,
      approvalDecidedAt: null,
      approvalDecidedBy: null,
      approvalNote: null,
    };
    const attempt = transaction.blockReason === null ? this.approve(transaction, key) : transaction;
    if (transaction.blockReason !== null) this.countBlocked(key.id);
    this.uses.add(attempt);
    return { attempt };
  }

  /** Undefined if nothing was decided. */
  outcome(): AttemptsDecided | undefined {
    return this.spendingWallet?.outcome();
  }

  limitsReached(): WalletLimitReached[] {
    const { spendingWallet, wallet } = this;
    if (!spendingWallet) return [];
    return spendingWallet
      .limitsReached()
      .map((each) => ({ ...each, walletId: wallet.id, at: spendingWallet.now }));
  }

  blocked(): Iterable<BlockedAttempts> {
    return this.blockedByKey.values();
  }

  private get spending(): SpendingWallet {
    const { windows, keyUsages } = this.readings;
    return (this.spendingWallet ??= new SpendingWallet(this.wallet, windows.at(-1), keyUsages));
  }

  private factsOf(
    request: PaymentRequest,
    { key, onAllowlist }: LockedAccess,
  ): IntentFacts & Pick<Required<IntentFacts>, 'rules'> {
    const rules = this.ruleFacts(request, key);
    if (!key.limited) return { onAllowlist, key, rules };
    return { onAllowlist, key, rules, pendingOfKey: this.historyOf(key.limited.historyId).pending };
  }

  private ruleFacts(request: PaymentRequest, key: SpendingKey): NonNullable<IntentFacts['rules']> {
    const duplicateGuard = this.duplicateGuardOf(request, key);
    const { controls } = this.wallet;
    if (!controls) return { ...(duplicateGuard && { duplicateGuard }) };
    const payee = this.payees.factsOf(this.wallet, request, key.limited?.historyId);
    const coolingOff = this.cooling.factsOf(this.wallet, request, key.id, this.spending.now);
    return {
      ...(payee && { payee }),
      ...ruleFactsOf(controls, request),
      ...(coolingOff && { coolingOff }),
      ...(duplicateGuard && { duplicateGuard }),
    };
  }

  private duplicateGuardOf(request: PaymentRequest, key: SpendingKey) {
    const minutes = guardMinutesOf(request, this.wallet);
    if (minutes === 0) return undefined;
    const last = this.purchases.get(purchaseText(purchaseIdentity(this.wallet.id, key.id, request)));
    return duplicateGuardFacts(minutes, last, request.confirmSecondPurchase);
  }

  private approve(transaction: DecidedAttempt, key: SpendingKey): DecidedAttempt {
    const { facts, id: transactionId, createdAt: at } = transaction;
    const isPending = transaction.approval !== null;
    if (facts.duplicateGuard) {
      const identity = purchaseIdentity(this.wallet.id, key.id, transaction);
      this.purchases.set(purchaseText(identity), { transactionId, at, isPending });
    }
    this.cooling.approve(transaction, key.id, facts, isPending ? null : at);
    if (isPending) return transaction;
    const payeeFirstPaid = this.payees.approve(transaction, facts, key.limited?.historyId);
    return payeeFirstPaid ? { ...transaction, payeeFirstPaid } : transaction;
  }

  private pastLimit(request: PaymentRequest, keyId: string, ofIntent: IntentFacts): AppError | undefined {
    const count = this.blockedByKey.get(keyId)?.count ?? 0;
    const waitMs = this.limit.waitMs(keyId, count, this.spending.now);
    if (waitMs === 0) return undefined;
    const { facts, blockReason } = this.spending.quote(request, ofIntent);
    return blockReason === null
      ? undefined
      : this.limit.refusal(waitMs, blockMessage(facts, request, blockReason));
  }

  private countBlocked(keyId: string): void {
    const count = (this.blockedByKey.get(keyId)?.count ?? 0) + 1;
    this.blockedByKey.set(keyId, { walletId: this.wallet.id, keyId, count, at: this.spending.now });
  }

  private historyOf(id: string): HistoryTotals {
    return this.histories.get(id) ?? NO_ATTEMPTS;
  }

  private addToHistory(id: string, { blockReason, approval }: SpendingDecision): HistoryTotals {
    const { attempts, blocked, pending } = this.historyOf(id);
    const history = {
      attempts: attempts + 1,
      blocked: blockReason === null ? blocked : blocked + 1,
      pending: approval === null ? pending : pending + 1,
    };
    this.histories.set(id, history);
    return history;
  }
}
