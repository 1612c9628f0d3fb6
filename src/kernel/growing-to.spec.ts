import { expect, it } from '@jest/globals';
import { LRUCache } from 'lru-cache';
import { growingTo } from './growing-to.js';

it('keeps as many entries as it is bound to, and lets go of the one that was used longest ago', () => {
  const cache = new LRUCache<string, number>(growingTo(3));
  for (const key of ['a', 'b', 'c']) cache.set(key, 1);
  expect(cache.size).toBe(3);
  cache.get('a');
  cache.set('b', 2);
  cache.set('d', 1);
  expect([...cache.keys()].sort()).toEqual(['a', 'b', 'd']);
});
