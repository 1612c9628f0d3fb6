import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Database } from '../../src/platform/database/database.js';
import { localTimes } from '../../src/kernel/time.js';
import { type CreatedWallet, expectStatus, startService, type TestService } from '../support/service.js';
import { book, type Entry, setZone } from '../statements/statement-helpers.js';

interface Line {
  readonly seq: number;
  readonly type: Entry['type'];
  readonly cause: string;
  readonly amount: number;
  readonly counterparty: string | null;
  readonly reason: string | null;
  readonly key: { readonly prefix: string } | null;
  readonly createdAt: string;
}
interface Filtered {
  readonly data: readonly Line[];
  readonly pagination: { readonly totalCount: number; readonly totalPages: number };
  readonly timeZone: string;
  readonly totals: Record<'opening' | 'closing' | 'net', number> &
    Record<'received' | 'paidOut' | 'refunded', number | null>;
}

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ask = ({ id, owner }: CreatedWallet, query: string) =>
  service.get<Filtered>(`/v1/wallets/${id}/ledger?${query}`, { token: owner.token });
const ledger = async (wallet: CreatedWallet, query: string) =>
  expectStatus(200, await ask(wallet, query)).body;

const DAYS = ['2026-02-28', '2026-03-01', '2026-03-08', '2026-03-09', '2026-03-31'];
const FROM = Date.parse('2026-02-27T00:00:00Z');
const TYPES = [null, 'topup', 'debit', 'refund', 'topup,refund'] as const;

describe('the ledger by days and types', () => {
  it('has the entries of those local days and types, page by page, and adds them up', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('Africa/Lagos', 'America/New_York', 'Pacific/Chatham'),
        fc.array(
          fc.record({
            type: fc.constantFrom<Entry['type']>('topup', 'debit', 'refund'),
            amount: fc.integer({ min: 1, max: 1_000_000 }),
            // Times near midnights as often as others.
            time: fc.oneof(
              fc.integer({ min: FROM, max: FROM + 36 * 86_400_000 }),
              fc
                .tuple(fc.constantFrom(...DAYS), fc.integer({ min: -50_000_000, max: 50_000_000 }))
                .map(([day, ms]) => Date.parse(`${day}T00:00:00Z`) + ms),
            ),
          }),
          { maxLength: 30 },
        ),
        fc.option(fc.constantFrom(...DAYS)),
        fc.option(fc.constantFrom(...DAYS)),
        fc.constantFrom(...TYPES),
        async (zone, wanted, one, other, types) => {
          const [from, to] = one && other && other < one ? [other, one] : [one, other];
          const wallet = await service.createWallet();
          await setZone(service, wallet.owner, zone);
          let balance = 0;
          const entries = wanted
            .toSorted((a, b) => a.time - b.time)
            .flatMap(({ type, amount, time }): Entry[] => {
              const change = type === 'debit' ? -amount : amount;
              if (balance + change < 0) return [];
              balance += change;
              return [{ type, amount, at: new Date(time) }];
            });
          await book(service, wallet, entries);
          const local = localTimes(zone);
          const day = ({ at }: Entry) => local(at).slice(0, 10);
          const sum = (those: readonly Entry[]) =>
            those.reduce((all, { type, amount }) => all + (type === 'debit' ? -amount : amount), 0);
          const before = entries.filter((each) => from !== null && day(each) < from);
          const within = entries.filter(
            (each) => (from === null || day(each) >= from) && (to === null || day(each) <= to),
          );
          const found = within.filter(({ type }) => types === null || types.split(',').includes(type));
          const of = (type: Entry['type']) =>
            found.filter((each) => each.type === type).reduce((all, { amount }) => all + amount, 0);
          const query = Object.entries({ from, to, type: types })
            .flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))
            .join('&');
          const pages: Line[] = [];
          for (let page = 1, last = 1; page <= last; page += 1) {
            const answer = await ledger(wallet, `${query}&page=${page}&pageSize=7`);
            expect(answer).toMatchObject({
              timeZone: zone,
              pagination: { totalCount: found.length },
              totals: {
                opening: sum(before),
                closing: sum(before) + sum(within),
                received: of('topup'),
                paidOut: of('debit'),
                refunded: of('refund'),
                net: sum(found),
              },
            });
            last = answer.pagination.totalPages;
            pages.push(...answer.data);
          }
          const asked = found.toReversed().map(({ at, amount }) => [at.toISOString(), amount]);
          expect(pages.map(({ createdAt, amount }) => [createdAt, amount])).toEqual(asked);
          const { id, owner } = wallet;
          const csv = await service.get(`/v1/wallets/${id}/ledger.csv?${query}`, { token: owner.token });
          const [names, ...lines] = csv.text.trimEnd().split('\r\n');
          expect(names).toContain(`,created_at (${zone}),`);
          expect(lines.map((line) => line.split(',')[1])).toEqual(
            found.toReversed().map(({ at }) => local(at)),
          );
        },
      ),
      { numRuns: 10 },
    );
  });

  it('says whom a payment paid, why, by which key and purpose, on screen and in the CSV as text', async () => {
    const wallet = await service.fundedWallet(100_000);
    const { id, owner, key } = wallet;
    expectStatus(201, await service.pay(key, { amount: 500, merchantName: '=Shady', reason: '+Milk' }));
    await service.settled();
    const { data } = await ledger(wallet, 'type=debit');
    expect(data).toMatchObject([
      { cause: 'payment', counterparty: '=Shady', reason: '+Milk', key: { prefix: key.slice(0, 16) } },
    ]);
    const { text, headers } = await service.get(`/v1/wallets/${id}/ledger.csv?from=2020-01-01`, {
      token: owner.token,
    });
    expect(headers['content-disposition']).toContain(`ledger-${id}-2020-01-01.csv`);
    expect(text.startsWith('\ufeffid,')).toBe(true);
    expect(text).toContain(`,'=Shady,"=""0123456789""","=""058""",GTBank,'+Milk,`);
    expect(text).toContain(',5.00,-500,');
  });

  it.each([
    ['from=2026-13-01', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=1969-12-31', 'from'],
    ['to=2026-1-1', 'to'],
    ['to=2026-01-01&to=2026-01-02', 'to'],
    ['from=2026-01-02&to=2026-01-01', 'to'],
    ['type=credit', 'type'],
  ])('refuses %s', async (query, field) => {
    const wallet = await service.createWallet();
    const { status, body } = await service.get<{ error: { errors: { field: string }[] } }>(
      `/v1/wallets/${wallet.id}/ledger?${query}`,
      { token: wallet.owner.token },
    );
    expect([status, body.error.errors.map((each) => each.field)]).toEqual([400, [field]]);
  });

  it('adds up 200,000 entries and no more: of one more there are the balances alone', async () => {
    const wallet = await service.createWallet();
    await service.query(
      `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, reference, created_at)
       SELECT $1, n, gen_random_uuid(), 'topup', 1, n, n || $1::uuid::text, timestamptz '2026-05-01 12:00Z' + n * interval '1 ms'
         FROM generate_series(1, 200000) n`,
      [wallet.id],
    );
    expect((await ledger(wallet, 'type=topup')).totals.received).toBe(200_000);
    await service.query(
      `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, reference, created_at)
       VALUES ($1, 200001, gen_random_uuid(), 'topup', 1, 200001, $1::uuid::text, '2026-06-10T12:00Z')`,
      [wallet.id],
    );
    const all = await ledger(wallet, 'from=2026-05-01');
    expect(all.pagination.totalCount).toBe(200_001);
    expect(all.totals).toEqual({
      ...{ opening: 0, closing: 200_001, net: 200_001 },
      ...{ received: null, paidOut: null, refunded: null },
    });
    expect(all.data[0]?.seq).toBe(200_001);
    expectStatus(400, await ask(wallet, 'type=topup'));

    // Of a day beside this history as little is read as there is on it.
    await service.query('ANALYZE ledger_entries');
    const sent = jest.spyOn(service.app.get(Database).reads, 'query');
    const day = await ledger(wallet, 'from=2026-06-10&to=2026-06-10&type=topup');
    expect(day.totals).toMatchObject({ opening: 200_000, closing: 200_001, received: 1 });
    const reads = sent.mock.calls.filter(([text]) => text.includes('ledger_entries'));
    sent.mockRestore();
    expect(reads.length).toBeGreaterThanOrEqual(3);
    for (const [text, values] of reads) {
      const [explained] = await service.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        [...(values ?? [])],
      );
      expect(rowsRead(explained!['QUERY PLAN'][0].Plan)).toBeLessThan(20);
    }
  });
});

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

function rowsRead(plan: Plan): number {
  const { 'Relation Name': relation, 'Actual Rows': rows, 'Actual Loops': loops, Plans = [] } = plan;
  const mine = relation === undefined ? 0 : (rows + (plan['Rows Removed by Filter'] ?? 0)) * loops;
  return Plans.reduce((sum, each) => sum + rowsRead(each), mine);
}
