import { Injectable, Logger } from '@nestjs/common';
import pLimit from 'p-limit';
import { Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { Bank } from '../bank/bank.port.js';
import { SettlementLookups } from './settlement-lookups.store.js';
import { SettlementService } from './settlement.service.js';

const JOB = 'settlement.check-paid';
const MINUTE = 20;
const PAGE = 200;
const STEP_MS_MAX = 20_000;
/** Hours after its approval. Older ones are left to the daily reconciliation. */
const CHECKED_HOURS = 24;

interface CheckStep {
  /** Where to go on; null: at the newest. */
  readonly before: string | null;
  readonly left: number;
}

/** Asks the bank every hour for payouts that it paid within a day, newest first: banks take payouts back. */
@Injectable()
export class ReturnedPayouts {
  private readonly log = new Logger(ReturnedPayouts.name);

  constructor(
    private readonly store: SettlementLookups,
    private readonly settlements: SettlementService,
    private readonly bank: Bank,
    database: Database,
    jobs: Jobs,
    { PAID_PAYOUTS_CHECKED_PER_HOUR_MAX: most }: Config,
  ) {
    jobs.define<CheckStep>(JOB, async (step) => {
      const next = await this.check(step, STEP_MS_MAX);
      if (next) await database.transaction((tx) => jobs.schedule(tx, JOB, next));
    });
    jobs.hourly(`${JOB}-hourly`, MINUTE, () =>
      database.transaction((tx) => jobs.schedule(tx, JOB, { before: null, left: most }, { key: JOB })),
    );
  }

  /** Returns where to go on; null at the end, or while the bank must not be asked. */
  async check({ before, left }: CheckStep, msMax: number): Promise<CheckStep | null> {
    const endsAt = performance.now() + msMax;
    const limit = pLimit(this.bank.capabilities.payoutConcurrency);
    let [from, remaining] = [before, left];
    while (remaining > 0 && performance.now() < endsAt) {
      const page = await this.store.paidWithin(CHECKED_HOURS, from, Math.min(PAGE, remaining));
      let asked = 0;
      await Promise.all(
        page.map((settlement) =>
          limit(async () => {
            if (this.settlements.circuitOpenMs() > 0) return;
            await this.settlements.askFor(settlement);
            asked += 1;
          }),
        ),
      );
      if (asked < page.length) {
        this.log.warn('paid payouts are not checked further: the bank asks for a pause');
        return null;
      }
      remaining -= page.length;
      from = page.at(-1)?.reference ?? null;
      if (page.length < PAGE) return null;
    }
    return remaining > 0 ? { before: from, left: remaining } : null;
  }
}
