import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exactNumber, memberBytes, parseExact } from './kora-json.js';

const member = (json: string, name: string) => memberBytes(Buffer.from(json), name)?.toString() ?? null;

describe("a member's bytes", () => {
  it.each([
    ['{"data":1}', '1'],
    [' { "a" : [ "data" ] , "data" : 1.50 } ', '1.50'],
    ['{"data":"a \\" b, } ] \\\\","x":1}', '"a \\" b, } ] \\\\"'],
    ['{"data":{"s":"\\"}"},"x":1}', '{"s":"\\"}"}'],
    ['{"x":{"data":1},"data":[{"a":[]},{}]}', '[{"a":[]},{}]'],
    ['{"d\\u0061ta":null}', 'null'],
    ['{"data":1,"data":2}', '2'],
    ['{"data":"\u1ECCj\u1ECD\u0301"}', '"\u1ECCj\u1ECD\u0301"'],
    ['{"x":1}', null],
    ['{}', null],
    ['[{"data":1}]', null],
    ['"data"', null],
    ['', null],
  ])('of data in %s are %s', (json, expected) => {
    expect(member(json, 'data')).toBe(expected);
  });

  it('are those that were printed, of any member of any object', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, noNullPrototype: true });
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const json = JSON.stringify(value, null, space);
        for (const [name, held] of Object.entries(value)) {
          const found = member(json, name)!;
          expect(json).toContain(found);
          expect(JSON.stringify(JSON.parse(found))).toBe(JSON.stringify(held));
        }
      }),
    );
  });
});

describe('JSON', () => {
  it('is written with the exact decimal and read with every number as text', () => {
    expect(JSON.stringify({ amount: exactNumber('1500.00') })).toBe('{"amount":1500.00}');
    expect(parseExact('{"a":1500.00,"b":["0.10",1e2]}')).toEqual({ a: '1500.00', b: ['0.10', '1e2'] });
    expect(parseExact('<html>')).toBeUndefined();
  });

  it('is read with every text as one that can be stored', () => {
    expect(parseExact('{"a":"x\\u0000y","b":["\\ud800","\\ud83d\\ude00"]}')).toEqual({
      a: 'x\ufffdy',
      b: ['\ufffd', '😀'],
    });
  });
});
