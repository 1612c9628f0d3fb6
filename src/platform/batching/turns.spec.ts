import { afterEach, describe, expect, it } from '@jest/globals';
import { inTurn, turn, yieldWhile } from './turns.js';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const spin = (ms: number) => {
  const from = performance.now();
  while (performance.now() - from < ms);
};

afterEach(() => yieldWhile(() => false));

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

  /** What part of the time pieces of a millisecond take. */
  const share = async (): Promise<number> => {
    await turn();
    const from = performance.now();
    let worked = 0;
    for (let i = 0; i < 40; i += 1) {
      await turn();
      const began = performance.now();
      spin(1);
      worked += performance.now() - began;
    }
    return worked / (performance.now() - from);
  };

  it('takes a third of the time while payments wait, and all of it otherwise', async () => {
    expect(await share()).toBeGreaterThan(0.6);
    yieldWhile(() => true);
    expect(await share()).toBeLessThan(0.4);
  });
});
