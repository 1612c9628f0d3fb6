import { describe, expect, it } from '@jest/globals';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/tx.js';
import type { Jobs } from './jobs.js';
import { Findings, reconcileDaily, type Step, Tally, type TimeRange } from './reconciliation.js';

const DAY_MS = 24 * 60 * 60_000;
const NOW = new Date('2026-03-04T01:00:00.000Z');

function daily(run: (range: TimeRange, step: Step) => Promise<string | null>) {
  const scheduled: Record<string, string | null>[] = [];
  const steps: ((payload: object) => Promise<void>)[] = [];
  const begins: (() => Promise<void>)[] = [];
  const jobs = {
    define: (_: string, job: (payload: object) => Promise<void>) => steps.push(job),
    daily: (_: string, __: string, job: () => Promise<void>) => begins.push(job),
    schedule: (_: Tx, __: string, payload: Record<string, string | null>) => scheduled.push(payload),
  };
  const database = {
    query: () => Promise.resolve([{ now: NOW }]),
    transaction: (work: (tx: unknown) => unknown) => Promise.resolve(work({})),
  };
  reconcileDaily(jobs as unknown as Jobs, database as unknown as Database, 'books', '01:00', run);
  return { scheduled, begin: begins[0]!, step: steps[0]! };
}

describe('a daily reconciliation', () => {
  it('looks back over three days, so that the next finds what one missed', async () => {
    const { scheduled, begin } = daily(() => Promise.resolve(null));
    await begin();
    const [{ from, to, after }] = scheduled as [Record<string, string | null>];
    expect(after).toBeNull();
    expect(to).toBe(NOW.toISOString());
    expect(Date.parse(to!) - Date.parse(from!)).toBe(3 * DAY_MS);
  });

  it('goes on behind the last one of each step, over the same time, until a step says that it is through', async () => {
    const asked: (readonly [TimeRange, Step])[] = [];
    const ends = ['m', 'z', null];
    const { scheduled, step } = daily((...each) => {
      asked.push(each);
      return Promise.resolve(ends[asked.length - 1]!);
    });
    const range = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-04T00:00:00.000Z' };
    await step({ ...range, after: null });
    while (asked.length <= scheduled.length) await step(scheduled.at(-1)!);
    expect(scheduled).toEqual([
      { ...range, after: 'm' },
      { ...range, after: 'z' },
    ]);
    expect(asked.map(([, { after }]) => after)).toEqual([null, 'm', 'z']);
    for (const [{ from, to }] of asked) {
      expect([from.toISOString(), to.toISOString()]).toEqual([range.from, range.to]);
    }
  });
});

it('a sum is a number where JSON carries it exactly, and text past that', () => {
  const tally = new Tally();
  tally.add(Number.MAX_SAFE_INTEGER);
  expect(tally.toJSON()).toEqual({ count: 1, kobo: 9_007_199_254_740_991 });
  tally.add(2n);
  expect(tally.toJSON()).toEqual({ count: 2, kobo: '9007199254740993' });
});

it('a report names a thousand findings at most', () => {
  const findings = new Findings();
  for (let i = 0; i < 1_001; i += 1) findings.add('differs', String(i), 'wallet');
  expect([findings.list.length, findings.list.at(-1)?.reference]).toEqual([1_000, '999']);
});
