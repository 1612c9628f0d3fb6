import type { DataSource, QueryRunner } from 'typeorm';
import { poolOf } from './data-source.js';

/** Milliseconds, as the pool's own limit. */
const KEPT_MS_MAX = 10_000;

/**
 * Keeps one query runner with its connection for the next transaction: making one costs more than a payment's
 * checks.
 */
export class SpareRunner {
  private spare: QueryRunner | undefined;
  private isClosed = false;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly source: DataSource,
    keptMsMax = KEPT_MS_MAX,
  ) {
    this.timer = setTimeout(() => void this.release(), keptMsMax).unref();
  }

  borrow(): QueryRunner {
    const { spare } = this;
    this.spare = undefined;
    return isUsable(spare) ? spare : this.source.createQueryRunner();
  }

  async giveBack(runner: QueryRunner): Promise<void> {
    const isOnly = poolOf(this.source).options.max === 1;
    if (this.isClosed || isOnly || isUsable(this.spare)) return runner.release();
    this.spare = runner;
    this.timer.refresh();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.release();
  }

  private async release(): Promise<void> {
    const { spare } = this;
    this.spare = undefined;
    await spare?.release();
  }
}

function isUsable(runner: QueryRunner | undefined): runner is QueryRunner {
  return runner !== undefined && !runner.isReleased;
}
