import { hash, randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SettlementFailed } from '../settlement/settlement.events.js';
import { type Settlement, Settlements } from '../settlement/settlement.port.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { AppError } from '../../kernel/errors.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { GroupCommit, type Outcome } from '../../platform/batching/group-commit.js';
import { type Kobo, kobo } from '../../kernel/money.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import {
  type LockedWallet,
  type OwnedWallet,
  type SpendAccess,
  SpendableWallets,
  type WalletRules,
  Wallets,
} from '../wallet/wallet.port.js';
import { PaymentApproved, PaymentBlocked, WalletLocked } from './payments.events.js';
import {
  type AuditEvent,
  blockMessage,
  checkEvents,
  type Intent,
  SpendingWallet,
} from './payments.domain.js';
import {
  type DecisionFilter,
  type DayOfSpending,
  type IdempotencyRecord,
  type NewTransaction,
  PaymentsStore,
  type Spending,
  type SpendingQuery,
  type Transaction,
} from './payments.store.js';

/** A payment intent with the key that authorises it. */
export interface PaymentRequest extends Intent {
  readonly amount: Kobo;
  readonly keyHash: Buffer;
  readonly idempotencyKey: string | null;
}

/** What an intent led to, now or when its idempotency key was first used. */
export interface PaymentResult {
  readonly transaction: Transaction;
  readonly replayed: boolean;
}

/** What a wallet spent and may still spend, in kobo. */
export interface SpendingStats extends Omit<WalletRules, 'periodWindowDays'> {
  readonly balance: Kobo;
  readonly spentThisPeriod: number;
  readonly remainingAllowance: number;
}

/** An attempt as the paginated history shows it. */
export interface HistoryEntry {
  readonly transaction: Transaction;
  readonly settlement: Pick<Settlement, 'reference' | 'status'> | null;
  readonly auditEvents: readonly AuditEvent[];
}

/** How many attempts of a download are held at a time. */
const DOWNLOAD_PAGE_SIZE = 1_000;
/** Transactions under way at a time: with two, one is decided here while PostgreSQL writes the other (measured). */
const QUEUES = 2;
const LIMITS = { queueMax: 10_000, batchMax: 500, lockWaitsMax: 8, resultsPerTick: 4 };

const KEYS_REMEMBERED_MAX = 10_000;

/** What is to be read for one request. */
interface HistoryQuery {
  readonly wallet: SpendingQuery;
  readonly idempotencyKey: string | null;
}

/** What was read of the wallets' past. */
interface History {
  readonly spending: ReadonlyMap<string, Spending>;
  readonly idempotencyRecords: readonly IdempotencyRecord[];
}

@Injectable()
export class PaymentsService {
  /** Intents of one key always meet in the same queue, so that the queues never wait for each other's wallets. */
  private readonly queues = Array.from(
    { length: QUEUES },
    () =>
      new GroupCommit<PaymentRequest, PaymentResult>(
        (requests, wait) => this.database.transaction((tx) => this.decide(requests, wait, tx)),
        LIMITS,
      ),
  );

  /** Where keys led to when they were last looked up: a guess at what to read while the lock is being had. */
  private readonly walletByKeyHash = new Map<string, SpendingQuery>();

  constructor(
    private readonly store: PaymentsStore,
    private readonly wallets: Wallets,
    private readonly spendable: SpendableWallets,
    private readonly settlements: Settlements,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /**
   * Decides an intent under the wallet's lock and stores the attempt, approved or blocked, in the same commit as
   * everything that follows from it. With an idempotency key it is executed at most once.
   * Throws `INVALID_API_KEY`, `IDEMPOTENCY_KEY_REUSED`, `OVERLOADED` (nothing was tried) and `OUTCOME_UNKNOWN`.
   */
  pay(request: PaymentRequest): Promise<PaymentResult> {
    const queue = this.queues[(request.keyHash[0] ?? 0) % QUEUES] as GroupCommit<
      PaymentRequest,
      PaymentResult
    >;
    return queue.submit(request);
  }

  /** Throws `INVALID_API_KEY` unless the key is a live one: it is looked at before the body is. */
  async requireKey(keyHash: Buffer): Promise<void> {
    await this.wallets.requireKey(keyHash);
  }

  private async decide(
    requests: readonly PaymentRequest[],
    wait: boolean,
    tx: Tx,
  ): Promise<Outcome<PaymentResult>[]> {
    const guesses = requests.map(({ keyHash }) => this.walletByKeyHash.get(cacheKey(keyHash)));
    // One round trip: PostgreSQL runs one after the other what is sent together, so this is read under the lock.
    const [access, prefetched] = await Promise.all([
      this.spendable.lockForSpending(requests, wait, tx),
      this.read(
        requests.flatMap(({ idempotencyKey }, i) => {
          const wallet = guesses[i];
          return wallet ? [{ wallet, idempotencyKey }] : [];
        }),
        tx,
      ),
    ]);
    const misses = requests.flatMap(({ keyHash, idempotencyKey }, i): HistoryQuery[] => {
      const found = access[i];
      if (found?.kind !== 'locked' || isPrefetchValid(guesses[i], found.wallet, prefetched)) return [];
      const { id, periodWindowDays, updatedAt: notBefore } = found.wallet;
      const wallet = { id, periodWindowDays, notBefore };
      this.rememberKey(keyHash, wallet);
      return [{ wallet, idempotencyKey }];
    });
    const batch = new Batch([prefetched, await this.read(misses, tx)]);
    const outcomes = requests.map((request, i) => batch.decide(request, access[i] as SpendAccess));
    if (batch.decided.length > 0) this.store.add(batch.decided, tx);
    await this.events.publish(
      batch.decided.filter(({ blockReason }) => blockReason === null).map(approval),
      tx,
    );
    await this.events.publish(batch.decided.flatMap(refusal), tx);
    return outcomes;
  }

  /** Reads in one round trip what decisions on these wallets need to know. */
  private async read(readings: readonly HistoryQuery[], tx: Tx): Promise<History> {
    if (readings.length === 0) return { spending: new Map(), idempotencyRecords: [] };
    const wallets = new Map(readings.map(({ wallet }) => [wallet.id, wallet]));
    const keyed = readings.flatMap(({ wallet, idempotencyKey }) =>
      idempotencyKey === null ? [] : [{ walletId: wallet.id, idempotencyKey }],
    );
    const [spending, idempotencyRecords] = await Promise.all([
      this.store.spending([...wallets.values()], tx),
      keyed.length > 0 ? this.store.firstUses(keyed, tx) : [],
      this.events.publish(
        [...wallets.keys()].map((id) => new WalletLocked(id)),
        tx,
      ),
    ]);
    return { spending, idempotencyRecords };
  }

  private rememberKey(keyHash: Buffer, wallet: SpendingQuery): void {
    const [oldest] = this.walletByKeyHash.keys();
    if (this.walletByKeyHash.size >= KEYS_REMEMBERED_MAX && oldest !== undefined)
      this.walletByKeyHash.delete(oldest);
    this.walletByKeyHash.set(cacheKey(keyHash), wallet);
  }

  /** What the wallet spent in its window and may still spend. Throws `WALLET_NOT_FOUND`. */
  async stats(walletId: string, userId: string): Promise<SpendingStats> {
    const [stats] = await this.statsOf([await this.wallets.requireOwned(walletId, userId)]);
    const { walletId: _, ...rest } = stats as SpendingStats & { walletId: string };
    return rest;
  }

  /** The same of every wallet of a user. */
  async statsOfAll(userId: string): Promise<(SpendingStats & { walletId: string })[]> {
    return this.statsOf(await this.wallets.ownedBy(userId));
  }

  private async statsOf(wallets: readonly OwnedWallet[]): Promise<(SpendingStats & { walletId: string })[]> {
    const queries = wallets.map(({ id, periodWindowDays }) => ({
      id,
      periodWindowDays,
      notBefore: new Date(0),
    }));
    const spending = await this.store.spending(queries, this.database);
    return wallets.map(({ id, balance, spendLimitPerTx, spendLimitPeriod }) => {
      const spentThisPeriod = spending.get(id)?.spent ?? 0;
      const remainingAllowance = spendLimitPeriod - spentThisPeriod;
      return {
        walletId: id,
        balance,
        spendLimitPerTx,
        spendLimitPeriod,
        spentThisPeriod,
        remainingAllowance,
      };
    });
  }

  /** What one wallet did, or all of a user's when `walletId` is null, in the last days. Throws `WALLET_NOT_FOUND`. */
  async byDay(
    walletId: string | null,
    userId: string,
    days: number,
    timeZone: string,
  ): Promise<DayOfSpending[]> {
    const ids =
      walletId === null
        ? await this.wallets.idsOwnedBy(userId)
        : [(await this.wallets.requireOwned(walletId, userId)).id];
    return this.store.byDay(ids, days, timeZone);
  }

  /** One page of attempts, newest first. Throws `WALLET_NOT_FOUND`. */
  async history(
    walletId: string,
    userId: string,
    request: PageRequest,
    decision?: DecisionFilter,
  ): Promise<Page<HistoryEntry>> {
    const { rows, total } = await this.list(walletId, userId, request, decision);
    return { rows: await this.withSettlements(rows), total };
  }

  /** One attempt. Throws `WALLET_NOT_FOUND` and `TRANSACTION_NOT_FOUND`. */
  async attempt(walletId: string, userId: string, transactionId: string): Promise<HistoryEntry> {
    const { id } = await this.wallets.requireOwned(walletId, userId);
    const transaction = await this.store.find(transactionId, id);
    return this.entryOf(transaction);
  }

  /** All attempts, newest first, in bounded pages. Throws `WALLET_NOT_FOUND`. */
  async *exportHistory(walletId: string, userId: string): AsyncGenerator<readonly HistoryEntry[], void> {
    const { id } = await this.wallets.requireOwned(walletId, userId);
    for await (const page of this.store.all(id, DOWNLOAD_PAGE_SIZE)) yield await this.withSettlements(page);
  }

  private async withSettlements(rows: readonly Transaction[]): Promise<HistoryEntry[]> {
    const approved = rows.filter(({ blockReason }) => blockReason === null);
    const settlements = await this.settlements.of(approved.map(({ id }) => id));
    return rows.map((transaction) => {
      const settlement = settlements.get(transaction.id);
      const checks = checkEvents(transaction.facts, transaction, transaction.blockReason);
      return {
        transaction,
        settlement: settlement ? { reference: settlement.reference, status: settlement.status } : null,
        auditEvents: [...checks, ...(settlement?.steps ?? [])],
      };
    });
  }

  /** One attempt of this wallet. Throws `TRANSACTION_NOT_FOUND`. */
  async get(transactionId: string, walletId: string): Promise<HistoryEntry> {
    const transaction = await this.store.find(transactionId, walletId);
    return this.entryOf(transaction);
  }

  private async entryOf(transaction: Transaction | null): Promise<HistoryEntry> {
    if (!transaction)
      throw new AppError('TRANSACTION_NOT_FOUND', 'No transaction of this wallet has this id.');
    const [entry] = await this.withSettlements([transaction]);
    return entry as HistoryEntry;
  }

  /** The same page without its settlements. */
  async list(
    walletId: string,
    userId: string,
    request: PageRequest,
    decision?: DecisionFilter,
  ): Promise<Page<Transaction>> {
    const { id } = await this.wallets.requireOwned(walletId, userId);
    return this.store.page(id, request, decision);
  }

  /** The newest attempts over all wallets of a user. */
  async recent(userId: string, limit: number): Promise<Transaction[]> {
    return this.store.recent(await this.wallets.idsOwnedBy(userId), limit);
  }

  @InTransaction(SettlementFailed)
  recordRefunds(failures: readonly SettlementFailed[], tx: Tx): void {
    this.store.addRefunds(failures, tx);
  }
}

/** The decisions of one transaction, in the order in which the intents arrived. */
class Batch {
  readonly decided: NewTransaction[] = [];
  private readonly states = new Map<
    string,
    { wallet: SpendingWallet; seq: number; spentTotal: bigint; blockedTotal: number; now: Date }
  >();
  private readonly spending: ReadonlyMap<string, Spending>;
  private readonly firstUses: Map<string, { transaction: Transaction; fingerprint: Buffer }>;

  /** Of what was read twice, the later word counts. */
  constructor(histories: readonly History[]) {
    this.spending = new Map(histories.flatMap(({ spending }) => [...spending]));
    this.firstUses = new Map(
      histories
        .flatMap(({ idempotencyRecords }) => idempotencyRecords)
        .map((use) => [
          `${use.walletId} ${use.idempotencyKey}`,
          { transaction: use, fingerprint: use.fingerprint },
        ]),
    );
  }

  decide(request: PaymentRequest, access: SpendAccess): Outcome<PaymentResult> {
    if (access.kind === 'held-elsewhere') return { rowLocked: access.walletId };
    if (access.kind === 'no-such-key') {
      return { refused: new AppError('INVALID_API_KEY', 'This x-api-key belongs to no wallet.') };
    }
    const { wallet, onAllowlist } = access;
    const fingerprint = request.idempotencyKey === null ? null : fingerprintOf(request);
    const use = `${wallet.id} ${request.idempotencyKey}`;
    const first = fingerprint && this.firstUses.get(use);
    if (first) {
      if (first.fingerprint.equals(fingerprint))
        return { done: { transaction: first.transaction, replayed: true } };
      return {
        refused: new AppError(
          'IDEMPOTENCY_KEY_REUSED',
          'This Idempotency-Key was used for another payment. Nothing was carried out; use a new key for a new payment.',
        ),
      };
    }
    const state = this.stateOf(access);
    const { facts, blockReason } = state.wallet.authorise(request, onAllowlist);
    state.seq += 1;
    if (blockReason === null) state.spentTotal += BigInt(request.amount);
    else state.blockedTotal += 1;
    const transaction: NewTransaction = {
      // Ids of one millisecond come in no order: that of transactions is their seq.
      id: randomUUIDv7(),
      walletId: wallet.id,
      seq: state.seq,
      amount: request.amount,
      merchant: request.merchant,
      merchantName: request.merchantName,
      recipientAccountNo: request.recipientAccountNo,
      recipientBankCode: request.recipientBankCode,
      reason: request.reason,
      blockReason,
      facts,
      spentTotal: state.spentTotal,
      blockedTotal: state.blockedTotal,
      createdAt: state.now,
      idempotencyKey: request.idempotencyKey,
      fingerprint,
    };
    this.decided.push(transaction);
    if (fingerprint) this.firstUses.set(use, { transaction, fingerprint });
    return { done: { transaction, replayed: false } };
  }

  private stateOf({ wallet }: Extract<SpendAccess, { kind: 'locked' }>) {
    let state = this.states.get(wallet.id);
    if (!state) {
      const spending = this.spending.get(wallet.id);
      if (!spending) throw new Error(`the spending of wallet ${wallet.id} was not read`);
      const { now, lastSeq, spentTotal, blockedTotal, spent } = spending;
      state = { wallet: new SpendingWallet(wallet, spent, now), seq: lastSeq, spentTotal, blockedTotal, now };
      this.states.set(wallet.id, state);
    }
    return state;
  }
}

/** Whether what was read on a guess is what the locked wallet calls for. */
function isPrefetchValid(
  guess: SpendingQuery | undefined,
  wallet: LockedWallet,
  { spending }: History,
): boolean {
  const read = spending.get(wallet.id);
  return (
    guess?.id === wallet.id &&
    guess.periodWindowDays === wallet.periodWindowDays &&
    read !== undefined &&
    read.now >= wallet.updatedAt
  );
}

function cacheKey(keyHash: Buffer): string {
  return keyHash.toString('latin1');
}

/** What makes two bodies the same payment: the fields after validation, whatever their order or spacing was. */
function fingerprintOf(intent: Intent): Buffer {
  const { amount, merchantName, recipientAccountNo, recipientBankCode, reason } = intent;
  const fields = [amount, merchantName, recipientAccountNo, recipientBankCode, reason];
  return hash('sha256', JSON.stringify(fields), 'buffer');
}

function approval(transaction: NewTransaction): PaymentApproved {
  return new PaymentApproved({
    transactionId: transaction.id,
    walletId: transaction.walletId,
    amount: kobo(transaction.amount),
    merchant: transaction.merchant,
    merchantName: transaction.merchantName,
    recipientAccountNo: transaction.recipientAccountNo,
    recipientBankCode: transaction.recipientBankCode,
    reason: transaction.reason,
    at: transaction.createdAt,
    balanceAfter: kobo(transaction.facts.balance - transaction.amount),
  });
}

/** The event of a blocked attempt; none for an approved one. */
function refusal(transaction: NewTransaction): PaymentBlocked[] {
  const { blockReason, facts } = transaction;
  if (blockReason === null) return [];
  return [
    new PaymentBlocked({
      transactionId: transaction.id,
      walletId: transaction.walletId,
      amount: kobo(transaction.amount),
      merchant: transaction.merchant,
      merchantName: transaction.merchantName,
      recipientAccountNo: transaction.recipientAccountNo,
      recipientBankCode: transaction.recipientBankCode,
      reason: transaction.reason,
      at: transaction.createdAt,
      blockReason,
      message: blockMessage(facts, transaction, blockReason),
    }),
  ];
}
