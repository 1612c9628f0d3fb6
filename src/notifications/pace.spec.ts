import { describe, expect, it } from '@jest/globals';
import { Pace } from './pace.js';

describe('the pace of an endpoint', () => {
  it('grows with successes, to a bound', () => {
    const pace = new Pace();
    expect(pace.room(0)).toBe(8);
    for (let i = 0; i < 100; i += 1) pace.note(true, i);
    expect(pace.room(100)).toBe(32);
    pace.inFlight = 30;
    expect(pace.room(100)).toBe(2);
    expect(pace.isHalfFree).toBe(false);
    pace.inFlight = 40;
    expect(pace.room(100)).toBe(0);
  });

  it('shrinks with failures, which are soon followed by pauses', () => {
    const pace = new Pace();
    for (let i = 0; i < 4; i += 1) pace.note(false, 0);
    expect(pace.room(0)).toBe(2);
    pace.note(false, 0);
    expect([pace.room(0), pace.room(49), pace.room(50)]).toEqual([0, 0, 2]);
    for (let i = 0; i < 100; i += 1) pace.note(false, 0);
    expect([pace.room(249), pace.room(250)]).toEqual([0, 2]);
  });

  it('is in doubt until it succeeds, and free again after one success', () => {
    const pace = new Pace();
    expect(pace.isDoubtful).toBe(true);
    pace.note(true, 0);
    expect(pace.isDoubtful).toBe(false);
    for (let i = 0; i < 20; i += 1) pace.note(false, 0);
    expect(pace.isDoubtful).toBe(true);
    pace.note(true, 1);
    expect([pace.isDoubtful, pace.room(1)]).toEqual([false, 3]);
  });

  it('is forgotten when nothing was heard for ten minutes', () => {
    const pace = new Pace();
    pace.note(false, 0);
    expect([pace.isIdle(600_000), pace.isIdle(600_001)]).toEqual([false, true]);
    pace.inFlight = 1;
    expect(pace.isIdle(900_000)).toBe(false);
  });
});
