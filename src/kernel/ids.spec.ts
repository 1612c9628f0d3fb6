import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { idSequence, leastIdAt } from './ids.js';

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Apart from the process's own, whose clock these tests must not move. */
let newId: () => string;
beforeEach(() => {
  newId = idSequence();
});

function sorts(ids: readonly string[]): boolean {
  return ids.every((id, i) => i === 0 || id > (ids[i - 1] as string));
}

const many = () => Array.from({ length: 20_000 }, () => newId());

describe('new ids', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('are UUIDs of version 7 that sort as they were made', () => {
    const ids = many();
    expect(ids.filter((id) => !V7.test(id))).toEqual([]);
    expect(sorts(ids)).toBe(true);
  });

  it('have random digits everywhere behind those that count, and of two sequences are never the same', () => {
    const other = idSequence();
    const ids = [...many(), ...Array.from({ length: 20_000 }, () => other())];
    expect(new Set(ids).size).toBe(ids.length);
    const digitsAt = (at: number) => [...new Set(ids.map((id) => id[at]))].sort().join('');
    expect(digitsAt(19)).toBe('89ab');
    const behind = [20, 21, 22, ...Array.from({ length: 12 }, (_, i) => 24 + i)];
    expect(behind.map(digitsAt)).toEqual(behind.map(() => '0123456789abcdef'));
  });

  it('sort as they were made within one millisecond, when its numbers run out, and when the clock is set back', () => {
    const stopped = Date.now() + 60_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(stopped);
    const first = newId();
    expect(first > leastIdAt(stopped)).toBe(true);
    expect(first < leastIdAt(stopped + 1)).toBe(true);
    const stopping = many();
    clock.mockReturnValue(stopped - 5_000);
    const setBack = many();
    clock.mockReturnValue(stopped + 60_000);
    expect(sorts([first, ...stopping, ...setBack, newId()])).toBe(true);
  });
});

describe('the least id of a moment', () => {
  it('lies between all ids of the millisecond before and all of its own', () => {
    const at = Date.UTC(2096, 10, 21);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(at - 1);
    const before = Array.from({ length: 100 }, () => newId());
    clock.mockReturnValue(at);
    const after = Array.from({ length: 100 }, () => newId());
    for (const id of before) expect(id < leastIdAt(at)).toBe(true);
    for (const id of after) expect(id > leastIdAt(at)).toBe(true);
    jest.restoreAllMocks();
  });

  it('is a UUID of version 7 for any moment', () => {
    for (const at of [0, 1, Date.now() + 0.5, 2 ** 48 - 1]) expect(leastIdAt(at)).toMatch(V7);
    expect(leastIdAt(0x0123456789ab)).toBe('01234567-89ab-7000-8000-000000000000');
  });
});
