import { databaseNow } from '../database/clock.js';
import type { Database } from '../database/database.js';
import type { Jobs } from './jobs.js';

/** How many there are of something, and what they come to. A sum may be past what a number holds exactly. */
export class Tally {
  count = 0;
  kobo = 0n;

  add(amount: number | bigint): void {
    this.count += 1;
    this.kobo += BigInt(amount);
  }

  /** `{count, kobo}`; a sum that JSON can't carry exactly as a number is text. */
  toJSON(): { count: number; kobo: number | string } {
    const exact = Number(this.kobo);
    return { count: this.count, kobo: Number.isSafeInteger(exact) ? exact : String(this.kobo) };
  }
}

/** Something that two books do not agree on: the bank's and ours, or two of ours. */
export interface Finding {
  readonly what: string;
  readonly reference: string;
  readonly walletId: string;
}

const FINDINGS_MAX = 1_000;

/** The first {@link FINDINGS_MAX} findings; each has its case, so that nothing is lost with the rest. */
export class Findings {
  readonly list: Finding[] = [];

  add(what: string, reference: string, walletId: string): void {
    if (this.list.length < FINDINGS_MAX) this.list.push({ what, reference, walletId });
  }
}

/** From `from` up to, but without, `to`. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/** Where a run in several steps goes on, how long this step may take, and who is told of its progress. */
export interface Step {
  readonly after?: string | null;
  readonly msMax?: number;
  readonly report?: (done: number, inAll: number) => void;
}

/** What the job of a step is told: the range, and the last one that the steps before it went through. */
interface DailyStep {
  readonly from: string;
  readonly to: string;
  readonly after: string | null;
}

/** One step ends well within the deadline of a job. */
const STEP_MS = 20_000;
/** A daily run looks back so far, in milliseconds: what one run missed, the next one finds. */
const LOOKBACK_MS = 3 * 24 * 60 * 60_000;

/**
 * Has `run` done every day `at` HH:MM (UTC) for the last three days, in steps of 20 s that are each a job. `run`
 * answers where the next step goes on, null after the last one.
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
    const next = await run({ from: new Date(from), to: new Date(to) }, { after, msMax: STEP_MS });
    if (next !== null) await goOn({ from, to, after: next });
  });
  jobs.daily(`${name}-daily`, at, async () => {
    const now = (await databaseNow(database)).getTime();
    return goOn({
      from: new Date(now - LOOKBACK_MS).toISOString(),
      to: new Date(now).toISOString(),
      after: null,
    });
  });
}
