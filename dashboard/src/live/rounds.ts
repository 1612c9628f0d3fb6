import type { Query, QueryClient } from '@tanstack/react-query';
import { type Change, concerns } from './changes.js';

/** Milliseconds in which events of one act are gathered. */
const GATHERED_MS = 20;
/**
 * Between the beginnings of two rounds. Each that follows at once waits longer, so that a busy account is asked little; what
 * it did is still on the screen within a second.
 */
const APART_MS = 250;
const APART_MS_MAX = 400;
/** An answer that takes longer holds up no other. */
const ROUND_MS_MAX = 5_000;
/** Past it all queries are refetched. */
const PENDING_MAX = 200;

const pause = (ms: number) => new Promise<void>((done) => window.setTimeout(done, ms));

/** Refetches what changes concern, one round at a time. */
export class Rounds {
  private pending: Change[] = [];
  /** Queries sent before `ready` was heard. */
  private doubted = new Set<Query>();
  private isUnderWay = false;
  private isOver = false;

  constructor(private readonly client: QueryClient) {}

  add(change: Change): void {
    this.pending = this.pending.length < PENDING_MAX ? [...this.pending, change] : [{ type: 'ready' }];
    if (this.pending.at(-1)?.type === 'ready') this.doubted = new Set(this.client.getQueryCache().getAll());
    if (!this.isUnderWay) void this.run();
  }

  stop(): void {
    this.isOver = true;
  }

  private async run(): Promise<void> {
    this.isUnderWay = true;
    for (let count = 1; this.pending.length > 0 && !this.isOver; count += 1) {
      await pause(GATHERED_MS);
      const next = pause(Math.min(APART_MS_MAX, count * APART_MS));
      const changes = this.pending.splice(0);
      await Promise.race([this.refresh(changes), pause(ROUND_MS_MAX)]);
      await next;
    }
    this.isUnderWay = false;
  }

  /** An answer that was under way may be from before the change: it is waited for, and asked for again. */
  private async refresh(changes: readonly Change[]): Promise<void> {
    const { doubted } = this;
    this.doubted = new Set();
    const predicate = (query: Query) =>
      changes.some(
        (change) => concerns(change, query.queryKey) && (change.type !== 'ready' || doubted.has(query)),
      );
    const underWay = new Set(this.client.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' }));
    await this.client.invalidateQueries({ predicate }, { cancelRefetch: false });
    await this.client.refetchQueries({ type: 'active', predicate: (query) => underWay.has(query) });
  }
}
