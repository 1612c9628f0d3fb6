import { describe, expect, it } from '@jest/globals';
import { allSteps, isRefusalFinal } from './settlement.domain.js';

const MINUTE_MS = 60_000;

describe('the refusal of a payout that was submitted before', () => {
  it.each([0, 10_001, 5 * MINUTE_MS, 10 * MINUTE_MS - 1, 10 * MINUTE_MS])(
    'is not believed %d ms after that submission, which may still be accepted',
    (ms) => {
      expect(isRefusalFinal(ms)).toBe(false);
    },
  );

  it.each([10 * MINUTE_MS + 1, 60 * MINUTE_MS])('is its end %d ms after', (ms) => {
    expect(isRefusalFinal(ms)).toBe(true);
  });
});

it.each(['reason', 'why'])(
  'answers the reason of a failure that is stored as `%s` under both names',
  (name) => {
    const at = '2026-11-21T06:31:05.000Z';
    const stored = [
      { type: 'settlement.failed', at, detail: { [name]: 'closed' } },
      { type: 'refund.posted', at, detail: { amount: 500 } },
    ] as const;
    expect(allSteps(new Date(at), stored).map(({ detail }) => detail)).toEqual([
      {},
      { reason: 'closed', why: 'closed' },
      { amount: 500 },
    ]);
  },
);
