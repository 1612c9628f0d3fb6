import { describe, expect, it } from '@jest/globals';
import { isRefusalFinal } from './settlement.domain.js';

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
