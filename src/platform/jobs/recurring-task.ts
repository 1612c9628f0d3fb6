import { withoutRequestId } from '../observability/request-id.js';

/** Work that a process does again and again, one run at a time: see `Jobs.every`. */
export class RecurringTask {
  private timer: NodeJS.Timeout | undefined;
  private triggerTimer: NodeJS.Timeout | undefined;
  private currentRun: Promise<void> | undefined;
  private isStarted = false;

  /** `work` must not throw. */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
  ) {}

  /** Has a run begin within `ms`, or right after the current one: a run sees all that was done before it began. */
  triggerWithin(ms: number): void {
    if (this.isStarted) this.triggerTimer ??= setTimeout(() => this.run(), ms);
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
    clearTimeout(this.triggerTimer);
    this.triggerTimer = undefined;
    this.currentRun = withoutRequestId(this.work).finally(() => {
      this.currentRun = undefined;
      if (this.triggerTimer && this.isStarted) this.run();
    });
  }
}
