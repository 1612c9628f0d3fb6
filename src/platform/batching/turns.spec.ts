import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { inTurn, turn, yieldWhile } from './turns.js';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
afterEach(() => {
  jest.restoreAllMocks();
  yieldWhile(() => false);
});

describe('work in turns', () => {
  it('runs one piece in a turn of the event loop, in the order in which it was given', async () => {
    const ran: string[] = [];
    for (const name of ['a', 'b', 'c']) inTurn(() => ran.push(name));
    const seen: string[] = [];
    while (ran.length < 3) {
      seen.push(ran.join(''));
      await nextTurn();
    }
    expect([...new Set(seen)]).toEqual(['', 'a', 'ab']);
  });

  it('lets others of its kind have the turns between its own', async () => {
    const ran: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        await turn();
        ran.push(name);
      }
    };
    await Promise.all([work('a'), work('b')]);
    expect(ran.join('')).toBe('ababab');
  });

  /** Turns between two pieces of which the first seems to take 10 ms; 5 at most. */
  const turnsBetween = async (): Promise<number> => {
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const ran: string[] = [];
    inTurn(() => {
      ran.push('first');
      now += 10;
    });
    inTurn(() => ran.push('second'));
    while (ran.length < 1) await nextTurn();
    let turns = 0;
    for (; ran.length < 2 && turns < 5; turns += 1) await nextTurn();
    now += 1_000;
    while (ran.length < 2) await nextTurn();
    return turns;
  };

  it('rests in between while payments wait, and only then', async () => {
    expect(await turnsBetween()).toBeLessThan(3);
    yieldWhile(() => true);
    expect(await turnsBetween()).toBe(5);
    yieldWhile(() => false);
    expect(await turnsBetween()).toBeLessThan(3);
  });
});
