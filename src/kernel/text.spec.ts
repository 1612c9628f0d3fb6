import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-text.js';
import {
  codePoints,
  isStorable,
  isUuid,
  merchantIdentity,
  nameProblem,
  storageProblem,
  withoutIgnorable,
} from './text.js';

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
    ['Shop\u200brite', 'shoprite'],
    ['\ufeffShop\ufeffrite\u2060 ', 'shoprite'],
    ['Shop \u200b rite', 'shop rite'],
    ['\u200e Shoprite\u200f', 'shoprite'],
    ['Shop\u00adrite', 'shoprite'],
    ['Shop\u3164rite', 'shoprite'],
    ['\u2764\ufe0f', '\u2764'],
    ['Cafe\u200d\u0301', 'caf\u00e9'],
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

  it('is the same with default-ignorable characters anywhere in a name', () => {
    const ignorable = fc.constantFrom(
      '\u00ad',
      '\u034f',
      '\u115f',
      '\u180e',
      '\u200b',
      '\u200d',
      '\u2060',
      '\ufe0f',
      '\u{e0020}',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, ignorable), { maxLength: 4 }), (parts) => {
        const name = parts.map(([part]) => part).join('');
        expect(merchantIdentity(parts.flat().join(''))).toBe(merchantIdentity(name));
      }),
    );
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

describe('a name', () => {
  it.each([
    'Shoprite',
    'Amazon Web Services',
    'Caf\u00e9 \u20a6',
    'Shop\u200brite',
    '\u{1f469}\u200d\u{1f680}',
    '\u2764\ufe0f',
    '\u0646\u0627\u0645\u0647\u200c\u0627\u06cc',
    '\u05d0\u200f',
    '\u0301',
    '',
  ])('can be %j', (name) => {
    expect(nameProblem(name)).toBeNull();
  });

  it.each([
    ['a\u0000', 'U+0000'],
    ['a\tb', 'U+0009'],
    ['a\nb', 'U+000A'],
    ['a\rb', 'U+000D'],
    ['a\u001bb', 'U+001B'],
    ['a\u007f', 'U+007F'],
    ['a\u0085b', 'U+0085'],
    ['a\u2028b', 'U+2028'],
    ['a\u2029b', 'U+2029'],
    ['a\u202ab', 'U+202A'],
    ['\u202eevil', 'U+202E'],
    ['a\u2066b', 'U+2066'],
    ['a\u2069b', 'U+2069'],
  ])('can not be %j', (name, character) => {
    expect(nameProblem(name)).toBe(`contains a control character (${character})`);
  });

  it.each(['\u200b', '\u200d\u2060', '\u3164', '\u115f\u1160', '\ufe0f', '\u2800', '\u{e0020}', ' \u200b '])(
    'can not be %j, which shows nothing',
    (name) => {
      expect(nameProblem(name)).toBe('contains no visible character');
    },
  );
});

describe('text that can not be stored', () => {
  it.each([
    ['a\u0000b', "contains a NUL character (U+0000), which can't be stored"],
    ['a\ud83d', "contains half of a surrogate pair (U+D83D), which can't be stored"],
    ['\udc00\ud800', "contains half of a surrogate pair (U+DC00), which can't be stored"],
    ['\u{1f600}\ud800', "contains half of a surrogate pair (U+D800), which can't be stored"],
  ])('is %j, and says why', (value, problem) => {
    expect(storageProblem(value)).toBe(problem);
  });
});

it('text without its ignorable characters is as it was else', () => {
  expect(['Shoprite', ' \u200bA\u00ad b ', '\u0001'].map(withoutIgnorable)).toEqual([
    'Shoprite',
    ' A b ',
    '\u0001',
  ]);
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
