import { expect, it } from '@jest/globals';
import { NOW } from '../../../../test/support/payment-samples.js';
import { NOTHING_READ, readingsByWallet } from './readings.domain.js';

const window = (walletId: string, spent: number) => ({ walletId, days: 30, spent, from: null, now: NOW });

it('keeps what was read of each wallet apart, the later reading last', () => {
  const first = { ...NOTHING_READ, windows: [window('a', 1), window('b', 2)] };
  const second = { ...NOTHING_READ, windows: [window('a', 3)] };
  const readings = readingsByWallet([first, NOTHING_READ, second]);
  expect(readings.get('a')).toEqual({ ...NOTHING_READ, windows: [window('a', 1), window('a', 3)] });
  expect(readings.get('b')?.windows).toEqual([window('b', 2)]);
  expect(readings.get('c')).toBeUndefined();
  expect(NOTHING_READ.windows).toEqual([]);
});
