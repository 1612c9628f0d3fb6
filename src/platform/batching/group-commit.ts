import { isUnavailable } from '../database/failures.js';
import { withoutRequestId } from '../observability/request-id.js';
import { AppError } from '../../kernel/errors.js';
import { mapped } from '../../kernel/mapped.js';

/** Deferred: its row is locked elsewhere. */
export type Outcome<Result> =
  { readonly done: Result } | { readonly refused: AppError } | { readonly rowLocked: string };

/**
 * Runs items as one transaction, in their order. With `wait` it waits for locked rows instead of skipping them.
 * It may call `decided` once only the work of the database is left.
 */
export type BatchRun<Item, Result> = (
  items: readonly Item[],
  wait: boolean,
  decided: () => void,
) => Promise<readonly Outcome<Result>[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface GroupCommitLimits<Item = unknown> {
  /** Items that may wait at once; beyond it `OVERLOADED`. */
  readonly queueMax: number;
  /** Items per transaction. */
  readonly batchMax: number;
  /** Locked rows waited for at once, each on its own connection. */
  readonly lockWaitsMax: number;
  /** Results delivered per turn of the event loop. */
  readonly resultsPerTick: number;
  /** Delays a lone item to the end of its turn of the event loop, to batch what arrives in it. */
  readonly gathersTurn?: boolean;
  /** Delivers results while the database works on batch `next` instead of before it; suits slow batches. */
  readonly decidesFirst?: (next: readonly Item[]) => boolean;
}

/** Longest that results wait for the next batch, in ms. */
const RESULTS_HELD_MS_MAX = 5;

/**
 * Group commit: items that arrive while a transaction runs go together as the next one.
 *
 * - A lone item starts at once; nothing waits to fill a batch.
 * - Results are delivered a few per turn of the event loop, so that they do not delay the next transaction.
 * - One batch runs at a time. An item whose row is locked elsewhere waits for the lock in a queue of its own.
 * - A failed batch is run again one by one, except after a commit of unknown fate: it may stand.
 */
export class GroupCommit<Item, Result> {
  private queue: Waiting<Item, Result>[] = [];
  private running = false;
  private waitingCount = 0;
  private underWay = 0;
  private readonly lockWaitQueues = new Map<string, Waiting<Item, Result>[]>();
  private readonly activeLockWaits = new Set<string>();
  private handOutHeld: (() => void) | undefined;

  constructor(
    private readonly run: BatchRun<Item, Result>,
    private readonly limits: GroupCommitLimits<Item>,
  ) {}

  get pending(): number {
    return this.queue.length + this.underWay;
  }

  /** Items without an answer. */
  get waiting(): number {
    return this.waitingCount;
  }

  /** Resolves once the transaction of `item` is committed. */
  submit(item: Item): Promise<Result> {
    if (this.waitingCount >= this.limits.queueMax) return Promise.reject(overloaded());
    this.waitingCount += 1;
    return new Promise<Result>((resolve, reject) => {
      this.queue.push({
        item,
        resolve: (result) => {
          this.waitingCount -= 1;
          resolve(result);
        },
        reject: (error) => {
          this.waitingCount -= 1;
          reject(Error.isError(error) ? error : new Error(String(error)));
        },
      });
      if (this.running) return;
      this.running = true;
      const start = (): void => void withoutRequestId(() => this.drain());
      if (this.limits.gathersTurn) queueMicrotask(start);
      else start();
    });
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, this.limits.batchMax);
      this.underWay = batch.length;
      await this.runBatch(batch, false);
    }
    this.underWay = 0;
    this.running = false;
  }

  private async runBatch(batch: readonly Waiting<Item, Result>[], wait: boolean): Promise<void> {
    try {
      const outcomes = await this.run(
        mapped(batch, ({ item }) => item),
        wait,
        () => {
          // Not before what was decided is on its way.
          if (this.handOutHeld) setImmediate(this.handOutHeld);
        },
      );
      if (!wait && this.isNextDecidedFirst()) this.hold(batch, outcomes);
      else this.resolveResults(batch, outcomes, 0);
    } catch (error) {
      if (error instanceof AppError || isUnavailable(error) || batch.length === 1) {
        for (const waiting of batch) waiting.reject(error);
      } else {
        for (const waiting of batch) await this.runBatch([waiting], wait);
      }
    }
  }

  private isNextDecidedFirst(): boolean {
    if (this.queue.length === 0 || !this.limits.decidesFirst) return false;
    return this.limits.decidesFirst(mapped(this.queue.slice(0, this.limits.batchMax), ({ item }) => item));
  }

  /** Delivers the results once the next batch, which begins at once, is decided. */
  private hold(batch: readonly Waiting<Item, Result>[], outcomes: readonly Outcome<Result>[]): void {
    this.handOutHeld?.();
    const handOut = (): void => {
      if (this.handOutHeld !== handOut) return;
      clearTimeout(timer);
      this.handOutHeld = undefined;
      this.resolveResults(batch, outcomes, 0);
    };
    const timer = setTimeout(handOut, RESULTS_HELD_MS_MAX);
    this.handOutHeld = handOut;
  }

  private resolveResults(
    batch: readonly Waiting<Item, Result>[],
    outcomes: readonly Outcome<Result>[],
    from: number,
  ): void {
    const to = Math.min(from + this.limits.resultsPerTick, batch.length);
    for (let i = from; i < to; i += 1) this.settle(batch[i] as Waiting<Item, Result>, outcomes[i]);
    if (to < batch.length) setImmediate(() => this.resolveResults(batch, outcomes, to));
  }

  private settle(waiting: Waiting<Item, Result>, outcome: Outcome<Result> | undefined): void {
    if (!outcome) waiting.reject(new Error('the batch left an item without an outcome'));
    else if ('done' in outcome) waiting.resolve(outcome.done);
    else if ('refused' in outcome) waiting.reject(outcome.refused);
    else this.defer(outcome.rowLocked, waiting);
  }

  private defer(row: string, waiting: Waiting<Item, Result>): void {
    const queue = this.lockWaitQueues.get(row);
    if (queue) queue.push(waiting);
    else this.lockWaitQueues.set(row, [waiting]);
    if (this.activeLockWaits.size < this.limits.lockWaitsMax)
      void withoutRequestId(() => this.drainLockWaits());
  }

  /** One of at most `lockWaitsMax` workers; each waits for one locked row at a time. */
  private async drainLockWaits(): Promise<void> {
    for (let row = this.nextLockedRow(); row !== undefined; row = this.nextLockedRow()) {
      const batch = this.lockWaitQueues.get(row)?.splice(0, this.limits.batchMax) ?? [];
      this.activeLockWaits.add(row);
      await this.runBatch(batch, true);
      this.activeLockWaits.delete(row);
    }
  }

  private nextLockedRow(): string | undefined {
    for (const [row, queue] of this.lockWaitQueues) {
      if (this.activeLockWaits.has(row)) continue;
      if (queue.length > 0) return row;
      this.lockWaitQueues.delete(row);
    }
    return undefined;
  }
}

/** Nothing was tried: the queue is full. */
export function overloaded(): AppError {
  return new AppError('OVERLOADED', 'Nothing was carried out: the service is busy. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
