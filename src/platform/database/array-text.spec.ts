import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { arrayText, textsOf, parseIntegers } from './array-text.js';

describe('a list as PostgreSQL reads it', () => {
  it.each<[string, unknown[], string]>([
    ['nothing', [], '{}'],
    ['text', ['a b', 'c,d', '{e}', 'null', ''], '{"a b","c,d","{e}","null",""}'],
    ['what is to be escaped', ['"', '\\', '\n"'], String.raw`{"\"","\\","` + '\n' + String.raw`\""}`],
    ['JSON', ['{"a":"\\n"}'], String.raw`{"{\"a\":\"\\n\"}"}`],
    ['numbers and truth values', [1, -2n, 0.5, true], '{1,-2,0.5,true}'],
    ['what is missing', [null, undefined, 'x'], '{NULL,NULL,"x"}'],
    ['bytes', [Buffer.from([0, 255])], String.raw`{"\\x00ff"}`],
  ])('holds %s', (_, list, text) => {
    expect(arrayText(list)).toBe(text);
  });

  it.each([[[new Date(0)]], [[['nested']]], [[{ a: 1 }]]])(
    'is left to the driver where it holds something else',
    (list) => {
      expect(arrayText(list)).toBe(list);
    },
  );
});

describe('what a list of texts holds, as PostgreSQL writes it', () => {
  const parserOf = pg.types.getTypeParser as (oid: number) => (text: string) => unknown;
  const general = parserOf(1009);
  const unread = (text: string): string => `left to the driver: ${text}`;

  it.each<[string, (string | null)[]]>([
    ['{}', []],
    ['{a}', ['a']],
    ['{a,b,cd}', ['a', 'b', 'cd']],
    ['{"a b","c,d","{e}",""}', ['a b', 'c,d', '{e}', '']],
    ['{a,"b c",d,"e f"}', ['a', 'b c', 'd', 'e f']],
    ['{NULL,"NULL",null}', [null, 'NULL', 'null']],
  ])('is read of %s', (text, list) => {
    expect(textsOf(text, unread)).toEqual(list);
    expect(general(text)).toEqual(list);
  });

  it.each([String.raw`{"a\"b"}`, String.raw`{a\\b}`, '{{a,b},{c,d}}', '[2:3]={a,b}'])(
    'is left to the driver of %s',
    (text) => {
      expect(textsOf(text, unread)).toBe(unread(text));
    },
  );

  it('is what the driver reads, whatever it is', () => {
    const quoted = (text: string) => `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;
    const element = fc.oneof(fc.constant('NULL'), fc.stringMatching(/^[a-z0-9.]+$/), fc.string().map(quoted));
    fc.assert(
      fc.property(fc.array(element, { maxLength: 6 }), (elements) => {
        const text = `{${elements.join(',')}}`;
        expect(textsOf(text, general)).toEqual(general(text));
      }),
    );
  });
});

describe('what a list of whole numbers holds, as PostgreSQL writes it', () => {
  const parserOf = pg.types.getTypeParser as (oid: number) => (text: string) => unknown;
  const general = parserOf(1007);
  const unread = (text: string): string => `left to the driver: ${text}`;

  it.each<[string, number[]]>([
    ['{}', []],
    ['{0}', [0]],
    ['{1,-2,2147483647,-2147483648}', [1, -2, 2147483647, -2147483648]],
  ])('is read of %s', (text, list) => {
    expect(parseIntegers(text, unread)).toEqual(list);
    expect(general(text)).toEqual(list);
  });

  it.each(['{1,NULL}', '{{1,2},{3,4}}', '[2:3]={1,2}'])('is left to the driver of %s', (text) => {
    expect(parseIntegers(text, unread)).toBe(unread(text));
  });
});
