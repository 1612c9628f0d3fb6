/**
 * Work that this process has to itself for a while, by a lease that the database knows: what is not begun in time is
 * no longer ours to begin. Bounded; lost with the process, after which the leases run out.
 */
export class SubmissionQueue<Item> {
  private items: { readonly item: Item; readonly until: number }[] = [];

  constructor(
    private readonly max: number,
    /** How long an item may wait here, in milliseconds. */
    private readonly waitMsMax: number,
    /** A monotonic clock, in milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  hasRoom(count: number): boolean {
    return this.items.length + count <= this.max;
  }

  get size(): number {
    return this.items.length;
  }

  /** `leasedAt` is a time of the clock from before the lease was written. */
  add(items: readonly Item[], leasedAt: number): void {
    const until = leasedAt + this.waitMsMax;
    for (const item of items) this.items.push({ item, until });
  }

  /** The oldest, at most `count`. Those that waited too long are dropped: a sweep takes them when their lease runs out. */
  take(count: number): Item[] {
    const now = this.now();
    const taken: Item[] = [];
    for (const { item, until } of this.items.splice(0, count)) if (now < until) taken.push(item);
    return taken;
  }

  /** All that could still be begun; the queue is empty then. */
  drain(): Item[] {
    return this.take(this.items.length);
  }
}
