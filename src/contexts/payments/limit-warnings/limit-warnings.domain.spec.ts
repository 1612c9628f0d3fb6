import { expect, it } from '@jest/globals';
import { KOBO_MAX } from '../../../kernel/money.js';
import { percentReached } from './limit-warnings.domain.js';

it.each<[string, number, number, number, 80 | 100 | null]>([
  ['one kobo below 80 %', 1_000, 0, 799, null],
  ['exactly 80 %', 1_000, 799, 800, 80],
  ['one kobo above 80 %, from below', 1_000, 799, 801, 80],
  ['above 80 % already', 1_000, 800, 999, null],
  ['one kobo below 100 %', 1_000, 900, 999, null],
  ['exactly 100 %', 1_000, 999, 1_000, 100],
  ['both at once', 1_000, 0, 1_000, 100],
  ['100 % already', 1_000, 1_000, 1_000, null],
  ['80 % of a limit that five does not divide is rounded up', 1_001, 0, 800, null],
  ['80 % of a limit that five does not divide', 1_001, 0, 801, 80],
  ['the smallest limit', 1, 0, 1, 100],
  ['the largest limit', KOBO_MAX, KOBO_MAX - 1, KOBO_MAX, 100],
])('%s', (_, limit, before, after, percent) => {
  expect(percentReached(limit, before, after)).toBe(percent);
});
