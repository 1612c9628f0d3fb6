const WINDOW_START = 8;
const WINDOW_MIN = 2;
const WINDOW_MAX = 32;
const FAILURES_FREE = 4;
const PAUSE_MS_FIRST = 25;
const PAUSE_MS_MAX = 250;
const IDLE_MS = 10 * 60 * 1_000;
/** An attempt that takes longer holds its place for long. */
const SLOW_MS = 1_000;

/**
 * How fast one endpoint is sent to: its window is how many attempts may be under way at once. It grows by one with
 * each success and is halved by a failure; failures in a row are followed by short pauses, so that an endpoint
 * which answers nothing costs next to nothing, and one that comes back is soon at full speed.
 */
export class EndpointThrottle {
  inFlight = 0;
  private window = WINDOW_START;
  /** In a row; null before the first answer. */
  private failures: number | null = null;
  /** How long the last attempt took. */
  private tookMs = 0;
  private servedAt = 0;
  private pausedUntil = 0;
  private notedAt = 0;

  /** How many more attempts may start now (milliseconds of any steady clock). */
  availableSlots(now: number): number {
    return now < this.pausedUntil ? 0 : Math.max(0, this.window - this.inFlight);
  }

  /** At least half of the window is free: worth asking for more work. */
  get isHalfFree(): boolean {
    return this.inFlight <= this.window / 2;
  }

  /** The same as {@link availableSlots} where it is worth asking for more work, else none. */
  readySlots(now: number): number {
    return this.isHalfFree ? this.availableSlots(now) : 0;
  }

  /** The last attempt did not succeed within a second, or there was none. */
  get isUnproven(): boolean {
    return this.failures !== 0 || this.tookMs > SLOW_MS;
  }

  /** Attempts begin now. */
  serve(now: number): void {
    this.servedAt = now;
  }

  /**
   * The lowest of several is the next one: whose last turn is the longest ago, where what they hold on to counts as much
   * later. So those that answer late give way to others, and still have their turn.
   */
  get turn(): number {
    return this.servedAt + this.tookMs * (this.inFlight + 1);
  }

  /** Nothing was heard for so long that what was learnt may be forgotten. */
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
