import { Injectable } from '@nestjs/common';
import { filterMap, mapped } from '../../../kernel/mapped.js';
import { type BatchRun, GroupCommit, type Outcome } from '../../../platform/batching/group-commit.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events, InTransaction } from '../../../platform/events/events.js';
import { inSpan, isTraced } from '../../../platform/observability/tracing.js';
import { NameEnquiry } from '../../bank/name-enquiry.port.js';
import { SettlementReversed } from '../../settlement/settlement.events.js';
import { WalletCredited } from '../../wallet/wallet.events.js';
import { type KeyHash, SpendableWallets, type SpendAccess, Wallets } from '../../wallet/wallet.port.js';
import type { WalletLimitReached } from '../limit-warnings/limit-warnings.domain.js';
import { LimitWarningsStore } from '../limit-warnings/limit-warnings.store.js';
import { LimitWarned } from '../payments.events.js';
import { type PaymentLoad, recipientOf } from '../payments.port.js';
import { PaymentsStore } from '../payments.store.js';
import { lacksRecipient } from '../rules/payees/payees.domain.js';
import { RuleRecordsService } from '../rules/rule-records.service.js';
import { approvalRequested, approved, blocked } from './attempt-events.js';
import { BlockedAttemptsStore } from './blocked-attempts.store.js';
import { DecisionBatch } from './decision-batch.js';
import {
  type PaymentQuote,
  type PaymentRequest,
  type PaymentResult,
  RECIPIENT_UNVERIFIED,
} from './payments.aggregate.js';
import { PaymentMetrics } from './payment-metrics.service.js';
import { PaymentReadings } from './payment-readings.service.js';

const LIMITS = { queueMax: 10_000, batchMax: 500, lockWaitsMax: 8, resultsPerTick: 16 };

/** Several wallets: results are handed to callers while PostgreSQL works (measured). */
const PAYMENT_LIMITS = {
  ...LIMITS,
  decidesFirst: ([first, ...rest]: readonly PaymentRequest[]): boolean =>
    first !== undefined && rest.some(({ keyHash }) => keyHash !== first.keyHash),
};

const QUOTE_LIMITS = { ...LIMITS, queueMax: 1_000, batchMax: 100 };

/** Lock, decision, record and consequences are one transaction. */
@Injectable()
export class AuthorizeService implements PaymentLoad {
  /** One transaction at a time: two would be half as large at almost the same cost each (measured). */
  private readonly queue: GroupCommit<PaymentRequest, PaymentResult | typeof RECIPIENT_UNVERIFIED>;

  private readonly quotes = new GroupCommit<PaymentRequest, PaymentQuote>(
    (requests) => this.database.transaction((tx) => this.quoteBatch(requests, tx)),
    QUOTE_LIMITS,
  );

  constructor(
    private readonly store: PaymentsStore,
    private readonly readings: PaymentReadings,
    private readonly wallets: Wallets,
    private readonly spendable: SpendableWallets,
    private readonly rules: RuleRecordsService,
    private readonly names: NameEnquiry,
    private readonly blockedAttempts: BlockedAttemptsStore,
    private readonly limitWarnings: LimitWarningsStore,
    private readonly database: Database,
    private readonly events: Events,
    private readonly metrics: PaymentMetrics,
  ) {
    const run: BatchRun<PaymentRequest, PaymentResult | typeof RECIPIENT_UNVERIFIED> = (
      requests,
      wait,
      decided,
    ) =>
      this.database.transaction(async (tx) => {
        const outcomes = await this.decide(requests, wait, tx);
        decided();
        return outcomes;
      });
    this.queue = new GroupCommit(metrics.watched(traced(run)), PAYMENT_LIMITS);
    metrics.watchQueue(() => this.queue.waiting);
  }

  get pendingDecisions(): number {
    return this.queue.pending;
  }

  /**
   * Stores the attempt with all consequences in one commit. With an idempotency key it is executed at most
   * once. Throws `INVALID_API_KEY`, `IDEMPOTENCY_KEY_REUSED`, `RATE_LIMITED` (nothing stored), `OVERLOADED`
   * (nothing tried), `OUTCOME_UNKNOWN`, and `BANK_UNAVAILABLE` if the recipient must be verified (nothing
   * decided).
   */
  async pay(request: PaymentRequest): Promise<PaymentResult> {
    const known = this.names.cached(recipientOf(request));
    const result = await this.queue.submit(known ? { ...request, recipient: known } : request);
    if (result !== RECIPIENT_UNVERIFIED) return result;
    // Nothing is locked while the bank is asked.
    const recipient = await this.names.verify(recipientOf(request));
    const decided = await this.queue.submit({ ...request, recipient });
    if (decided === RECIPIENT_UNVERIFIED)
      throw new Error('the recipient was asked for, and is asked for again');
    return decided;
  }

  /**
   * Locks and stores nothing. Throws `INVALID_API_KEY`, `OVERLOADED`, and `BANK_UNAVAILABLE` if the recipient
   * is not verified within `recipientMsMax`.
   */
  async quote(request: PaymentRequest, recipientMsMax?: number): Promise<PaymentQuote> {
    const known = this.names.cached(recipientOf(request));
    const quote = await this.quotes.submit(known ? { ...request, recipient: known } : request);
    if (quote.facts.recipient !== 'unasked') return quote;
    try {
      const recipient = await this.names.verify(recipientOf(request), recipientMsMax);
      return await this.quotes.submit({ ...request, recipient });
    } catch (error) {
      if (lacksRecipient(quote.facts, request, quote.blockReason)) throw error;
      return quote;
    }
  }

  /** Throws `INVALID_API_KEY` unless the key is live. */
  async requireKey(keyHash: KeyHash): Promise<void> {
    await this.wallets.requireKey(keyHash);
  }

  private async decide(
    requests: readonly PaymentRequest[],
    wait: boolean,
    tx: Tx,
  ): Promise<Outcome<PaymentResult | typeof RECIPIENT_UNVERIFIED>[]> {
    // One round trip: statements sent together run in order, so the rest is read under the lock.
    const locking = this.spendable.lockForSpending(requests, wait, tx);
    const read = await this.readings.read(requests, locking, tx);
    const batch = new DecisionBatch(read.readings, this.blockedAttempts);
    const outcomes = mapped(requests, (request, i) => batch.decide(request, read.access[i] as SpendAccess));
    this.store.add(batch.decided, tx);
    await this.rules.record(batch.decided, tx);
    const wallets = batch.outcomes();
    const happened = [
      wallets,
      filterMap(batch.decided, approved),
      filterMap(batch.decided, approvalRequested),
      filterMap(batch.decided, blocked),
    ];
    for (const events of happened) if (events.length > 0) await this.events.publish<object>(events, tx);
    await this.warnOfLimits(batch.limitsReached(), tx);
    this.blockedAttempts.count(batch.blocked(), tx);
    this.readings.remember(requests, read, wallets);
    tx.afterCommit(() => this.metrics.count(batch.decided));
    return outcomes;
  }

  private async warnOfLimits(reached: readonly WalletLimitReached[], tx: Tx): Promise<void> {
    if (reached.length === 0) return;
    const warned = await this.limitWarnings.record(reached, tx);
    await this.events.publish(
      warned.map((each) => new LimitWarned(each)),
      tx,
    );
  }

  /** Reads in one snapshot, without locks. */
  private async quoteBatch(requests: readonly PaymentRequest[], tx: Tx): Promise<Outcome<PaymentQuote>[]> {
    tx.write('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const reading = this.spendable.readUnlocked(requests, tx);
    const { access, readings } = await this.readings.read(requests, reading, tx);
    const batch = new DecisionBatch(readings, this.blockedAttempts);
    return mapped(requests, (request, i) => batch.quote(request, access[i] as SpendAccess));
  }

  /** A credit caused by a payment is its refund. The wallet is locked. */
  @InTransaction(WalletCredited)
  releaseRefunded(credits: readonly WalletCredited[], tx: Tx): void {
    const refunded = credits
      .filter(({ cause }) => cause === 'payment')
      .map(({ walletId, reference: transactionId }) => ({ walletId, transactionId }));
    this.store.addRefunds(refunded, tx);
    this.rules.release(refunded, tx);
  }

  @InTransaction(SettlementReversed)
  recordReturns(reversals: readonly SettlementReversed[], tx: Tx): void {
    this.store.addReturns(
      reversals.filter(({ isWithdrawal }) => !isWithdrawal),
      tx,
    );
  }
}

/** One parent a span: the requests of a batch are links. */
function traced<Result>(run: BatchRun<PaymentRequest, Result>): BatchRun<PaymentRequest, Result> {
  if (!isTraced) return run;
  return (requests, wait, decided) =>
    inSpan(
      'payment batch',
      {
        parent: null,
        links: mapped(requests, ({ traceParent }) => traceParent),
        attributes: { 'wallet.batch_size': requests.length, 'wallet.lock_wait': wait },
      },
      () => run(requests, wait, decided),
    );
}
