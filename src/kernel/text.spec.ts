import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-text.js';
import { codePoints, isStorable, isUuid, merchantIdentity } from './text.js';

const text = fc.string({ unit: anyCharacter, maxLength: 40 });

describe('the identity of a merchant', () => {
  it.each([
    ['  Amazon ', 'amazon'],
    ['AMAZON', 'amazon'],
    ['Amazon \t\n Web   Services', 'amazon web services'],
    ['Amazon\u00a0Web\u3000Services', 'amazon web services'],
    ['ＡＷＳ', 'aws'],
    ['ﬁverr', 'fiverr'],
    ['Cafe\u0301', 'caf\u00e9'],
    ['\u212aelvin', 'kelvin'],
    ['İstanbul', 'i\u0307stanbul'],
    ['ınstagram', 'ınstagram'],
    ['STRASSE', 'strasse'],
    ['Straße', 'straße'],
  ])('of %j is %j', (name, identity) => {
    expect(merchantIdentity(name)).toBe(identity);
  });

  it.each([
    ['Amazon', '\u0410mazon'],
    ['straße', 'STRASSE'],
    ['Amazon', 'Amazonn'],
    ['Ama zon', 'Amazon'],
    ['Amazon', 'Amazon\u200b'],
  ])('tells %j from %j', (one, other) => {
    expect(merchantIdentity(one)).not.toBe(merchantIdentity(other));
  });

  it('is its own identity, whatever the name was', () => {
    fc.assert(
      fc.property(text, (name) => {
        expect(merchantIdentity(merchantIdentity(name))).toBe(merchantIdentity(name));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is its own identity for every capital letter that carries a mark', () => {
    const unstable: string[] = [];
    for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ') {
      for (let mark = 0x300; mark <= 0x36f; mark += 1) {
        const name = letter + String.fromCodePoint(mark);
        const identity = merchantIdentity(name);
        if (merchantIdentity(identity) !== identity) unstable.push(name);
      }
    }
    expect(unstable).toEqual([]);
  });

  it('is the same for the composed and the decomposed form of a name', () => {
    fc.assert(
      fc.property(text, (name) => {
        expect(merchantIdentity(name.normalize('NFD'))).toBe(merchantIdentity(name.normalize('NFC')));
      }),
    );
  });

  it('does not depend on the case of ASCII letters, nor on white space around and between words', () => {
    const word = fc.stringMatching(/^[a-z0-9&.'-]{1,8}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        expect(merchantIdentity(` \t${words.join(' \n ').toUpperCase()}  `)).toBe(words.join(' '));
        expect(merchantIdentity(words.join(' ').toUpperCase())).toBe(words.join(' '));
        expect(merchantIdentity(`${words.join(' ')} `)).toBe(words.join(' '));
      }),
    );
  });
});

describe('text that can be stored', () => {
  it.each(['', 'plain', 'naïve', '₦', '👩🏾‍🚀', '\u0001', '\uffff', '\ufeff'])('is %j', (value) => {
    expect(isStorable(value)).toBe(true);
  });

  it.each(['\u0000', 'a\u0000b', '\ud800', 'a\udc00b', '\udc00\ud800'])('is not %j', (value) => {
    expect(isStorable(value)).toBe(false);
  });
});

describe('length', () => {
  it('is counted in code points', () => {
    expect(['', 'abc', '₦₦', '😀', '😀😀a', 'e\u0301'].map(codePoints)).toEqual([0, 3, 2, 1, 3, 2]);
  });
});

describe('a UUID', () => {
  it('is one of any version, in either case', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.boolean(), (id, upper) => {
        expect(isUuid(upper ? id.toUpperCase() : id)).toBe(true);
      }),
    );
  });

  it.each([
    '',
    'zz',
    '01a1fd71-ec4b-772e-b79b-506a4d4b1af',
    '01a1fd71-ec4b-772e-b79b-506a4d4b1af66',
    '01a1fd71ec4b772eb79b506a4d4b1af6',
    '{01a1fd71-ec4b-772e-b79b-506a4d4b1af6}',
    '01a1fd71-ec4b-772e-b79b-506a4d4b1afg',
    '01a1fd71-ec4b-772e-b79b-506a4d4b1af6\n',
    null,
    7,
    ['01a1fd71-ec4b-772e-b79b-506a4d4b1af6'],
  ])('is not %j', (value) => {
    expect(isUuid(value)).toBe(false);
  });
});
