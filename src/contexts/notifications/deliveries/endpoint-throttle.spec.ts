import { describe, expect, it } from '@jest/globals';
import { EndpointThrottle } from './endpoint-throttle.js';

describe('the pace of an endpoint', () => {
  it('grows with successes, to a bound', () => {
    const pace = new EndpointThrottle();
    expect(pace.availableSlots(0)).toBe(8);
    for (let i = 0; i < 100; i += 1) pace.note(true, i, 1);
    expect(pace.availableSlots(100)).toBe(32);
    pace.inFlight = 30;
    expect(pace.availableSlots(100)).toBe(2);
    expect(pace.isHalfFree).toBe(false);
    expect(pace.readySlots(100)).toBe(0);
    pace.inFlight = 16;
    expect(pace.readySlots(100)).toBe(16);
    pace.inFlight = 40;
    expect(pace.availableSlots(100)).toBe(0);
  });

  it('shrinks with failures, which are soon followed by pauses', () => {
    const pace = new EndpointThrottle();
    for (let i = 0; i < 4; i += 1) pace.note(false, 0, 1);
    expect(pace.availableSlots(0)).toBe(2);
    pace.note(false, 0, 1);
    expect([pace.availableSlots(0), pace.availableSlots(49), pace.availableSlots(50)]).toEqual([0, 0, 2]);
    for (let i = 0; i < 100; i += 1) pace.note(false, 0, 1);
    expect([pace.availableSlots(249), pace.availableSlots(250)]).toEqual([0, 2]);
  });

  it('is in doubt until it succeeds, and free again after one success', () => {
    const pace = new EndpointThrottle();
    expect(pace.isUnproven).toBe(true);
    pace.note(true, 0, 1);
    expect(pace.isUnproven).toBe(false);
    for (let i = 0; i < 20; i += 1) pace.note(false, 0, 1);
    expect(pace.isUnproven).toBe(true);
    pace.note(true, 1, 1);
    expect([pace.isUnproven, pace.availableSlots(1)]).toEqual([false, 3]);
  });

  it('is in doubt while it answers after more than a second', () => {
    const pace = new EndpointThrottle();
    pace.note(true, 0, 1_000);
    expect(pace.isUnproven).toBe(false);
    pace.note(true, 0, 1_001);
    expect(pace.isUnproven).toBe(true);
    pace.note(true, 0, 1);
    expect(pace.isUnproven).toBe(false);
  });

  it('is forgotten when nothing was heard for ten minutes', () => {
    const pace = new EndpointThrottle();
    pace.note(false, 0, 1);
    expect([pace.isIdle(600_000), pace.isIdle(600_001)]).toEqual([false, true]);
    pace.inFlight = 1;
    expect(pace.isIdle(900_000)).toBe(false);
  });
});
