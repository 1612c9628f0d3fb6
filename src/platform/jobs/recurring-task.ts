import { withoutRequestId } from '../observability/request-id.js';

/** Work that a process does again and again, one run at a time: see `Jobs.every`. */
export class RecurringTask {
  private timer: NodeJS.Timeout | undefined;
  private triggerTimer: NodeJS.Timeout | undefined;
  private currentRun: Promise<void> | undefined;
  private isStarted = false;
  /** A trigger's time came while a run was under way. */
  private isDue = false;

  /** `work` must not throw. */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
  ) {}

  /**
   * Has a run begin in `ms`, or right after the run that is under way then: what is triggered meanwhile gathers, and a
   * run sees all that was done before it began.
   */
  triggerWithin(ms: number): void {
    if (!this.isStarted) return;
    this.triggerTimer ??= setTimeout(() => {
      this.triggerTimer = undefined;
      this.isDue = true;
      this.run();
    }, ms);
  }

  start(): void {
    this.isStarted = true;
    this.timer = setInterval(() => this.run(), this.everyMs);
  }

  /** Begins no more runs, and waits for the current one. */
  async stop(): Promise<void> {
    this.isStarted = false;
    clearInterval(this.timer);
    clearTimeout(this.triggerTimer);
    await this.currentRun;
  }

  private run(): void {
    if (this.currentRun) return;
    this.isDue = false;
    this.currentRun = withoutRequestId(this.work).finally(() => {
      this.currentRun = undefined;
      if (this.isDue && this.isStarted) this.run();
    });
  }
}
