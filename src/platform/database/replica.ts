import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import { withoutRequestId } from '../observability/request-id.js';
import { RecurringTask } from '../jobs/recurring-task.js';
import { poolOf, serviceDataSource } from './data-source.js';
import type { Download, DownloadSource } from './download.js';
import { reasonOf, whereIs } from './reach.js';
import { Reads } from './reads.js';
import type { Queryable } from './tx.js';

/** Longest pause between checks, in milliseconds. */
const CHECK_MS_MAX = 1_000;
/** A replica is checked this often within the lag that is allowed. */
const CHECKS_PER_LAG = 4;

/** State of the primary's log at a moment of this process's monotonic clock. */
interface Sample {
  readonly at: number;
  readonly lsn: string;
}

interface PrimaryState {
  readonly lsn: string;
  readonly identity: string;
}

interface ReplicaState {
  readonly identity: string;
  readonly isStandby: boolean;
  readonly isStreaming: boolean;
  readonly reached: number | null;
}

const IDENTITY = `(SELECT system_identifier FROM pg_control_system()) || ' ' || current_database()`;

/**
 * A streaming replica for downloads. Its lag is proven without clocks or writes: it has replayed to where the
 * primary's log ended. A standby without a log is refused.
 */
export class Replica implements DownloadSource {
  private readonly log = new Logger(Replica.name);
  private readonly checks: RecurringTask;
  private readonly startedAt = performance.now();
  private source: DataSource | undefined;
  private reads: Reads | undefined;
  private samples: Sample[] = [];
  /** The replica shows all that was committed before. */
  private provenAt = -Infinity;
  private refusal: string | undefined;
  private wasUsed: boolean | undefined;

  constructor(
    private readonly url: string,
    private readonly primary: Queryable,
    /** Reads at once. */
    private readonly max: number,
    private readonly lagMsMax: number,
  ) {
    const everyMs = Math.min(CHECK_MS_MAX, lagMsMax / CHECKS_PER_LAG);
    this.checks = new RecurringTask(everyMs, () => this.check());
    this.checks.start();
    this.checks.triggerWithin(0);
  }

  /** Since when changes may be missing; infinite if unknown. */
  get lagMs(): number {
    return performance.now() - this.provenAt;
  }

  get isUsed(): boolean {
    return this.reads !== undefined && this.lagMs <= this.lagMsMax;
  }

  async query<Row>(download: Download, text: string, values: readonly unknown[]): Promise<Row[] | null> {
    let lagMs = 0;
    try {
      if (!download.isOnPrimary && this.reads && this.isUsed) {
        const rows = await this.reads.query<Row>(text, values, () => {
          lagMs = this.lagMs;
          if (lagMs > this.lagMsMax) throw new Error(this.whyBehind);
        });
        download.lagMs = Math.max(download.lagMs ?? 0, lagMs);
        return rows;
      }
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (lagMs <= this.lagMsMax) this.provenAt = -Infinity;
      this.refusal = reasonOf(error);
      this.report();
    }
    download.isOnPrimary = true;
    return null;
  }

  async close(): Promise<void> {
    await this.checks.stop();
    if (this.source) await poolOf(this.source).end();
  }

  private async check(): Promise<void> {
    try {
      await this.prove(await this.connected());
      this.refusal = undefined;
    } catch (error) {
      this.refusal = reasonOf(error);
    }
    this.report();
  }

  private async connected(): Promise<DataSource> {
    if (this.source) return this.source;
    // One connection is left for the checks.
    const source = serviceDataSource(this.url, this.max + 1, []);
    try {
      await source.initialize();
    } catch (error) {
      await (poolOf(source) as ReturnType<typeof poolOf> | undefined)?.end();
      throw error;
    }
    this.reads = new Reads(source, this.max);
    return (this.source = source);
  }

  private async prove(source: DataSource): Promise<void> {
    const at = performance.now();
    const [primary] = await this.primary.query<PrimaryState>(
      `SELECT pg_current_wal_lsn()::text AS lsn, ${IDENTITY} AS identity`,
    );
    if (!primary) throw new Error('the primary does not say where its log ends');
    this.samples = this.samples.filter((sample) => at - sample.at <= this.lagMsMax);
    this.samples.push({ at, lsn: primary.lsn });
    const samples = this.samples;
    const [replica] = await source.query<ReplicaState[]>(
      `SELECT ${IDENTITY} AS identity, pg_is_in_recovery() AS "isStandby",
              EXISTS (SELECT FROM pg_stat_wal_receiver) AS "isStreaming",
              (SELECT max(s.place)::integer FROM unnest($1::pg_lsn[]) WITH ORDINALITY AS s (lsn, place)
                WHERE s.lsn <= pg_last_wal_replay_lsn()) AS reached`,
      [samples.map(({ lsn }) => lsn)],
    );
    if (replica?.identity !== primary.identity) throw new Error('it is another database');
    if (!replica.isStandby) throw new Error('it is no standby');
    if (!replica.isStreaming) throw new Error('it receives no log from a primary');
    const reached = samples[(replica.reached ?? 0) - 1];
    if (reached) this.provenAt = reached.at;
  }

  private get whyBehind(): string {
    const { lagMs } = this;
    return Number.isFinite(lagMs)
      ? `it is ${(lagMs / 1_000).toFixed(1)} s behind`
      : `it has not caught up within ${this.lagMsMax / 1_000} s`;
  }

  /** One line for each change. */
  private report(): void {
    const { isUsed } = this;
    const isStarting = this.wasUsed === undefined && performance.now() - this.startedAt <= this.lagMsMax;
    if (isUsed === this.wasUsed || (isStarting && !isUsed && !this.refusal)) return;
    this.wasUsed = isUsed;
    const where = `DATABASE_REPLICA_URL: the replica at ${whereIs(this.url)}`;
    withoutRequestId(() => {
      if (isUsed) this.log.log(`${where} is read by downloads`);
      else
        this.log.warn(`${where} is not read, downloads read the primary: ${this.refusal ?? this.whyBehind}`);
    });
  }
}
