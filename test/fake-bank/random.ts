/** Seeded randomness (mulberry32): the same seed and the same calls give the same bank. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low);
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => Math.floor(this.unit() * 10)).join('');
  }

  /** A log-normal value with this median and 99th percentile. */
  latency(median: number, p99: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
    return median * Math.exp((normal * Math.log(p99 / median)) / 2.326);
  }
}
