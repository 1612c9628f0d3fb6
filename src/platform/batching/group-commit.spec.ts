import { describe, expect, it, jest } from '@jest/globals';
import { AppError } from '../../kernel/errors.js';
import { currentRequestId, withRequestId } from '../observability/request-id.js';
import { GroupCommit, type GroupCommitLimits, type Outcome } from './group-commit.js';

interface Call {
  readonly items: readonly string[];
  readonly wait: boolean;
  decided(): void;
  answer(outcomes?: readonly Outcome<string>[]): void;
  fail(error: Error): void;
}

const done = (items: readonly string[]): Outcome<string>[] => items.map((item) => ({ done: `${item}!` }));

/** A group commit whose transactions the test ends. */
function underTest(limits: Partial<GroupCommitLimits<string>> = {}) {
  const calls: Call[] = [];
  const commits = new GroupCommit<string, string>(
    (items, wait, decided) =>
      new Promise((resolve, reject) => {
        const answer = (outcomes = done(items)) => resolve(outcomes);
        calls.push({ items, wait, decided, answer, fail: reject });
      }),
    { queueMax: 100, batchMax: 10, lockWaitsMax: 2, resultsPerTick: 100, ...limits },
  );
  const items = () => calls.map((call) => call.items);
  return { commits, calls, items };
}

const quiet = () => new Promise((resolve) => setImmediate(resolve));

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = Symbol('pending');
  return (await Promise.race([promise.catch(() => undefined), quiet().then(() => pending)])) !== pending;
};

describe('group commit', () => {
  it('starts a lone item at once, in the same turn', () => {
    const { commits, items } = underTest();
    void commits.submit('a');
    expect(items()).toEqual([['a']]);
  });

  it('starts with all that one turn gives, where it gathers them', async () => {
    const { commits, calls, items } = underTest({ gathersTurn: true });
    const results = ['a', 'b', 'c'].map((item) => commits.submit(item));
    await quiet();
    expect(items()).toEqual([['a', 'b', 'c']]);
    calls[0]?.answer();
    await expect(Promise.all(results)).resolves.toEqual(['a!', 'b!', 'c!']);
    void commits.submit('d');
    await quiet();
    expect(items()).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('runs for no request in particular, and gives each its own id back', async () => {
    const seen: (string | undefined)[] = [];
    const commits = new GroupCommit<string, string>(
      (items, wait) => {
        seen.push(currentRequestId());
        return Promise.resolve(wait ? done(items) : items.map((item) => ({ rowLocked: item })));
      },
      { queueMax: 100, batchMax: 10, lockWaitsMax: 2, resultsPerTick: 100 },
    );
    const ids = ['one', 'two'].map((id) =>
      withRequestId(id, async () => {
        await commits.submit(id);
        return currentRequestId();
      }),
    );
    expect(await Promise.all(ids)).toEqual(['one', 'two']);
    expect(seen).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('answers each item with its own result, only when its transaction has ended', async () => {
    const { commits, calls } = underTest();
    const a = commits.submit('a');
    expect(await settled(a)).toBe(false);
    calls[0]?.answer();
    await expect(a).resolves.toBe('a!');
  });

  it('takes what arrived during a transaction together as the next one, in its order', async () => {
    const { commits, calls, items } = underTest();
    const results = ['a', 'b', 'c', 'd'].map((item) => commits.submit(item));
    expect(items()).toEqual([['a']]);
    calls[0]?.answer();
    await quiet();
    expect(items()).toEqual([['a'], ['b', 'c', 'd']]);
    calls[1]?.answer();
    await expect(Promise.all(results)).resolves.toEqual(['a!', 'b!', 'c!', 'd!']);
  });

  it('begins the next transaction before the results of a large one are all handed out', async () => {
    const { commits, calls, items } = underTest({ resultsPerTick: 2 });
    void commits.submit('first');
    const handedOut: string[] = [];
    for (const item of ['a', 'b', 'c', 'd', 'e']) void commits.submit(item).then(() => handedOut.push(item));
    calls[0]?.answer();
    await quiet();
    void commits.submit('next');
    calls[1]?.answer();
    while (items().length < 3) await Promise.resolve();
    expect(handedOut.length).toBeLessThanOrEqual(2);
    while (handedOut.length < 5) await quiet();
    expect(handedOut).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  describe('that decides the next batch first', () => {
    async function two(decidesFirst: GroupCommitLimits<string>['decidesFirst']) {
      const { commits, calls, items } = underTest({ decidesFirst });
      const results = ['a', 'b', 'c'].map((item) => commits.submit(item));
      calls[0]?.decided();
      calls[0]?.answer();
      await new Promise(process.nextTick);
      expect(items()).toEqual([['a'], ['b', 'c']]);
      return { a: results[0] as Promise<string>, rest: results.slice(1), next: calls[1] as Call };
    }

    it('hands results out once the next batch is decided', async () => {
      // On a busy machine the hold may end meanwhile.
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
      const { a, rest, next } = await two((items) => items.join() === 'b,c').finally(jest.useRealTimers);
      expect(await settled(a)).toBe(false);
      next.decided();
      await quiet();
      expect(await settled(a)).toBe(true);
      next.answer();
      await expect(Promise.all([a, ...rest])).resolves.toEqual(['a!', 'b!', 'c!']);
    });

    it('hands them out at once where the next batch is not of that kind', async () => {
      const { a } = await two(() => false);
      expect(await settled(a)).toBe(true);
    });

    it('hands them out when the next batch never gets there, and when it ends without having said so', async () => {
      const { a, rest, next } = await two(() => true);
      await expect(a).resolves.toBe('a!');
      next.answer();
      await expect(Promise.all(rest)).resolves.toEqual(['b!', 'c!']);
    });

    it('hands them out before those of the next batch, where that is held as well', async () => {
      const { commits, calls } = underTest({ decidesFirst: () => true });
      const handedOut: string[] = [];
      const submit = (item: string) => commits.submit(item).then((result) => handedOut.push(result));
      const results = ['a', 'b'].map(submit);
      calls[0]?.answer();
      await new Promise(process.nextTick);
      results.push(submit('c'));
      calls[1]?.answer();
      await Promise.all(results.slice(0, 2));
      calls[2]?.answer();
      await Promise.all(results);
      expect(handedOut).toEqual(['a!', 'b!', 'c!']);
    });

    it('hands them out when the next batch fails', async () => {
      const { a, rest, next } = await two(() => true);
      const ends = Promise.allSettled(rest);
      next.fail(new AppError('OVERLOADED', 'it failed'));
      await expect(a).resolves.toBe('a!');
      expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    });
  });

  it('has one transaction under way at a time', async () => {
    const { commits, calls } = underTest();
    void commits.submit('a');
    void commits.submit('b');
    await quiet();
    void commits.submit('c');
    await quiet();
    expect(calls).toHaveLength(1);
  });

  it('starts at once again after a pause', async () => {
    const { commits, calls, items } = underTest();
    const a = commits.submit('a');
    calls[0]?.answer();
    await a;
    await quiet();
    void commits.submit('b');
    expect(items()).toEqual([['a'], ['b']]);
  });

  it.each([
    [9, [9]],
    [10, [10]],
    [11, [10, 1]],
    [21, [10, 10, 1]],
  ])('takes %d waiting items in batches of %j when a batch holds 10', async (count, sizes) => {
    const { commits, calls } = underTest();
    const first = commits.submit('first');
    const rest = Array.from({ length: count }, (_, i) => commits.submit(String(i)));
    for (let i = 0; i <= sizes.length; i += 1) {
      calls[i]?.answer();
      await quiet();
    }
    await Promise.all([first, ...rest]);
    expect(calls.slice(1).map((call) => call.items.length)).toEqual(sizes);
  });

  it('rejects the item that was refused, and no other', async () => {
    const { commits, calls } = underTest();
    void commits.submit('first');
    const results = Promise.allSettled([commits.submit('a'), commits.submit('b')]);
    calls[0]?.answer();
    await quiet();
    calls[1]?.answer([{ refused: new AppError('INVALID_API_KEY', 'no') }, { done: 'b!' }]);
    expect(await results).toMatchObject([
      { status: 'rejected', reason: { code: 'INVALID_API_KEY' } },
      { status: 'fulfilled', value: 'b!' },
    ]);
  });

  it('runs a batch that failed again one by one, so that no item fails for another one', async () => {
    const { commits, calls, items } = underTest();
    void commits.submit('first');
    const results = Promise.allSettled(['a', 'bad', 'c'].map((item) => commits.submit(item)));
    calls[0]?.answer();
    await quiet();
    calls[1]?.fail(new Error('a row of the batch'));
    await quiet();
    calls[2]?.answer();
    await quiet();
    calls[3]?.fail(new Error('its own row'));
    await quiet();
    calls[4]?.answer();
    expect(await results).toMatchObject([
      { value: 'a!' },
      { status: 'rejected', reason: { message: 'its own row' } },
      { value: 'c!' },
    ]);
    expect(items()).toEqual([['first'], ['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
  });

  it('runs nothing again one by one where the database is away', async () => {
    const { commits, calls } = underTest();
    void commits.submit('first');
    const results = Promise.allSettled([commits.submit('a'), commits.submit('b')]);
    calls[0]?.answer();
    await quiet();
    calls[1]?.fail(new Error('Connection terminated unexpectedly'));
    await quiet();
    expect(calls).toHaveLength(2);
    const reason = { message: 'Connection terminated unexpectedly' };
    expect(await results).toMatchObject([{ reason }, { reason }]);
  });

  it('runs nothing again whose commit has an unknown fate', async () => {
    const { commits, calls } = underTest();
    void commits.submit('first');
    const results = Promise.allSettled([commits.submit('a'), commits.submit('b')]);
    calls[0]?.answer();
    await quiet();
    calls[1]?.fail(new AppError('OUTCOME_UNKNOWN', 'nobody knows'));
    expect(await results).toMatchObject([
      { reason: { code: 'OUTCOME_UNKNOWN' } },
      { reason: { code: 'OUTCOME_UNKNOWN' } },
    ]);
    expect(calls).toHaveLength(2);
  });

  it('goes on after a failure', async () => {
    const { commits, calls } = underTest();
    const a = commits.submit('a');
    calls[0]?.fail(new Error('down'));
    await expect(a).rejects.toThrow('down');
    const b = commits.submit('b');
    calls[1]?.answer();
    await expect(b).resolves.toBe('b!');
  });

  it('rejects an item that its batch left without an outcome', async () => {
    const { commits, calls } = underTest();
    const a = commits.submit('a');
    calls[0]?.answer([]);
    await expect(a).rejects.toThrow('without an outcome');
  });

  it('puts an item whose row is held elsewhere in a queue of that row, and holds up no other item', async () => {
    const { commits, calls } = underTest();
    void commits.submit('first');
    const held = commits.submit('held');
    const free = commits.submit('free');
    calls[0]?.answer();
    await quiet();
    calls[1]?.answer([{ rowLocked: 'row' }, { done: 'free!' }]);
    await expect(free).resolves.toBe('free!');
    await quiet();
    expect(calls[2]).toMatchObject({ items: ['held'], wait: true });
    const next = commits.submit('next');
    expect(calls[3]).toMatchObject({ items: ['next'], wait: false });
    calls[3]?.answer();
    await expect(next).resolves.toBe('next!');
    expect(await settled(held)).toBe(false);
    calls[2]?.answer();
    await expect(held).resolves.toBe('held!');
  });

  it('counts who is in the batch under way and who waits for the next, not whose row is held elsewhere', async () => {
    const { commits, calls } = underTest();
    expect(commits.pending).toBe(0);
    for (const item of ['a', 'b', 'c']) void commits.submit(item);
    expect(commits.pending).toBe(3);
    calls[0]?.answer([{ rowLocked: 'row' }]);
    await quiet();
    expect(calls.map(({ items }) => items)).toEqual([['a'], ['a'], ['b', 'c']]);
    expect(commits.pending).toBe(2);
    calls[2]?.answer();
    await quiet();
    expect(commits.pending).toBe(0);
  });

  it('waits for a held row once, and takes what else came for it together after that', async () => {
    const { commits, calls } = underTest();
    const results = ['a', 'b', 'c'].map((item) => commits.submit(item));
    calls[0]?.answer([{ rowLocked: 'row' }]);
    await quiet();
    expect(calls[1]).toMatchObject({ items: ['a'], wait: true });
    expect(calls[2]).toMatchObject({ items: ['b', 'c'], wait: false });
    calls[2]?.answer([{ rowLocked: 'row' }, { rowLocked: 'row' }]);
    await quiet();
    expect(calls).toHaveLength(3);
    calls[1]?.answer();
    await quiet();
    expect(calls[3]).toMatchObject({ items: ['b', 'c'], wait: true });
    calls[3]?.answer();
    await expect(Promise.all(results)).resolves.toEqual(['a!', 'b!', 'c!']);
  });

  it('takes what waits for a held row in batches of the same bound', async () => {
    const { commits, calls } = underTest({ batchMax: 2 });
    const results = ['a', 'b', 'c', 'd', 'e'].map((item) => commits.submit(item));
    calls[0]?.answer([{ rowLocked: 'row' }]);
    await quiet();
    for (const call of [2, 3]) {
      calls[call]?.answer([{ rowLocked: 'row' }, { rowLocked: 'row' }]);
      await quiet();
    }
    for (const call of [1, 4, 5]) {
      calls[call]?.answer();
      await quiet();
    }
    await expect(Promise.all(results)).resolves.toEqual(['a!', 'b!', 'c!', 'd!', 'e!']);
    const waited = calls.filter(({ wait }) => wait).map(({ items }) => items);
    expect(waited).toEqual([['a'], ['b', 'c'], ['d', 'e']]);
  });

  it('waits for at most as many held rows at once as it may, and gets round to all', async () => {
    const { commits, calls } = underTest({ lockWaitsMax: 2 });
    const results = ['first', 'a', 'b', 'c', 'd'].map((item) => commits.submit(item));
    calls[0]?.answer();
    await quiet();
    calls[1]?.answer(['a', 'b', 'c', 'd'].map((row) => ({ rowLocked: row })));
    await quiet();
    const waited = () => calls.filter(({ wait }) => wait);
    expect(waited()).toHaveLength(2);
    for (let i = 0; i < 4; i += 1) {
      expect(waited().length).toBeLessThanOrEqual(i + 2);
      waited()[i]?.answer();
      await quiet();
    }
    await expect(Promise.all(results)).resolves.toHaveLength(5);
  });

  it('goes on with the queue of a held row after waiting for it has failed', async () => {
    const { commits, calls } = underTest({ lockWaitsMax: 1 });
    const first = commits.submit('first');
    const results = Promise.allSettled([commits.submit('a'), commits.submit('b')]);
    calls[0]?.answer();
    await first;
    await quiet();
    calls[1]?.answer([{ rowLocked: 'one' }, { rowLocked: 'two' }]);
    await quiet();
    calls[2]?.fail(new Error('lock timeout'));
    await quiet();
    calls[3]?.answer();
    expect(await results).toMatchObject([{ status: 'rejected' }, { value: 'b!' }]);
  });

  it('lets exactly as many wait as its queue holds, and refuses one more with OVERLOADED', async () => {
    const { commits, calls, items } = underTest({ queueMax: 3 });
    const taken = ['a', 'b', 'c'].map((item) => commits.submit(item));
    await expect(commits.submit('d')).rejects.toMatchObject({
      code: 'OVERLOADED',
      detail: { retryAfterSeconds: 1 },
    });
    calls[0]?.answer();
    await quiet();
    const next = commits.submit('e');
    await expect(commits.submit('f')).rejects.toMatchObject({ code: 'OVERLOADED' });
    calls[1]?.answer();
    await quiet();
    calls[2]?.answer();
    await Promise.all([...taken, next]);
    expect(items().flat()).toEqual(['a', 'b', 'c', 'e']);
  });

  it('counts what waits for a held row as waiting', async () => {
    const { commits, calls } = underTest({ queueMax: 1 });
    const held = commits.submit('held');
    calls[0]?.answer([{ rowLocked: 'row' }]);
    await quiet();
    await expect(commits.submit('b')).rejects.toMatchObject({ code: 'OVERLOADED' });
    calls[1]?.fail(new Error('lock timeout'));
    await expect(held).rejects.toThrow('lock timeout');
    const next = commits.submit('c');
    calls[2]?.answer();
    await expect(next).resolves.toBe('c!');
  });
});
