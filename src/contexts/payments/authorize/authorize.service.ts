import { Injectable } from '@nestjs/common';
import { SettlementFailed } from '../../settlement/settlement.events.js';
import { Database, type Tx } from '../../../platform/database/database.js';
import { Events, InTransaction } from '../../../platform/events/events.js';
import { GroupCommit, type Outcome } from '../../../platform/batching/group-commit.js';
import { type LockedWallet, type SpendAccess, SpendableWallets, Wallets } from '../../wallet/wallet.port.js';
import { PaymentApproved } from '../payments.events.js';
import { PaymentsStore, type SpendingQuery } from '../payments.store.js';
import { DecisionBatch, type History, type PaymentRequest, type PaymentResult } from './decision-batch.js';

/** Transactions under way at a time: with two, one is decided here while PostgreSQL writes the other (measured). */
const QUEUES = 2;
const LIMITS = { queueMax: 10_000, batchMax: 500, lockWaitsMax: 8, resultsPerTick: 4 };

const KEYS_REMEMBERED_MAX = 10_000;

/** What is to be read for one request. */
interface HistoryQuery {
  readonly wallet: SpendingQuery;
  readonly idempotencyKey: string | null;
}

/** Decides payment intents: the lock, the decision, the record and what follows from it are one transaction. */
@Injectable()
export class AuthorizeService {
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
    const batch = new DecisionBatch([prefetched, await this.read(misses, tx)]);
    const outcomes = requests.map((request, i) => batch.decide(request, access[i] as SpendAccess));
    if (batch.decided.length > 0) this.store.add(batch.decided, tx);
    const { approved, blocked } = batch.events();
    await this.events.publish(approved, tx);
    await this.events.publish(blocked, tx);
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
      this.events.prefetch(PaymentApproved, [...wallets.keys()], tx),
    ]);
    return { spending, idempotencyRecords };
  }

  private rememberKey(keyHash: Buffer, wallet: SpendingQuery): void {
    const [oldest] = this.walletByKeyHash.keys();
    if (this.walletByKeyHash.size >= KEYS_REMEMBERED_MAX && oldest !== undefined)
      this.walletByKeyHash.delete(oldest);
    this.walletByKeyHash.set(cacheKey(keyHash), wallet);
  }

  @InTransaction(SettlementFailed)
  recordRefunds(failures: readonly SettlementFailed[], tx: Tx): void {
    this.store.addRefunds(failures, tx);
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
