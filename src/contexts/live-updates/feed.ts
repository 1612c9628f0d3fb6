import { randomUUID } from 'node:crypto';
import type { EventStream } from './event-stream.js';
import type { Change, Snapshot } from './live-updates.domain.js';

const KEPT_MAX = 200;
/** Unfinished payments watched per user; the same for withdrawals. */
const WATCHED_MAX = 200;

/** Sent to all streams of a user and kept so that a broken one can resume. */
export class Feed {
  readonly streams = new Set<EventStream>();
  /** By the monotonic clock. */
  idleSince = performance.now();
  /** By transaction id, the wallet id. */
  readonly payments = new Map<string, string>();
  readonly withdrawals = new Map<string, string>();
  /** Other processes and dropped feeds have others. */
  private readonly epoch = randomUUID().slice(0, 8);
  private readonly kept: Change[] = [];
  private count = 0;

  constructor(
    readonly accountId: string,
    public snapshot: Snapshot,
  ) {}

  /**
   * Adds a stream after the event `lastEventId`. If that is unknown, sends `ready`: clients then read everything
   * again.
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

  publish(changes: readonly Change[]): void {
    for (const change of changes) {
      this.count += 1;
      this.kept.push(change);
      for (const stream of this.streams) stream.send(`${this.epoch}.${this.count}`, change);
    }
    this.kept.splice(0, Math.max(0, this.kept.length - KEPT_MAX));
  }

  get watched(): string[] {
    return [...this.payments.keys(), ...this.withdrawals.keys()];
  }

  watchPayment(id: string, walletId: string): void {
    watch(this.payments, id, walletId);
  }

  watchWithdrawal(id: string, walletId: string): void {
    watch(this.withdrawals, id, walletId);
  }

  /** Publishes the end of watched payments and withdrawals. */
  end(ids: ReadonlySet<string>): void {
    const payments = removeAll(this.payments, ids);
    const withdrawals = removeAll(this.withdrawals, ids);
    this.publish([
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

function removeAll(watched: Map<string, string>, ids: ReadonlySet<string>): [string, string][] {
  const some = [...watched].filter(([id]) => ids.has(id));
  for (const [id] of some) watched.delete(id);
  return some;
}
