import { describe, expect, it } from '@jest/globals';
import { KOBO_MAX } from '../../../kernel/money.js';
import { cursorOf, encodeCursor, koboOf, textOf, uuidsOf } from './query.js';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

describe('a parameter of an address', () => {
  it('is text of as many characters as it may have, counted without the spaces around it', () => {
    expect(textOf({ text: ` ${'₦'.repeat(3)} ` }, 'text', 3)).toBe('₦₦₦');
    expect(textOf({ text: '👩🏾' }, 'text', 2)).toBe('👩🏾');
    expect(textOf({}, 'text', 3)).toBeNull();
    for (const text of ['abcd', '', '  '])
      expect(() => textOf({ text }, 'text', 3)).toThrow('text: must be text of 1 to 3 characters');
  });

  it('is refused with the character that no name has', () => {
    expect(() => textOf({ text: 'a\u0000' }, 'text', 3)).toThrow('text: contains a NUL character (U+0000)');
    expect(() => textOf({ text: '\ud800' }, 'text', 3)).toThrow(
      'text: contains half of a surrogate pair (U+D800)',
    );
    expect(() => textOf({ text: '\u200b' }, 'text', 3)).toThrow('text: contains no visible character');
  });

  it('is an amount from 0 to the largest there is', () => {
    expect(koboOf({ amount: '0' }, 'amount')).toBe(0);
    expect(koboOf({ amount: String(KOBO_MAX) }, 'amount')).toBe(KOBO_MAX);
    for (const amount of [String(KOBO_MAX + 1), '-1', '1.5', '1e3', '', ' 1', '9'.repeat(21)])
      expect(() => koboOf({ amount }, 'amount')).toThrow('amount: must be a whole number of kobo');
  });

  it('is as many ids as it may hold, each counted once in whatever case', () => {
    const ids = [uuid(1), uuid(2)];
    expect(uuidsOf({ id: ids.join() }, 'id', 2)).toEqual(ids);
    const twice = 'ABCDEF00-0000-4000-8000-000000000000';
    expect(uuidsOf({ id: `${twice}, ${twice.toLowerCase()},${uuid(1)}` }, 'id', 2)).toEqual([
      twice.toLowerCase(),
      uuid(1),
    ]);
    for (const id of [[...ids, uuid(3)].join(), '', `${uuid(1)},`, 'one'])
      expect(() => uuidsOf({ id }, 'id', 2)).toThrow('id: must be 1 to 2 UUIDs');
  });

  it('is given once', () => {
    expect(() => textOf({ text: ['a', 'b'] }, 'text', 3)).toThrow('text: must be given once');
  });
});

describe('a cursor', () => {
  const place = { at: '2026-11-21T09:30:00.123456Z', id: uuid(1), seq: Number.MAX_SAFE_INTEGER };

  it('names the place that a page ended at', () => {
    expect(cursorOf({ cursor: encodeCursor(place) })).toEqual(place);
    expect(cursorOf({})).toBeNull();
  });

  it('is refused where no page ended with it', () => {
    for (const { at, id, seq } of [
      { ...place, at: '2026-02-30T09:30:00.123456Z' },
      { ...place, at: '0000-01-01T00:00:00.000000Z' },
      { ...place, id: 'x'.repeat(36) },
      { ...place, seq: Number.MAX_SAFE_INTEGER + 1 },
    ])
      expect(() => cursorOf({ cursor: encodeCursor({ at, id, seq }) })).toThrow(
        'cursor: must be the nextCursor',
      );
    for (const cursor of ['', 'x', 'A'.repeat(201)])
      expect(() => cursorOf({ cursor })).toThrow('cursor: must be the nextCursor');
  });
});
