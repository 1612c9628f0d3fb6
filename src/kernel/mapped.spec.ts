import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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

/** Answers whether what a caller of `map` gets may have holes, once V8's last compiler has taken the caller. */
async function mayHaveHoles(map: string): Promise<boolean> {
  const source = `
    import { filterMap, mapped } from '${new URL('mapped.ts', import.meta.url).href}';
    const caller = new Function('map', 'return (list) => map(list, (each) => each)')(${map});
    %PrepareFunctionForOptimization(caller);
    for (let i = 0; i < 100; i += 1) caller(['a']);
    %OptimizeFunctionOnNextCall(caller);
    caller(['a']);
    process.stdout.write(String(%HasHoleyElements(caller(['a']))));
  `;
  // A process for each: what was called before decides what V8 compiles, and how.
  const args = ['--allow-natives-syntax', '--input-type=module', '--eval', source];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as boolean;
}

it('makes a packed list for a compiled caller too, where Array.prototype.map makes one that may have holes', async () => {
  expect(await mayHaveHoles('(list, of) => list.map(of)')).toBe(true);
  expect(await mayHaveHoles('mapped')).toBe(false);
  expect(await mayHaveHoles('filterMap')).toBe(false);
});
