import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const ROW = /^\| (.+?) +\| ([\d,]+)(?: \w+)? +\| `(\w+)` in `(src\/[\w./-]+)` +\|$/;
const rows = read('docs/bounds.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('`src/'));

/** Reads a constant that is a number, or a product of numbers. */
function constantIn(file: string, name: string): number | undefined {
  const [, product] = new RegExp(`^(?:export )?const ${name} = ([\\d_ *.]+);`, 'm').exec(read(file)) ?? [];
  return product?.split('*').reduce((value, factor) => value * Number(factor.replaceAll('_', '')), 1);
}

it('docs/bounds.md names each bound with the value that it has in the code', () => {
  const listed = rows.map((line) => ROW.exec(line) ?? [line]);
  expect(listed.filter(([, name]) => name === undefined)).toEqual([]);
  expect(listed.length).toBeGreaterThan(60);
  const values = listed.map(([, , value = '', name = '', file = '']) => ({ file, name, value }));
  expect(values).toEqual(
    values.map(({ file, name }) => ({ file, name, value: constantIn(file, name)?.toLocaleString('en') })),
  );
});
