interface Return {
  readonly index: number;
  readonly amount: number;
  readonly returnedAt: number;
}

/** Amounts and questions come in order of time; each costs a logarithm. */
export class SpendDifference {
  private readonly times: number[] = [];
  private readonly amounts = new RunningSums();
  private readonly returns = new ReturnQueue();
  private payments = 0;

  /** Negative if the other rules did not spend it. */
  add(at: number, amount: number, returnedAt: number | null): void {
    if (returnedAt !== null) this.returns.push({ index: this.times.length, amount, returnedAt });
    this.times.push(at);
    this.amounts.push(BigInt(amount));
    this.payments += Math.sign(amount);
  }

  /** Since `start` (-Infinity: all), as of `now`. */
  since(start: number, now: number): number {
    this.settle(now);
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] as number) > start) high = middle;
      else low = middle + 1;
    }
    return Number(this.amounts.first(this.times.length) - this.amounts.first(low));
  }

  paymentsAt(now: number): number {
    this.settle(now);
    return this.payments;
  }

  private settle(now: number): void {
    for (let due = this.returns.dequeueBy(now); due; due = this.returns.dequeueBy(now)) {
      this.amounts.add(due.index, -BigInt(due.amount));
      this.payments -= Math.sign(due.amount);
    }
  }
}

/** A Fenwick tree. */
class RunningSums {
  /** Place `i` sums the `i & -i` values up to index `i - 1`. */
  private readonly sums: bigint[] = [0n];

  push(value: bigint): void {
    const place = this.sums.length;
    let sum = value;
    for (let below = 1; below < (place & -place); below <<= 1) sum += this.sums[place - below] as bigint;
    this.sums.push(sum);
  }

  add(index: number, value: bigint): void {
    for (let place = index + 1; place < this.sums.length; place += place & -place)
      this.sums[place] = (this.sums[place] as bigint) + value;
  }

  first(count: number): bigint {
    let sum = 0n;
    for (let place = count; place > 0; place -= place & -place) sum += this.sums[place] as bigint;
    return sum;
  }
}

/** A binary heap by time. */
class ReturnQueue {
  private readonly heap: Return[] = [];

  push(added: Return): void {
    const { heap } = this;
    let place = heap.push(added) - 1;
    for (
      let above = (place - 1) >> 1;
      place > 0 && this.timeAt(above) > added.returnedAt;
      above = (place - 1) >> 1
    ) {
      heap[place] = heap[above] as Return;
      place = above;
    }
    heap[place] = added;
  }

  /** Undefined if none came back by `now`. */
  dequeueBy(now: number): Return | undefined {
    const { heap } = this;
    const [earliest] = heap;
    if (!earliest || earliest.returnedAt > now) return undefined;
    const last = heap.pop() as Return;
    if (heap.length === 0) return earliest;
    let place = 0;
    for (let below = 1; below < heap.length; below = 2 * place + 1) {
      if (this.timeAt(below + 1) < this.timeAt(below)) below += 1;
      if (this.timeAt(below) >= last.returnedAt) break;
      heap[place] = heap[below] as Return;
      place = below;
    }
    heap[place] = last;
    return earliest;
  }

  private timeAt(place: number): number {
    return this.heap[place]?.returnedAt ?? Infinity;
  }
}
