import fc from 'fast-check';

/** Half of a surrogate pair is no character: what lies behind them is moved up. */
const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const CHARACTERS = 0x10ffff + 1 - SURROGATES;

/**
 * Any character of Unicode, like the unit `binary` of `fc.string`, which makes a table of all million of them for each
 * string that is described: two seconds of CPU.
 */
export const anyCharacter = fc.integer({ min: 0, max: CHARACTERS - 1 }).map(
  (n) => String.fromCodePoint(n < SURROGATES_FROM ? n : n + SURROGATES),
  (text) => {
    const [character, ...more] = typeof text === 'string' ? [...text] : [];
    const code = character?.codePointAt(0);
    const isHalf = code !== undefined && code >= SURROGATES_FROM && code < SURROGATES_FROM + SURROGATES;
    if (code === undefined || isHalf || more.length > 0) throw new Error('not one character');
    return code < SURROGATES_FROM ? code : code - SURROGATES;
  },
);

const PLAIN = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@"];

/** The path of an address with any character in it, like `fc.webPath`, which makes the same table. */
export const webPath = fc
  .array(
    fc
      .array(fc.oneof(fc.constantFrom(...PLAIN), anyCharacter.map(encodeURIComponent)), { maxLength: 10 })
      .map((characters) => `/${characters.join('')}`),
    { maxLength: 5 },
  )
  .map((segments) => segments.join(''));
