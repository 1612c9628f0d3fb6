import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { type Cell, csvLines } from '../../csv-lines.js';
import { csvDownload } from './csv.js';

const REPLY = {} as FastifyReply;

const cell = (value: Cell) => csvLines([[value, '']]).slice(0, -3);

describe('a cell of a CSV file', () => {
  it.each([
    ['plain', 'plain'],
    ['a, b', '"a, b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+234 801', "'+234 801"],
    ['-2', "'-2"],
    ['@cmd', "'@cmd"],
    [' \t=HYPERLINK("x")', '"\' \t=HYPERLINK(""x"")"'],
    ['\uff1d1+1', "'\uff1d1+1"],
    ['\uff0b234', "'\uff0b234"],
    ['\uff0d2', "'\uff0d2"],
    ['\uff20cmd', "'\uff20cmd"],
    ['\u3000\uff1d1', "'\u3000\uff1d1"],
    ['\u200b=1', "'\u200b=1"],
    ['\ufeff=1', "'\ufeff=1"],
    ['\rx', '"\'\rx"'],
    ['\u3164=1', "'\u3164=1"],
    ['\u115f\u1160=1', "'\u115f\u1160=1"],
    ['\u034f=1', "'\u034f=1"],
    ['\ufe0f=1', "'\ufe0f=1"],
    ['\u{e0061}=1', "'\u{e0061}=1"],
    ['\u2800+1', "'\u2800+1"],
    ['\u0301@cmd', "'\u0301@cmd"],
    ['\ufe66\u200b1', "'\ufe66\u200b1"],
    ['\u22122', "'\u22122"],
    ['044', '"=""044"""'],
    ['0123456789', '"=""0123456789"""'],
    ['12345678901234567890', '"=""12345678901234567890"""'],
    ['12E34', '"=""12E34"""'],
    ['044 Access', '044 Access'],
    ['1050.55', '1050.55'],
    ['a=1', 'a=1'],
    ["O'Neill", "O'Neill"],
    ['', ''],
  ])('holds %j as %j', (text, expected) => {
    expect(cell(text)).toBe(expected);
  });

  it('holds numbers as they are, instants as spreadsheets read them, and null as nothing', () => {
    expect(cell(-5)).toBe('-5');
    expect(cell(new Date('2026-11-21T06:30:59.999Z'))).toBe('2026-11-21 06:30:59');
    expect(cell(null)).toBe('');
  });
});

it('a line of CSV ends with CR and LF, and an empty row is a line too', () => {
  expect(
    csvLines([
      ['a', 1],
      [null, 'b'],
    ]),
  ).toBe('a,1\r\n,b\r\n');
  expect(csvLines([])).toBe('');
});

describe('a CSV download', () => {
  it('begins with a byte order mark, and reads all pages but the first only when they are asked for', async () => {
    let read = 0;
    async function* pages() {
      for (const page of [[1, 2], [3]]) {
        read += 1;
        yield await Promise.resolve(page);
      }
    }
    const file = await csvDownload(REPLY, 'a b.csv', [{ name: 'n', of: (row: number) => row }], pages());
    expect(read).toBe(1);
    let text = '';
    for await (const chunk of file.getStream()) text += String(chunk);
    expect(text).toBe('\ufeffn\r\n1\r\n2\r\n3\r\n');
    expect(file.getHeaders()).toMatchObject({
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="a-b.csv"',
    });
  });

  it('throws what the first page throws', async () => {
    // eslint-disable-next-line require-yield
    async function* broken(): AsyncGenerator<number[]> {
      await Promise.reject(new Error('no'));
    }
    await expect(csvDownload(REPLY, 'x.csv', [], broken())).rejects.toThrow('no');
  });
});
