import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SpendDifference } from './spend-difference.domain.js';

const KOBO_MAX = Number.MAX_SAFE_INTEGER;

interface Spent {
  readonly at: number;
  readonly amount: number;
  readonly returnedAt: number | null;
}

/** The definition: spent after `start`, without what came back by `now`. */
function standing(all: readonly Spent[], start: number, now: number): Spent[] {
  return all.filter(({ at, returnedAt }) => at > start && (returnedAt === null || returnedAt > now));
}

describe('the difference of what was spent', () => {
  it('is the sum by its definition, whatever came back, and in whichever order', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 5 }),
      amount: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constantFrom(KOBO_MAX, -KOBO_MAX)),
      back: fc.option(fc.integer({ min: 0, max: 40 })),
      window: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constant(Infinity)),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const difference = new SpendDifference();
        const all: Spent[] = [];
        let now = 0;
        for (const { wait, amount, back, window } of steps) {
          now += wait;
          const counted = standing(all, now - window, now);
          const sum = counted.reduce((total, each) => total + BigInt(each.amount), 0n);
          expect(difference.since(now - window, now)).toBe(Number(sum));
          expect(difference.paymentsAt(now)).toBe(
            standing(all, -Infinity, now).reduce((total, each) => total + Math.sign(each.amount), 0),
          );
          const spent = { at: now, amount, returnedAt: back === null ? null : now + back };
          all.push(spent);
          difference.add(spent.at, spent.amount, spent.returnedAt);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('takes twice as many steps for twice as many that came back, not four times', () => {
    const compared = (count: number): number => {
      let comparisons = 0;
      const difference = new SpendDifference();
      for (let i = 0; i < count; i += 1) {
        // Some come back at once, some never. Counts the times that are read.
        const time = i % 2 ? i + 3 : 1e9 - i;
        const returnedAt = { valueOf: () => ((comparisons += 1), time) };
        difference.add(i, -1, returnedAt as unknown as number);
        difference.since(i - 100, i);
      }
      return comparisons;
    };
    expect(compared(4_000)).toBeLessThan(2.5 * compared(2_000));
  });
});
