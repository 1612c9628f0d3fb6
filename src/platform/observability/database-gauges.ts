import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Queryable } from '../database/tx.js';
import { LimitedLog } from './limited-log.js';
import { Metrics, type Reading } from './metrics.js';

/** Milliseconds that a reading serves further scrapes. */
const KEPT_MS = 5_000;
/** Longest reading, in milliseconds: below Prometheus' usual 10 s for a scrape. */
const READ_MS_MAX = 4_000;
const STATEMENT_MS_MAX = 2_000;

export type GaugeReading<Name extends string = string> = Reading & { readonly gauge: Name };

/** Gauges read from the database at a scrape, over one connection. A reading that fails makes its gauges NaN. */
@Injectable()
export class DatabaseGauges {
  private readonly log = new LimitedLog(new Logger(DatabaseGauges.name));
  private readonly up = new Map<string, boolean>();
  private readonly share: Database;
  private readonly keptMs = KEPT_MS;

  constructor(
    private readonly metrics: Metrics,
    database: Database,
  ) {
    this.share = database.share(1);
    metrics.gauge('apw_gauges_up', 'Whether the last reading of a group of gauges succeeded', () =>
      [...this.up].map(([group, isUp]) => ({ value: Number(isUp), labels: { group } })),
    );
  }

  /** `read` makes one query, bounded by LIMIT. Labels that vanish show 0. */
  add<Name extends string>(
    group: string,
    descriptions: Readonly<Record<Name, string>>,
    read: (from: Queryable) => Promise<readonly GaugeReading<Name>[]>,
  ): void {
    if (!this.metrics.isOn) return;
    const shown = new Map<string, GaugeReading<Name>>();
    let readAt = -Infinity;
    let reading: Promise<void> | undefined;
    const refresh = async (): Promise<void> => {
      const found = await this.readWithin(group, read);
      for (const [key, { gauge, labels }] of shown)
        shown.set(key, { gauge, value: found ? 0 : NaN, ...(labels && { labels }) });
      for (const each of found ?? []) shown.set(`${each.gauge} ${JSON.stringify(each.labels)}`, each);
      this.up.set(group, found !== null);
      readAt = performance.now();
    };
    this.metrics.gauges(descriptions, async () => {
      if (performance.now() - readAt >= this.keptMs) {
        reading ??= refresh().finally(() => (reading = undefined));
        await reading;
      }
      return [...shown.values()];
    });
  }

  /** Null if it failed. */
  private async readWithin<T>(group: string, read: (from: Queryable) => Promise<T>): Promise<T | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`took more than ${READ_MS_MAX} ms`)), READ_MS_MAX);
    });
    try {
      return await Promise.race([this.readOnly(read), late]);
    } catch (error) {
      this.log.warn(`the metrics of ${group} could not be read: ${String(error)}`);
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  private readOnly<T>(read: (from: Queryable) => Promise<T>): Promise<T> {
    return this.share.transaction((tx) => {
      tx.write('SET TRANSACTION READ ONLY');
      tx.write(`SET LOCAL statement_timeout = ${STATEMENT_MS_MAX}`);
      return read(tx);
    }, READ_MS_MAX);
  }
}
