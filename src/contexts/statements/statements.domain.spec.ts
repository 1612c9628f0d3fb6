import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addedUp,
  BooksDisagree,
  figuresOf,
  grouped,
  monthBefore,
  monthInWords,
  nairaOf,
  RunningBook,
  StatementRefused,
  total,
} from './statements.domain.js';

const TYPES = ['topup', 'debit', 'refund'] as const;
const entry = fc.record({ type: fc.constantFrom(...TYPES), amount: fc.integer({ min: 1, max: 10_000_000 }) });

/** Debits that nothing covers are left out. */
function ledger(opening: number, after: number, wanted: { type: (typeof TYPES)[number]; amount: number }[]) {
  let balance = opening;
  const covered = wanted.filter(({ type, amount }) => {
    const next = balance + (type === 'debit' ? -amount : amount);
    if (next >= 0) balance = next;
    return next >= 0;
  });
  balance = opening;
  const entries = covered.map(({ type, amount }, i) => {
    balance += type === 'debit' ? -amount : amount;
    return { seq: after + i + 1, type, amount, balanceAfter: balance };
  });
  const sum = (of: string) =>
    BigInt(entries.filter(({ type }) => type === of).reduce((all, { amount }) => all + amount, 0));
  return {
    entries,
    period: { walletId: 'w', after, upTo: after + entries.length, opening, closing: balance },
    sums: { received: sum('topup'), paidOut: sum('debit'), refunded: sum('refund') },
  };
}

describe('the figures of a statement', () => {
  it('add up for every ledger, and are those of its entries', () => {
    fc.assert(
      fc.property(fc.nat(1e12), fc.nat(1e6), fc.array(entry, { maxLength: 60 }), (opening, after, wanted) => {
        const { entries, period, sums } = ledger(opening, after, wanted);
        const figures = figuresOf(period, sums);
        expect(addedUp(figures)).toBe(BigInt(period.closing));
        const book = new RunningBook(period);
        for (const each of entries) book.add(each);
        book.end(figures);
      }),
    );
  });

  it('are refused for every ledger with one entry changed, missing or doubled', () => {
    const change = fc.constantFrom('amount', 'balance', 'missing', 'twice', 'closing');
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 30 }), fc.nat(), change, (wanted, at, what) => {
        const { entries, period, sums } = ledger(1e10, 7, wanted);
        const place = at % entries.length;
        const figures = figuresOf(period, sums);
        const read = entries.flatMap((each, i) => {
          if (i !== place || what === 'closing') return [each];
          if (what === 'missing') return [];
          if (what === 'twice') return [each, each];
          return what === 'amount'
            ? [{ ...each, amount: each.amount + 1 }]
            : [{ ...each, balanceAfter: each.balanceAfter + 1 }];
        });
        const follow = () => {
          const book = new RunningBook(period);
          for (const each of read) book.add(each);
          book.end(what === 'closing' ? { ...figures, closing: figures.closing + 1n } : figures);
        };
        expect(follow).toThrow(BooksDisagree);
      }),
    );
    const { period, sums } = ledger(0, 0, [{ type: 'topup', amount: 5 }]);
    expect(() => figuresOf({ ...period, closing: 6 }, sums)).toThrow(BooksDisagree);
  });

  it('are exact at the largest amount, and refused above it', () => {
    const most = BigInt(Number.MAX_SAFE_INTEGER);
    const figures = { opening: most, received: 0n, paidOut: 0n, refunded: 0n, closing: most };
    expect(total([figures])).toEqual(figures);
    expect(() => total([figures, { ...figures, opening: 1n, closing: 1n }])).toThrow(StatementRefused);
    expect(grouped(nairaOf(most))).toBe('90,071,992,547,409.91');
    expect(grouped(nairaOf(99_999n))).toBe('999.99');
  });
});

it('a month is named, and the one before it found across years', () => {
  expect(monthInWords('2026-11')).toBe('November 2026');
  expect([monthBefore('2026-11-30 23:59:59'), monthBefore('2026-01-01 00:00:00')]).toEqual([
    '2026-10',
    '2025-12',
  ]);
});
