import { databaseNow } from '../database/clock.js';
import type { Database } from '../database/database.js';
import type { Jobs } from './jobs.js';

/** Count and sum; may exceed exact numbers. */
export class Tally {
  count = 0;
  kobo = 0n;

  add(amount: number | bigint): void {
    this.count += 1;
    this.kobo += BigInt(amount);
  }

  /** An inexact sum is text. */
  toJSON(): { count: number; kobo: number | string } {
    const exact = Number(this.kobo);
    return { count: this.count, kobo: Number.isSafeInteger(exact) ? exact : String(this.kobo) };
  }
}

export interface Finding {
  readonly what: string;
  readonly reference: string;
  readonly walletId: string;
}

const FINDINGS_MAX = 1_000;

/** The first {@link FINDINGS_MAX}; each has a case. */
export class Findings {
  readonly list: Finding[] = [];

  add(what: string, reference: string, walletId: string): void {
    if (this.list.length < FINDINGS_MAX) this.list.push({ what, reference, walletId });
  }
}

/** `to` is exclusive. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

export interface Step {
  readonly after?: string | null;
  readonly msMax?: number;
  readonly report?: (done: number, total: number) => void;
}

interface DailyStep {
  readonly from: string;
  readonly to: string;
  readonly after: string | null;
}

const STEP_MS_MAX = 20_000;
/** Milliseconds a daily run looks back. */
const LOOKBACK_MS_MAX = 3 * 24 * 60 * 60_000;

/**
 * Runs daily at HH:MM (UTC) over three days, in steps of 20 s, each a job. `run` returns where to go on, or
 * null.
 */
export function reconcileDaily(
  jobs: Jobs,
  database: Database,
  name: string,
  at: string,
  run: (range: TimeRange, step: Step) => Promise<string | null>,
): void {
  const goOn = (step: DailyStep): Promise<void> =>
    database.transaction((tx) => jobs.schedule(tx, name, step));
  jobs.define<DailyStep>(name, async ({ from, to, after }) => {
    const next = await run({ from: new Date(from), to: new Date(to) }, { after, msMax: STEP_MS_MAX });
    if (next !== null) await goOn({ from, to, after: next });
  });
  jobs.daily(`${name}-daily`, at, async () => {
    const now = (await databaseNow(database)).getTime();
    return goOn({
      from: new Date(now - LOOKBACK_MS_MAX).toISOString(),
      to: new Date(now).toISOString(),
      after: null,
    });
  });
}
