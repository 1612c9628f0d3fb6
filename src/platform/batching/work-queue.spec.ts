import { describe, expect, it } from '@jest/globals';
import { WorkQueue } from './work-queue.js';

function work() {
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  return {
    piece: async (): Promise<string> => {
      most = Math.max(most, (running += 1));
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      return 'done';
    },
    endAll: async (count: number) => {
      for (let ended = 0; ended < count;) {
        const end = ends.shift();
        if (end) ended += 1;
        end?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    mostAtOnce: () => most,
  };
}

describe('a work queue', () => {
  it('runs as many pieces at once as it may, and all of them in the end', async () => {
    const { piece, endAll, mostAtOnce } = work();
    const queue = new WorkQueue(2, 10);
    const results = Promise.all(Array.from({ length: 7 }, () => queue.run(piece)));
    await endAll(7);
    expect(await results).toEqual(Array(7).fill('done'));
    expect(mostAtOnce()).toBe(2);
  });

  it('refuses what comes when as many wait as may, and takes work again once one has ended', async () => {
    const { piece, endAll } = work();
    const queue = new WorkQueue(1, 2);
    const first = queue.run(piece);
    await new Promise((resolve) => setImmediate(resolve));
    const waiting = [queue.run(piece), queue.run(piece)];
    await expect(queue.run(piece)).rejects.toMatchObject({ code: 'OVERLOADED' });
    await endAll(1);
    expect(await first).toBe('done');
    const later = queue.run(piece);
    await endAll(3);
    expect(await Promise.all([...waiting, later])).toEqual(['done', 'done', 'done']);
  });

  it('goes on after a piece that failed', async () => {
    const queue = new WorkQueue(1, 2);
    const failing = queue.run(() => Promise.reject(new Error('no')));
    const next = queue.run(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
  });

  it('fails what waits with a piece that the database left without an answer, and takes work again', async () => {
    const queue = new WorkQueue(1, 3);
    const silence = new Error('Connection terminated: the database sent nothing for 10000 ms');
    const asked: string[] = [];
    const failing = queue.run(() => Promise.reject(silence));
    const waiting = queue.run(() => Promise.resolve(asked.push('waiting')));
    await expect(failing).rejects.toBe(silence);
    await expect(waiting).rejects.toBe(silence);
    expect(await queue.run(() => Promise.resolve('done'))).toBe('done');
    expect(asked).toEqual([]);
  });
});
