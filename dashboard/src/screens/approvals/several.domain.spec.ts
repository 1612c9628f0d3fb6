import { expect, it } from '@jest/globals';
import { amongUpTo, sumOf } from './several.domain.js';

const payments = [300, 500, 200, 1].map((amount) => ({ transaction: { amount } }));
const upTo = (most: number) => amongUpTo(payments, most).map(({ transaction }) => transaction.amount);

it('selects in order what a sum has room for, at the sum itself and around it', () => {
  expect(upTo(299)).toEqual([200, 1]);
  expect(upTo(300)).toEqual([300]);
  expect(upTo(500)).toEqual([300, 200]);
  expect(upTo(800)).toEqual([300, 500]);
  expect(upTo(801)).toEqual([300, 500, 1]);
  expect(upTo(1_001)).toEqual([300, 500, 200, 1]);
});

it('sums what is selected', () => {
  expect([sumOf(payments), sumOf([])]).toEqual([1_001, 0]);
});
