/** Bounded queue of leased work. An item lost with the process is found again when its lease ends. */
export class SubmissionQueue<Item> {
  private items: { readonly item: Item; readonly until: number }[] = [];

  constructor(
    private readonly max: number,
    readonly waitMsMax: number,
    /** Monotonic, in milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  hasRoom(count: number): boolean {
    return this.items.length + count <= this.max;
  }

  get size(): number {
    return this.items.length;
  }

  /** `leasedAt` is read before the lease is written. */
  add(items: readonly Item[], leasedAt: number): void {
    const until = leasedAt + this.waitMsMax;
    for (const item of items) this.items.push({ item, until });
  }

  /** Takes the oldest, at most `count`, without expired ones. */
  dequeue(count: number): Item[] {
    const now = this.now();
    const taken: Item[] = [];
    for (const { item, until } of this.items.splice(0, count)) if (now < until) taken.push(item);
    return taken;
  }

  /** Takes those that waited too long to be submitted. */
  takeExpired(): Item[] {
    const now = this.now();
    const fresh = this.items.findIndex(({ until }) => now < until);
    return this.items.splice(0, fresh === -1 ? this.items.length : fresh).map(({ item }) => item);
  }

  drain(): Item[] {
    return this.items.splice(0).map(({ item }) => item);
  }
}
