import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LedgerPeriods } from '../../src/contexts/ledger/ledger.port.js';
import { figuresOf, RunningBook } from '../../src/contexts/statements/statements.domain.js';
import { StatementsStore } from '../../src/contexts/statements/statements.store.js';
import { localTimes } from '../../src/kernel/time.js';
import { startService, type TestService } from '../support/service.js';
import { book, type Entry } from './statement-helpers.js';

/** Random ledgers against sums by the local month of each entry, in zones with and without clock changes. */

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ZONES = ['Africa/Lagos', 'America/New_York', 'Africa/Cairo', 'Pacific/Chatham', 'UTC'];
const MONTHS = ['2026-03', '2026-04'];
const FROM = Date.parse('2026-02-26T00:00:00Z');
/** Times near the ends of months as often as others. */
const time = fc.oneof(
  fc.integer({ min: FROM, max: FROM + 70 * 86_400_000 }),
  fc
    .tuple(
      fc.constantFrom('2026-03-01', '2026-04-01', '2026-05-01'),
      fc.integer({ min: -50_000_000, max: 50_000_000 }),
    )
    .map(([day, ms]) => Date.parse(`${day}T00:00:00Z`) + ms),
);
const wanted = fc.record({
  type: fc.constantFrom('topup', 'debit', 'refund'),
  amount: fc.integer({ min: 1, max: 1_000_000 }),
  time,
});

function ledgerOf(entries: readonly { type: string; amount: number; time: number }[]): Entry[] {
  let balance = 0;
  return entries
    .toSorted((one, other) => one.time - other.time)
    .flatMap(({ type, amount, time: at }) => {
      const change = type === 'debit' ? -amount : amount;
      if (balance + change < 0) return [];
      balance += change;
      return [{ type: type as Entry['type'], amount, at: new Date(at) }];
    });
}

it('the periods of a ledger are its local months: sums, balances and entries', async () => {
  const ledger = service.app.get(LedgerPeriods, { strict: false });
  const statements = service.app.get(StatementsStore, { strict: false });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ZONES),
      fc.array(fc.array(wanted, { maxLength: 25 }), { minLength: 1, maxLength: 3 }),
      async (zone, ledgers) => {
        const local = localTimes(zone);
        const wallets = ledgers.map(() => ({ id: crypto.randomUUID() }));
        const books = ledgers.map(ledgerOf);
        for (const [i, wallet] of wallets.entries()) await book(service, wallet, books[i]!);
        for (const month of MONTHS) {
          const { startsAt, endsAt } = await statements.month(month, zone);
          const periods = await ledger.between(
            wallets.map(({ id }) => id),
            startsAt,
            endsAt,
          );
          const sums = await ledger.sums(periods);
          for (const [i, period] of periods.entries()) {
            const ofMonth = books[i]!.filter(({ at }) => local(at).startsWith(month));
            const before = books[i]!.filter(({ at }) => local(at) < month);
            const sum = (entries: readonly Entry[], type?: string) =>
              entries
                .filter((each) => type === undefined || each.type === type)
                .reduce(
                  (all, each) =>
                    all + (type === undefined && each.type === 'debit' ? -each.amount : each.amount),
                  0,
                );
            const figures = figuresOf(period, sums.get(period.walletId));
            expect(figures).toEqual({
              opening: BigInt(sum(before)),
              received: BigInt(sum(ofMonth, 'topup')),
              paidOut: BigInt(sum(ofMonth, 'debit')),
              refunded: BigInt(sum(ofMonth, 'refund')),
              closing: BigInt(sum(before) + sum(ofMonth)),
            });
            const running = new RunningBook(period);
            const lines = await ledger.lines(period, 100);
            for (const line of lines) running.add(line);
            running.end(figures);
            expect(lines.map(({ createdAt }) => createdAt)).toEqual(ofMonth.map(({ at }) => at));
          }
        }
      },
    ),
    { numRuns: 25 },
  );
});
