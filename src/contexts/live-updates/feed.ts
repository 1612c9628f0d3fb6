import { randomUUID } from 'node:crypto';
import type { EventStream } from './event-stream.js';
import type { Change, Snapshot } from './live-updates.domain.js';

/** Changes of a user that are kept for streams that resume. */
const KEPT_MAX = 200;
/** Payments, and withdrawals, under way whose end is watched for, of one user. */
const WATCHED_MAX = 200;

/** What one user is told: the same to each of their streams, numbered, so that one that broke off goes on. */
export class Feed {
  readonly streams = new Set<EventStream>();
  /** By the monotonic clock. */
  idleSince = performance.now();
  /** Payments under way, by transaction id, with their wallets. */
  readonly payments = new Map<string, string>();
  /** Withdrawals under way, by id, with their wallets. */
  readonly withdrawals = new Map<string, string>();
  /** Tells this feed's events from those of another process, or of a feed that was forgotten. */
  private readonly epoch = randomUUID().slice(0, 8);
  /** The newest changes; the last one has the number `count`. */
  private readonly kept: Change[] = [];
  private count = 0;

  constructor(
    readonly userId: string,
    public snapshot: Snapshot,
  ) {}

  /**
   * Adds a stream: right behind the event with this id, where that is still known; else with `ready`, on which all
   * that is shown is to be read again.
   */
  join(stream: EventStream, lastEventId: string | undefined): void {
    this.streams.add(stream);
    const [epoch, number = ''] = lastEventId?.split('.') ?? [];
    const missed = this.count - Number(number);
    if (epoch === this.epoch && /^\d+$/.test(number) && missed >= 0 && missed <= this.kept.length) {
      stream.comment('resumed');
      for (const [i, change] of this.kept.slice(this.kept.length - missed).entries()) {
        stream.send(`${this.epoch}.${this.count - missed + i + 1}`, change);
      }
    } else stream.send(`${this.epoch}.${this.count}`, { type: 'ready' });
  }

  leave(stream: EventStream): void {
    this.streams.delete(stream);
    if (this.streams.size === 0) this.idleSince = performance.now();
  }

  tell(changes: readonly Change[]): void {
    for (const change of changes) {
      this.count += 1;
      this.kept.push(change);
      for (const stream of this.streams) stream.send(`${this.epoch}.${this.count}`, change);
    }
    this.kept.splice(0, Math.max(0, this.kept.length - KEPT_MAX));
  }

  /** What is watched for its end. */
  get watched(): string[] {
    return [...this.payments.keys(), ...this.withdrawals.keys()];
  }

  /** Has the end of a payment under way told; past the bound the oldest is given up. */
  watchPayment(id: string, walletId: string): void {
    watch(this.payments, id, walletId);
  }

  /** Has the end of a withdrawal under way told; past the bound the oldest is given up. */
  watchWithdrawal(id: string, walletId: string): void {
    watch(this.withdrawals, id, walletId);
  }

  /** Tells that these ended, as far as they are watched. */
  end(ids: ReadonlySet<string>): void {
    const payments = taken(this.payments, ids);
    const withdrawals = taken(this.withdrawals, ids);
    this.tell([
      ...payments.map(([transactionId, walletId]) => ({ type: 'payment', walletId, transactionId }) as const),
      ...withdrawals.map(
        ([withdrawalId, walletId]) => ({ type: 'withdrawal', walletId, withdrawalId }) as const,
      ),
    ]);
  }
}

function watch(watched: Map<string, string>, id: string, walletId: string): void {
  if (watched.size >= WATCHED_MAX) {
    const [oldest] = watched.keys();
    if (oldest !== undefined) watched.delete(oldest);
  }
  watched.set(id, walletId);
}

/** Takes those with these ids out. */
function taken(watched: Map<string, string>, ids: ReadonlySet<string>): [string, string][] {
  const some = [...watched].filter(([id]) => ids.has(id));
  for (const [id] of some) watched.delete(id);
  return some;
}
