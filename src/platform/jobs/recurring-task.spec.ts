import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { currentRequestId, withRequestId } from '../observability/request-id.js';
import { RecurringTask } from './recurring-task.js';

function task(everyMs = 1_000) {
  const ends: (() => void)[] = [];
  const recurring = new RecurringTask(everyMs, () => new Promise<void>((end) => ends.push(end)));
  const endRun = async (run: number): Promise<void> => {
    ends[run]!();
    await jest.advanceTimersByTimeAsync(0);
  };
  return { recurring, runs: () => ends.length, endRun };
}

describe('a recurring task', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('runs at every interval, and skips those that pass while it runs', async () => {
    const { recurring, runs, endRun } = task();
    recurring.start();
    await jest.advanceTimersByTimeAsync(999);
    expect(runs()).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs()).toBe(1);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(runs()).toBe(1);
    await endRun(0);
    expect(runs()).toBe(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(runs()).toBe(2);
  });

  it('runs within the time it is triggered for, once for many triggers', async () => {
    const { recurring, runs } = task();
    recurring.start();
    for (let i = 0; i < 10; i += 1) recurring.triggerWithin(20);
    await jest.advanceTimersByTimeAsync(20);
    expect(runs()).toBe(1);
  });

  it('runs for no request in particular when a request triggers it', async () => {
    // Fake timers carry no request id.
    jest.useRealTimers();
    let recurring: RecurringTask | undefined;
    const id = await new Promise((resolve) => {
      recurring = new RecurringTask(60_000, async () => {
        resolve(currentRequestId() ?? 'none');
        await Promise.resolve();
      });
      recurring.start();
      withRequestId('one', () => recurring?.triggerWithin(0));
    });
    await recurring?.stop();
    expect(id).toBe('none');
  });

  it('runs again after the current run when it is triggered meanwhile', async () => {
    const { recurring, runs, endRun } = task();
    recurring.start();
    recurring.triggerWithin(0);
    await jest.advanceTimersByTimeAsync(0);
    recurring.triggerWithin(20);
    await jest.advanceTimersByTimeAsync(30);
    expect(runs()).toBe(1);
    await endRun(0);
    expect(runs()).toBe(2);
  });

  it('lets what is triggered during a run gather for its time', async () => {
    const { recurring, runs, endRun } = task();
    recurring.start();
    recurring.triggerWithin(0);
    await jest.advanceTimersByTimeAsync(0);
    recurring.triggerWithin(100);
    await endRun(0);
    await jest.advanceTimersByTimeAsync(99);
    expect(runs()).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs()).toBe(2);
  });

  it('does not run before it is started, nor after it is stopped', async () => {
    const { recurring, runs } = task();
    recurring.triggerWithin(0);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(runs()).toBe(0);
    recurring.start();
    await recurring.stop();
    recurring.triggerWithin(0);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(runs()).toBe(0);
  });

  it('waits for the current run when it is stopped, and begins none of those asked for', async () => {
    const { recurring, runs, endRun } = task();
    recurring.start();
    recurring.triggerWithin(0);
    await jest.advanceTimersByTimeAsync(0);
    recurring.triggerWithin(0);
    let isStopped = false;
    const stopping = recurring.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(0);
    expect(isStopped).toBe(false);
    await endRun(0);
    await stopping;
    expect(runs()).toBe(1);
  });

  it('forgets when it is stopped what was triggered, whether its time had come or not', async () => {
    const early = task();
    early.recurring.start();
    early.recurring.triggerWithin(20);
    await early.recurring.stop();
    await jest.advanceTimersByTimeAsync(100);
    expect(early.runs()).toBe(0);
    const late = task();
    late.recurring.start();
    for (let i = 0; i < 2; i += 1) {
      late.recurring.triggerWithin(0);
      await jest.advanceTimersByTimeAsync(0);
    }
    const stopping = late.recurring.stop();
    await late.endRun(0);
    await stopping;
    expect(late.runs()).toBe(1);
  });
});
