import { isUnavailable } from '../database/failures.js';
import { withoutRequestId } from '../observability/request-id.js';
import { AppError } from '../../kernel/errors.js';
import { mapped } from '../../kernel/mapped.js';

/** What became of one item of a batch: answered, refused, or put off because its row is held elsewhere. */
export type Outcome<Result> =
  { readonly done: Result } | { readonly refused: AppError } | { readonly rowLocked: string };

/**
 * Runs items as one transaction, in their order. `wait` tells it to wait for held rows instead of skipping them. It calls
 * `decided` once all that is left is the database's work; it need not.
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

/** The bounds of a {@link GroupCommit}. */
export interface GroupCommitLimits<Item = unknown> {
  /** Items that may wait at once; one more is refused `OVERLOADED`. */
  readonly queueMax: number;
  /** Items of one transaction. */
  readonly batchMax: number;
  /** Rows held elsewhere that may be waited for at once, each on a connection of its own. */
  readonly lockWaitsMax: number;
  /** Results handed out in one turn of the event loop. */
  readonly resultsPerTick: number;
  /** A lone item goes with what else the turn of the event loop gives that gave it, instead of ahead of it. */
  readonly gathersTurn?: boolean;
  /**
   * Whether the results of a batch are handed out while the database works on the next one, of `next`, instead of before
   * that is sent. It suits batches that take the database long.
   */
  readonly decidesFirst?: (next: readonly Item[]) => boolean;
}

/** Results that wait for the next batch are handed out after this long at the latest, in milliseconds. */
const RESULTS_HELD_MS_MAX = 5;

/**
 * Group commit: what arrives while a transaction runs goes together as the next one.
 *
 * - A lone item starts at once; nothing ever waits to fill a batch.
 * - Results are handed out a few in a turn of the event loop: what their receivers do with them must not keep the
 *   next transaction from being sent, which is what all other items wait for. See also `decidesFirst`.
 * - One batch is under way at a time. An item whose row is held elsewhere leaves for a queue of that row, where
 *   the lock is waited for, so that it does not hold up the others.
 * - A batch that fails is run again one by one, so that failures are isolated; one whose commit has an unknown fate is
 *   not, since it may stand.
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

  /** How many items are in the transaction under way or wait for the next; not those whose row is held elsewhere. */
  get pending(): number {
    return this.queue.length + this.underWay;
  }

  /** Puts `item` into the next transaction and answers with its result once that is committed. */
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

  /** Hands the results out once the next batch is decided, which begins at once. */
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

  /** One of at most `lockWaitsMax` workers: waits for one held row after another, one worker a row. */
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

/** Nothing was tried: there is more work waiting than the service takes. */
export function overloaded(): AppError {
  return new AppError('OVERLOADED', 'Nothing was carried out: the service is busy. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
