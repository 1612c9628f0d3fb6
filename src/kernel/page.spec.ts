import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { seqRange } from './page.js';

describe('the range of seq that a page covers', () => {
  it('is the same slice that cutting the whole list, newest first, would give', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 100 }),
        (total, page, pageSize) => {
          const newestFirst = Array.from({ length: total }, (_, i) => total - i);
          const { after, upTo } = seqRange({ page, pageSize }, total);
          expect(newestFirst.filter((seq) => seq > after && seq <= upTo)).toEqual(
            newestFirst.slice((page - 1) * pageSize, page * pageSize),
          );
        },
      ),
    );
  });

  it('is empty and not negative far past the end', () => {
    expect(seqRange({ page: 2_147_483_647, pageSize: 100 }, 5)).toEqual({ after: 0, upTo: 0 });
  });
});
