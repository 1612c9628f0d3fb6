interface Timer {
  readonly at: number;
  readonly run: () => unknown;
}

/**
 * Virtual time: it runs `speed` times as fast as real time (0: it stands) and can be moved on by hand. What is due
 * runs in order of its time, and of its making.
 */
export class Clock {
  readonly #speed: number;
  #origin = Date.now();
  #started = performance.now();
  #skipped = 0;
  #timers: Timer[] = [];
  #wake: NodeJS.Timeout | undefined;

  constructor(speed: number) {
    this.#speed = speed;
  }

  now(): number {
    return Math.floor(this.#origin + this.#skipped + (performance.now() - this.#started) * this.#speed);
  }

  iso(): string {
    return new Date(this.now()).toISOString();
  }

  after(ms: number, run: () => unknown): void {
    const at = this.now() + ms;
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#timers[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, { at, run });
    if (low === 0) this.#plan();
  }

  /** Waits in virtual time; does not wait at all while time stands. */
  sleep(ms: number): Promise<void> {
    return this.#speed > 0 ? new Promise((resolve) => this.after(ms, resolve)) : Promise.resolve();
  }

  /** Moves time on and waits until everything that fell due has run. */
  async advance(ms: number): Promise<void> {
    const target = this.now() + ms;
    for (let next = this.#timers[0]; next && next.at <= target; next = this.#timers[0]) {
      this.#timers.shift();
      this.#skipped += Math.max(0, next.at - this.now());
      await next.run();
    }
    this.#skipped += Math.max(0, target - this.now());
    this.#plan();
  }

  clear(): void {
    this.#timers = [];
    clearTimeout(this.#wake);
  }

  #plan(): void {
    clearTimeout(this.#wake);
    const [next] = this.#timers;
    if (!next || this.#speed === 0) return;
    const realMs = Math.max(0, Math.ceil((next.at - this.now()) / this.#speed));
    this.#wake = setTimeout(() => this.#runDue(), Math.min(realMs, 2 ** 31 - 1));
    this.#wake.unref();
  }

  #runDue(): void {
    for (let next = this.#timers[0]; next && next.at <= this.now(); next = this.#timers[0]) {
      this.#timers.shift();
      void next.run();
    }
    this.#plan();
  }
}
