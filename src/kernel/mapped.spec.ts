import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { mapped } from './mapped.js';

it('makes of each element, in order, what the function makes of it and its index', () => {
  expect(mapped(['a', 'b', 'c'], (each, i) => `${each}${i}`)).toEqual(['a0', 'b1', 'c2']);
});

it('makes an empty list of an empty one, and asks for nothing', () => {
  const asked: unknown[] = [];
  expect(mapped([], (each) => asked.push(each))).toEqual([]);
  expect(asked).toEqual([]);
});

it('leaves the list as it is', () => {
  const list = [1, 2];
  mapped(list, (each) => each * 2);
  expect(list).toEqual([1, 2]);
});

type Map = (list: readonly string[], of: (each: string) => string) => string[];

/** Whether what a caller of `map` gets may have holes, once V8's last compiler has taken the caller. */
function mayHaveHoles(map: Map): boolean {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const ask = runInThisContext(`(map) => {
      const caller = (list) => map(list, (each) => each);
      %PrepareFunctionForOptimization(caller);
      for (let i = 0; i < 100; i += 1) caller(['a']);
      %OptimizeFunctionOnNextCall(caller);
      caller(['a']);
      return %HasHoleyElements(caller(['a']));
    }`) as (map: Map) => boolean;
    return ask(map);
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

it('makes a packed list for a compiled caller too, where Array.prototype.map makes one that may have holes', () => {
  expect(mayHaveHoles((list, of) => list.map((each) => of(each)))).toBe(true);
  expect(mayHaveHoles(mapped)).toBe(false);
});
