import { Injectable } from '@nestjs/common';
import { SettlementFailed, SettlementReversed } from '../../settlement/settlement.events.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events, InTransaction } from '../../../platform/events/events.js';
import { GroupCommit, type Outcome } from '../../../platform/batching/group-commit.js';
import { type PayeeQuery, Payees } from '../../wallet/payees/payees.port.js';
import { type KeyHash, SpendableWallets, type SpendAccess, Wallets } from '../../wallet/wallet.port.js';
import { lacksRecipient, payeeQuery, readsPayees } from '../rules/payees/payees.domain.js';
import { PaymentApproved } from '../payments.events.js';
import type { PaymentLoad } from '../payments.port.js';
import {
  type Purchase,
  type PurchaseIdentity,
  purchaseIdentity,
  purchaseText,
} from '../rules/duplicate-guard/duplicate-guard.domain.js';
import { RecentPurchasesStore } from '../rules/duplicate-guard/recent-purchases.store.js';
import { DuplicateGuardChosen } from '../../wallet/wallet.events.js';
import { type HistoryRef, PaymentsStore, type WindowQuery } from '../payments.store.js';
import { isWindowCurrent, type WindowReading } from '../spending-wallet.domain.js';
import { approvalRequested, approved, blocked, coolingOffSpent, limitedKeyPaid } from './attempt-events.js';
import {
  DecisionBatch,
  guardMinutesOf,
  type History,
  NO_PAYEES_READ,
  NOTHING_READ,
  type PaymentQuote,
  type PaymentRequest,
  type PaymentResult,
  RECIPIENT_UNASKED,
} from './decision-batch.js';
import { BlockedAttemptsStore } from './blocked-attempts.store.js';
import { type KnownKey, KnownKeys } from './known-keys.js';
import { Recipients } from './recipients.js';
import { filterMap, mapped } from '../../../kernel/mapped.js';

const LIMITS = { queueMax: 10_000, batchMax: 500, lockWaitsMax: 8, resultsPerTick: 16 };

/** Several wallets: results are handed to callers while PostgreSQL works (measured). */
const PAYMENT_LIMITS = {
  ...LIMITS,
  decidesFirst: ([first, ...rest]: readonly PaymentRequest[]): boolean =>
    first !== undefined && rest.some(({ keyHash }) => keyHash !== first.keyHash),
};

/** From here on, sending the attempts early saves time (measured). */
const SENT_AHEAD_MIN = 8;

const QUOTE_LIMITS = { ...LIMITS, queueMax: 1_000, batchMax: 100 };

interface HistoryQuery {
  readonly wallet: WindowQuery;
  readonly needsWindow: boolean;
  readonly idempotencyKey: string | null;
  /** Null: a key without limits. */
  readonly historyId: string | null;
  /** Null: the duplicate guard is off. */
  readonly purchase: PurchaseIdentity | null;
  /** Null: no rule reads payees. */
  readonly payee: PayeeQuery | null;
}

/** Decides payment intents. Lock, decision, record and consequences are one transaction. */
@Injectable()
export class AuthorizeService implements PaymentLoad {
  /** One transaction at a time: two would be half as large at almost the same cost each (measured). */
  private readonly queue = new GroupCommit<PaymentRequest, PaymentResult | typeof RECIPIENT_UNASKED>(
    (requests, wait, decided) =>
      this.database.transaction(async (tx) => {
        const outcomes = await this.decide(requests, wait, tx);
        decided();
        return outcomes;
      }),
    PAYMENT_LIMITS,
  );

  /** Quotes that arrive together are read together on one connection. */
  private readonly quotes = new GroupCommit<PaymentRequest, PaymentQuote>(
    (requests) => this.database.transaction((tx) => this.look(requests, tx)),
    QUOTE_LIMITS,
  );

  private readonly knownKeys = new KnownKeys();

  constructor(
    private readonly store: PaymentsStore,
    private readonly purchases: RecentPurchasesStore,
    private readonly wallets: Wallets,
    private readonly spendable: SpendableWallets,
    private readonly payees: Payees,
    private readonly recipients: Recipients,
    private readonly blockedAttempts: BlockedAttemptsStore,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  get undecided(): number {
    return this.queue.pending;
  }

  /**
   * Decides an intent under the wallet's lock and stores the attempt with all consequences in one commit.
   * With an idempotency key it is executed at most once. Throws `INVALID_API_KEY`, `IDEMPOTENCY_KEY_REUSED`,
   * `RATE_LIMITED` (nothing stored), `OVERLOADED` (nothing tried), `OUTCOME_UNKNOWN`, and `BANK_UNAVAILABLE`
   * if the recipient must be verified (nothing decided).
   */
  async pay(request: PaymentRequest): Promise<PaymentResult> {
    const known = this.recipients.known(request);
    const result = await this.queue.submit(known ? { ...request, recipient: known } : request);
    if (result !== RECIPIENT_UNASKED) return result;
    // Nothing is locked while the bank is asked.
    const recipient = await this.recipients.ask(request);
    const decided = await this.queue.submit({ ...request, recipient });
    if (decided === RECIPIENT_UNASKED) throw new Error('the recipient was asked for, and is asked for again');
    return decided;
  }

  /**
   * Returns the decision that the intent would get now; locks and stores nothing. Throws `INVALID_API_KEY`,
   * `OVERLOADED`, and `BANK_UNAVAILABLE` if the recipient is not verified within `recipientMsMax`.
   */
  async quote(request: PaymentRequest, recipientMsMax?: number): Promise<PaymentQuote> {
    const known = this.recipients.known(request);
    const quote = await this.quotes.submit(known ? { ...request, recipient: known } : request);
    if (quote.facts.recipient !== 'unasked') return quote;
    try {
      const recipient = await this.recipients.ask(request, recipientMsMax);
      return await this.quotes.submit({ ...request, recipient });
    } catch (error) {
      // A quote that something else blocks does not need the bank.
      if (lacksRecipient(quote.facts, request, quote.blockReason)) throw error;
      return quote;
    }
  }

  /** Throws `INVALID_API_KEY` unless the key is live. Called before the body is read. */
  async requireKey(keyHash: KeyHash): Promise<void> {
    await this.wallets.requireKey(keyHash);
  }

  private async decide(
    requests: readonly PaymentRequest[],
    wait: boolean,
    tx: Tx,
  ): Promise<Outcome<PaymentResult | typeof RECIPIENT_UNASKED>[]> {
    // One round trip: statements sent together run in order, so the rest is read under the lock.
    const locking = this.spendable.lockForSpending(requests, wait, tx);
    const { access, batch, guesses } = await this.prepare(requests, locking, tx);
    const outcomes = mapped(requests, (request, i) => batch.decide(request, access[i] as SpendAccess));
    this.store.add(batch.decided, tx);
    if (batch.decided.length >= SENT_AHEAD_MIN) tx.sendAhead();
    this.purchases.add(batch.purchases, tx);
    const wallets = batch.outcomes();
    const happened = [
      wallets,
      filterMap(batch.decided, limitedKeyPaid),
      filterMap(batch.decided, approved),
      batch.payeesPaid,
      filterMap(batch.decided, coolingOffSpent),
      filterMap(batch.decided, approvalRequested),
      filterMap(batch.decided, blocked),
    ];
    for (const events of happened) if (events.length > 0) await this.events.publish<object>(events, tx);
    this.blockedAttempts.count([...batch.blocked.values()], tx);
    this.knownKeys.remember(requests, access, guesses, wallets);
    return outcomes;
  }

  /** Reads in one snapshot, without locks. */
  private async look(requests: readonly PaymentRequest[], tx: Tx): Promise<Outcome<PaymentQuote>[]> {
    tx.write('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const looking = this.spendable.lookForSpending(requests, tx);
    const { access, batch } = await this.prepare(requests, looking, tx);
    return mapped(requests, (request, i) => batch.quote(request, access[i] as SpendAccess));
  }

  /** Reads all inputs of the decisions, behind the statements of `reaching`. */
  private async prepare(
    requests: readonly PaymentRequest[],
    reaching: Promise<readonly SpendAccess[]>,
    tx: Tx,
  ): Promise<{
    access: readonly SpendAccess[];
    batch: DecisionBatch;
    guesses: readonly (KnownKey | undefined)[];
  }> {
    const guesses = this.knownKeys.of(requests);
    const [access, prefetched] = await Promise.all([
      reaching,
      this.read(
        filterMap(requests, (request, i): HistoryQuery | undefined => {
          const guess = guesses[i];
          if (!guess) return undefined;
          const { wallet, keyId, historyId, windowHoldsUntil: until } = guess;
          const payee = guess.readsPayees ? payeeQuery(request, wallet.id, keyId, historyId) : null;
          const purchase = guess.isGuarded ? purchaseIdentity(wallet.id, keyId, request) : null;
          const needsWindow = until !== null && until <= Date.now();
          const { idempotencyKey } = request;
          return { wallet, needsWindow, idempotencyKey, historyId, payee, purchase };
        }),
        tx,
      ),
    ]);
    const misses = filterMap(requests, (request, i): HistoryQuery | undefined => {
      const found = access[i];
      if (found?.kind !== 'locked') return undefined;
      const { wallet, key } = found;
      const guess = guesses[i];
      const isGuessed = guess?.wallet.id === wallet.id;
      const window = prefetched.windows.get(wallet.id);
      const needsWindow = !isWindowCurrent(wallet) && window?.days !== wallet.periodWindowDays;
      const needsPayee = readsPayees(wallet) && !(isGuessed && guess.readsPayees);
      const needsPurchase = guardMinutesOf(request, wallet) > 0 && !(isGuessed && guess.isGuarded);
      if (isGuessed && !needsWindow && !needsPayee && !needsPurchase) return undefined;
      const purchase = needsPurchase ? purchaseIdentity(wallet.id, key.id, request) : null;
      const historyId = key.limited?.historyId ?? null;
      const payee = needsPayee ? payeeQuery(request, wallet.id, key.id, historyId) : null;
      const { idempotencyKey } = request;
      return { wallet, needsWindow, idempotencyKey, historyId, payee, purchase };
    });
    return {
      access,
      batch: new DecisionBatch([prefetched, await this.read(misses, tx)], this.blockedAttempts),
      guesses,
    };
  }

  /** Reads the given wallets' past in one round trip. */
  private async read(queries: readonly HistoryQuery[], tx: Tx): Promise<History> {
    if (queries.length === 0) return NOTHING_READ;
    const wallets = new Set<string>();
    const unread = new Map<string, WindowQuery>();
    const keyed: { walletId: string; idempotencyKey: string }[] = [];
    const lines = new Map<string, HistoryRef>();
    const paying: PayeeQuery[] = [];
    const guarded = new Map<string, PurchaseIdentity>();
    for (const { wallet, needsWindow, idempotencyKey, historyId, payee, purchase } of queries) {
      wallets.add(wallet.id);
      if (needsWindow) unread.set(wallet.id, wallet);
      if (idempotencyKey !== null) keyed.push({ walletId: wallet.id, idempotencyKey });
      if (historyId !== null) lines.set(historyId, { walletId: wallet.id, id: historyId });
      if (payee) paying.push(payee);
      if (purchase) guarded.set(purchaseText(purchase), purchase);
    }
    const prefetching = this.events.prefetch(PaymentApproved, [...wallets], tx);
    if (unread.size + keyed.length + lines.size + paying.length + guarded.size === 0) {
      await prefetching;
      return NOTHING_READ;
    }
    const [windows, idempotencyRecords, histories, payees, purchases] = await Promise.all([
      unread.size > 0 ? this.store.windows([...unread.values()], tx) : new Map<string, WindowReading>(),
      keyed.length > 0 ? this.store.usesOf(keyed, tx) : [],
      lines.size > 0 ? this.store.histories([...lines.values()], tx) : NOTHING_READ.histories,
      paying.length > 0 ? this.payees.read(paying, tx) : NO_PAYEES_READ,
      guarded.size > 0 ? this.purchases.newest([...guarded.values()], tx) : new Map<string, Purchase>(),
      prefetching,
    ]);
    return { windows, idempotencyRecords, histories, payees, purchases };
  }

  @InTransaction(SettlementFailed)
  recordRefunds(failures: readonly SettlementFailed[], tx: Tx): void {
    this.store.addRefunds(failures, tx);
  }

  @InTransaction(SettlementReversed)
  recordReturns(reversals: readonly SettlementReversed[], tx: Tx): void {
    this.store.addReturns(
      reversals.filter(({ isWithdrawal }) => !isWithdrawal),
      tx,
    );
  }

  /** A guard that is switched on knows earlier purchases. */
  @InTransaction(DuplicateGuardChosen)
  async catchUp(choices: readonly DuplicateGuardChosen[], tx: Tx): Promise<void> {
    for (const { walletId, before, after } of choices) {
      if (after > before) await this.purchases.catchUp(walletId, after, tx);
    }
  }
}
