interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => unknown;
}

/**
 * Virtual time: it runs `speed` times as fast as real time (0: it stands) and can be moved on by hand. What is due
 * runs in order of its time.
 */
export class Clock {
  readonly #speed: number;
  #origin = Date.now();
  #started = performance.now();
  #skipped = 0;
  #timers: Timer[] = [];
  #order = 0;
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
    this.#timers.push({ at: this.now() + ms, order: (this.#order += 1), run });
    this.#timers.sort((a, b) => a.at - b.at || a.order - b.order);
    this.#plan();
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
