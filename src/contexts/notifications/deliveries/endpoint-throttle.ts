const WINDOW_START = 8;
const WINDOW_MIN = 2;
const WINDOW_MAX = 32;
const FAILURES_FREE = 4;
const PAUSE_MS_FIRST = 25;
const PAUSE_MS_MAX = 250;
const IDLE_MS = 10 * 60 * 1_000;
const SLOW_MS = 1_000;

/**
 * Concurrency window of one endpoint: grows by one per success, halves per failure. Repeated failures add
 * short pauses.
 */
export class EndpointThrottle {
  inFlight = 0;
  private window = WINDOW_START;
  /** In a row; null before the first answer. */
  private failures: number | null = null;
  private tookMs = 0;
  private servedAt = 0;
  private pausedUntil = 0;
  private notedAt = 0;

  /** Attempts that may start now. `now` is monotonic, in milliseconds. */
  availableSlots(now: number): number {
    return now < this.pausedUntil ? 0 : Math.max(0, this.window - this.inFlight);
  }

  get isHalfFree(): boolean {
    return this.inFlight <= this.window / 2;
  }

  /** {@link availableSlots} if half of the window is free, else 0: smaller claims are not worth a query. */
  readySlots(now: number): number {
    return this.isHalfFree ? this.availableSlots(now) : 0;
  }

  /** True unless the last attempt succeeded within a second. */
  get isUnproven(): boolean {
    return this.failures !== 0 || this.tookMs > SLOW_MS;
  }

  serve(now: number): void {
    this.servedAt = now;
  }

  /** Lowest first: last turn, plus a delay for slow attempts in progress. */
  get turn(): number {
    return this.servedAt + this.tookMs * (this.inFlight + 1);
  }

  isIdle(now: number): boolean {
    return this.inFlight === 0 && now - this.notedAt > IDLE_MS;
  }

  note(succeeded: boolean, now: number, tookMs: number): void {
    this.notedAt = now;
    this.tookMs = tookMs;
    if (succeeded) {
      this.failures = 0;
      this.pausedUntil = 0;
      this.window = Math.min(WINDOW_MAX, this.window + 1);
      return;
    }
    this.failures = (this.failures ?? 0) + 1;
    this.window = Math.max(WINDOW_MIN, Math.floor(this.window / 2));
    const excess = this.failures - FAILURES_FREE;
    if (excess > 0)
      this.pausedUntil = now + Math.min(PAUSE_MS_MAX, PAUSE_MS_FIRST * 2 ** Math.min(excess, 10));
  }
}
