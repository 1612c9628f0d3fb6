import { expect, it } from '@jest/globals';
import { filterMap, mapped } from './mapped.js';

it('makes of each element, in order, what the function makes of it and its index', () => {
  expect(mapped(['a', 'b', 'c'], (each, i) => `${each}${i}`)).toEqual(['a0', 'b1', 'c2']);
});

it('makes an empty list of an empty one, and asks for nothing', () => {
  const asked: unknown[] = [];
  expect(mapped([], (each) => asked.push(each))).toEqual([]);
  expect(asked).toEqual([]);
});

it('leaves out those of which the function makes nothing', () => {
  const word = (each: number, i: number) => (each > 1 ? { each, i } : undefined);
  expect(filterMap([1, 2, 1, 3], word)).toEqual([
    { each: 2, i: 1 },
    { each: 3, i: 3 },
  ]);
  expect(filterMap([1], word)).toEqual([]);
  expect(filterMap([], word)).toEqual([]);
});

it('leaves the list as it is', () => {
  const list = [1, 2];
  mapped(list, (each) => each * 2);
  expect(list).toEqual([1, 2]);
});
