/**
 * Leased work in memory, dropped when it waits too long. Bounded; lost with the process, after which leases
 * run out.
 */
export class SubmissionQueue<Item> {
  private items: { readonly item: Item; readonly until: number }[] = [];

  constructor(
    private readonly max: number,
    /** Milliseconds. */
    private readonly waitMsMax: number,
    /** Monotonic, in milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  hasRoom(count: number): boolean {
    return this.items.length + count <= this.max;
  }

  get size(): number {
    return this.items.length;
  }

  /** `leasedAt`: a time before the lease was written. */
  add(items: readonly Item[], leasedAt: number): void {
    const until = leasedAt + this.waitMsMax;
    for (const item of items) this.items.push({ item, until });
  }

  /** The oldest, at most `count`; late ones are left to a sweep. */
  take(count: number): Item[] {
    const now = this.now();
    const taken: Item[] = [];
    for (const { item, until } of this.items.splice(0, count)) if (now < until) taken.push(item);
    return taken;
  }

  /** Empties the queue. */
  drain(): Item[] {
    return this.take(this.items.length);
  }
}
