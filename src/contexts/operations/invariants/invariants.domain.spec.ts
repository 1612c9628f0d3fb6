import { expect, it } from '@jest/globals';
import { rangesOf } from './invariants.domain.js';

it('takes the newest rows of each wallet, and none of one that has none', () => {
  expect(
    rangesOf(
      [
        { walletId: 'a', count: 3 },
        { walletId: 'b', count: 0 },
        { walletId: 'c', count: 250 },
      ],
      100,
    ),
  ).toEqual([
    [
      { walletId: 'a', after: 0, upTo: 3 },
      { walletId: 'c', after: 150, upTo: 250 },
    ],
  ]);
});

it.each([999, 1_000, 1_001, 2_500])('asks for a thousand rows at most in one go: %i', (count) => {
  const groups = rangesOf([{ walletId: 'a', count }], 20_000);
  const rows = groups.map((group) => group.reduce((sum, { after, upTo }) => sum + upTo - after, 0));
  expect(Math.max(...rows)).toBeLessThanOrEqual(1_000);
  expect(rows.reduce((sum, each) => sum + each, 0)).toBe(count);
  expect(groups.flat().at(0)?.upTo).toBe(count);
  expect(groups.flat().at(-1)?.after).toBe(0);
});
