import { describe, expect, it } from '@jest/globals';
import { arrayText } from './array-text.js';

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
