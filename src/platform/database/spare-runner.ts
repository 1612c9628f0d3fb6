import type { DataSource, QueryRunner } from 'typeorm';
import { poolOf } from './data-source.js';

/** For how long a connection is kept that no transaction uses, in milliseconds: as long as the pool keeps one. */
const KEPT_MS_MAX = 10_000;

/**
 * TypeORM's query runner with its connection, kept from one transaction for the next: making one and having it take a
 * connection would take a lone payment longer than its checks. One at most, and never the only connection of the pool.
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

  /** The spare one, unless its connection was lost; else a new one, which is not connected yet. */
  take(): QueryRunner {
    const { spare } = this;
    this.spare = undefined;
    return isUsable(spare) ? spare : this.source.createQueryRunner();
  }

  /** Keeps a runner that is in no transaction, or gives its connection back to the pool. */
  async giveBack(runner: QueryRunner): Promise<void> {
    const isOnly = poolOf(this.source).options.max === 1;
    if (this.isClosed || isOnly || isUsable(this.spare)) return runner.release();
    this.spare = runner;
    this.timer.refresh();
  }

  /** Gives the spare connection back to the pool, and from now on every other. */
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

/** TypeORM releases a runner whose connection is lost. */
function isUsable(runner: QueryRunner | undefined): runner is QueryRunner {
  return runner !== undefined && !runner.isReleased;
}
