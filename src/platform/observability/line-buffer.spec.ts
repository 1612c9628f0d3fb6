import { expect, it } from '@jest/globals';
import { LineBuffer } from './line-buffer.js';

function buffered() {
  const written: string[] = [];
  const output = {
    write: (text: string) => void written.push(text),
    flushSync: () => void written.push('|'),
  };
  return { written, buffer: new LineBuffer(output) };
}

it('writes lines that come together at once, in their order', async () => {
  const { written, buffer } = buffered();
  for (const line of ['one\n', 'two\n', 'three\n']) buffer.write(line);
  expect(written).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(written).toEqual(['one\ntwo\nthree\n']);
});

it('does not gather more than 64 Ki characters', () => {
  const { written, buffer } = buffered();
  buffer.write('x'.repeat(65_535));
  expect(written).toEqual([]);
  buffer.write('\n');
  expect(written.map(({ length }) => length)).toEqual([65_536]);
  buffer.flushSync();
});

it('writes what it holds when the process ends, and has it written through', () => {
  const { written, buffer } = buffered();
  buffer.write('last\n');
  buffer.flushSync();
  expect(written).toEqual(['last\n', '|']);
});
