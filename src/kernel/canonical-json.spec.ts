import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.js';

describe('canonical JSON', () => {
  it('is the example of RFC 8785, as far as its members have one order only', () => {
    expect(
      canonicalJson({
        numbers: [1e30, 4.5, 2e-3, 0.000000000000000000000000001],
        string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
        literals: [null, true, false],
      }),
    ).toBe(
      '{"literals":[null,true,false],"numbers":[1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('orders members by UTF-16 code units, at every depth', () => {
    expect(
      canonicalJson({ '\ufb33': 1, '\u{1f600}': 2, '€': 3, '\r': 4, 1: 5, a: { c: 6, b: [{ e: 7, d: 8 }] } }),
    ).toBe('{"\\r":4,"1":5,"a":{"b":[{"d":8,"e":7}],"c":6},"€":3,"\u{1f600}":2,"\ufb33":1}');
  });

  it('means the same value, and is the same text whatever the order of the members was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('leaves out what is undefined, as JSON does', () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
  });
});
