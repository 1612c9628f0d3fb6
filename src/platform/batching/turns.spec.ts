import { describe, expect, it } from '@jest/globals';
import { inTurn, turn } from './turns.js';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('work in turns', () => {
  it('runs at once while no other has run in this turn of the event loop, and else one piece a turn', async () => {
    await nextTurn();
    await nextTurn();
    const ran: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) inTurn(() => ran.push(name));
    expect(ran).toEqual(['a']);
    for (const expected of [
      ['a', 'b'],
      ['a', 'b', 'c'],
      ['a', 'b', 'c', 'd'],
    ]) {
      await nextTurn();
      expect(ran).toEqual(expected);
    }
    await nextTurn();
    inTurn(() => ran.push('e'));
    expect(ran.at(-1)).toBe('e');
  });

  it('lets what arrives in between run before the next piece', async () => {
    await nextTurn();
    const ran: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        await turn();
        ran.push(name);
      }
    };
    const all = Promise.all([work('a'), work('b')]);
    const others: Promise<void>[] = [];
    for (let i = 0; i < 6; i += 1) {
      others.push(nextTurn().then(() => void ran.push('-')));
      await others[i];
    }
    await all;
    expect(ran.join('')).not.toMatch(/[ab]{3}/);
    expect(ran.filter((name) => name !== '-').join('')).toBe('ababab');
  });
});
