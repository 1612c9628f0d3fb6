import { withoutRequestId } from '../observability/request-id.js';

export class RecurringTask {
  private timer: NodeJS.Timeout | undefined;
  private triggerTimer: NodeJS.Timeout | undefined;
  private currentRun: Promise<void> | undefined;
  private isStarted = false;
  /** Triggered during a run. */
  private isDue = false;

  /** `work` must not throw. */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
  ) {}

  /** Runs in `ms`, or right after the current run: it sees everything done before it began. */
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

  /** Waits for the current run. */
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
