import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  FAR_AHEAD,
  startService,
  type TestService,
} from '../support/service.js';

interface Sum {
  readonly count: number;
  readonly amount: number;
}

interface Home {
  readonly from: string;
  readonly to: string;
  readonly isSinceVisit: boolean;
  readonly isCut: boolean;
  readonly total: { readonly paid: Sum; readonly failed: Sum; readonly blocked: Sum };
  readonly reasons: readonly (Sum & { readonly blockReason: string })[];
  readonly wallets: readonly { readonly walletId: string; readonly paid: Sum; readonly blocked: Sum }[];
  readonly keys: readonly { readonly keyName: string | null; readonly paid: Sum; readonly blocked: Sum }[];
  readonly repeats: readonly (Sum & { readonly merchantName: string; readonly outcome: string })[];
  readonly unusual: readonly (Sum & { readonly kind: string; readonly walletId: string })[];
  readonly limits: readonly { readonly walletId: string; readonly spent: number; readonly held: number }[];
  readonly lowBalances: readonly { readonly walletId: string; readonly threshold: number }[];
  readonly endpoints: readonly { readonly id: string; readonly host: string }[];
  readonly returned: readonly { readonly id: string; readonly amount: number }[];
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const OTHER_ACCOUNT = '0123456780';
const START = Date.parse('2026-03-02T08:00:00.000Z');

const HISTORY = 5_000;

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

function rowsRead(plan: Plan): number {
  const { 'Relation Name': relation, 'Actual Rows': rows, 'Actual Loops': loops, Plans = [] } = plan;
  const mine = relation === 'transactions' ? (rows + (plan['Rows Removed by Filter'] ?? 0)) * loops : 0;
  return Plans.reduce((sum, each) => sum + rowsRead(each), mine);
}

let service: TestService;
let now = START;

async function moveTo(ms: number): Promise<void> {
  now = ms;
  await service.setClock(new Date(ms));
}

beforeAll(async () => {
  service = await startService({ clock: true });
  await moveTo(START);
});
afterAll(async () => {
  await service.settled();
  expect(await brokenInvariants(service)).toEqual({});
  await service.setClock(null);
  await service.close();
});

async function aWallet(kobo: number, fields: Record<string, unknown> = {}): Promise<CreatedWallet> {
  const wallet = await service.fundedWallet(kobo, fields);
  await service.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
  return wallet;
}

const home = async ({ owner }: CreatedWallet, query = ''): Promise<Home> =>
  expectStatus(200, await service.get<{ data: Home }>(`/v1/home${query}`, { token: owner.token })).body.data;

const pay = (wallet: CreatedWallet, fields: Record<string, unknown>) => service.pay(wallet.key, fields);

describe('Home', () => {
  it('begins with three days, then with the end of the visit before, which it writes once in ten minutes', async () => {
    const wallet = await aWallet(1_000);
    const first = now;
    const since = async () => Date.parse((await home(wallet)).from);
    const seenAt = async () => {
      const [row] = await service.query<{ seen: Date }>(
        `SELECT seen_at AS seen FROM home_visits WHERE user_id = '${wallet.owner.id}'`,
      );
      return row?.seen.getTime();
    };
    expect(await since()).toBe(first - 3 * DAY);
    await moveTo(first + 10 * MINUTE - 1);
    await since();
    expect(await seenAt()).toBe(first);
    await moveTo(first + 10 * MINUTE);
    expect(await since()).toBe(first - 3 * DAY);
    expect(await seenAt()).toBe(now);
    const left = now;
    // The same visit still, at its end.
    await moveTo(left + 4 * HOUR);
    expect(await since()).toBe(first - 3 * DAY);
    const last = now;
    await moveTo(last + 4 * HOUR + 1);
    expect(await since()).toBe(last);
    expect(await since()).toBe(last);
    await moveTo(now + 40 * DAY);
    expect(await since()).toBe(now - 31 * DAY);
  });

  it('sums what was paid and blocked, by reason, wallet and key, and groups what repeats', async () => {
    const wallet = await aWallet(100_000, { spendLimitPerTx: 5_000, spendLimitPeriod: 50_000 });
    await moveTo(now + DAY);
    const before = now;
    expectStatus(201, await pay(wallet, { amount: 100, merchantName: 'Old' }));
    await moveTo(before + DAY);
    for (let i = 0; i < 3; i += 1)
      expectStatus(201, await pay(wallet, { amount: 1_000 + i, merchantName: 'Bolt' }));
    await moveTo(now + MINUTE);
    for (let i = 0; i < 2; i += 1)
      expectStatus(403, await pay(wallet, { amount: 5_001, merchantName: 'Konga' }));
    await askAbove(service, wallet, 4_000);
    await payPending(service, wallet, { amount: 4_500 });
    await service.settled();
    await moveTo(now + MINUTE);
    // The payment exactly a day ago counts, the one a millisecond before would not.
    await moveTo(before + DAY);
    const whole = await home(wallet, '?days=1');
    expect(whole.from).toBe(new Date(before).toISOString());
    await moveTo(before + DAY + HOUR);
    const news = await home(wallet, '?days=1');
    const [paid, blocked] = [
      { count: 3, amount: 3_003 },
      { count: 2, amount: 10_002 },
    ];
    expect(news).toMatchObject({
      isSinceVisit: false,
      isCut: false,
      total: { paid, failed: { count: 0, amount: 0 }, blocked },
      reasons: [{ blockReason: 'SPEND_LIMIT_PER_TX_EXCEEDED', ...blocked }],
      wallets: [{ walletId: wallet.id, paid, blocked }],
      keys: [{ keyName: null, paid, blocked }],
      repeats: [
        { merchantName: 'Konga', outcome: 'blocked', ...blocked },
        { merchantName: 'Bolt', outcome: 'paid', ...paid },
      ],
    });
    const stats = await service.stats(wallet);
    expect(stats.spentThisPeriod).toBe(3_103);
    const refused = await service.get('/v1/home?days=32', { token: wallet.owner.token });
    expect(refused.status).toBe(400);
  });

  it('shows limits from 80 % on, what waits included, and balances below their alert', async () => {
    const wallet = await aWallet(100_000, { spendLimitPerTx: 10_000, spendLimitPeriod: 10_000 });
    const { token } = wallet.owner;
    const limit = async () => (await home(wallet)).limits;
    expectStatus(201, await pay(wallet, { amount: 4_999 }));
    await askAbove(service, wallet, 1_000);
    await payPending(service, wallet, { amount: 3_000 });
    expect(await limit()).toEqual([]);
    expectStatus(201, await pay(wallet, { amount: 1 }));
    expect(await limit()).toEqual([
      expect.objectContaining({ walletId: wallet.id, spent: 5_000, held: 3_000, limit: 10_000 }),
    ]);
    const threshold = async (kobo: number) =>
      expectStatus(
        200,
        await service.call('PUT', `/v1/wallets/${wallet.id}/low-balance-threshold`, {
          token,
          body: { threshold: kobo },
        }),
      );
    await threshold(95_000);
    expect((await home(wallet)).lowBalances).toEqual([]);
    await threshold(95_001);
    expect((await home(wallet)).lowBalances).toMatchObject([{ walletId: wallet.id, threshold: 95_001 }]);
    expectStatus(200, await service.post(`/api/wallets/${wallet.id}/suspend`, { token, body: {} }));
    expect(await home(wallet)).toMatchObject({ limits: [], lowBalances: [] });
  });

  it('finds three times the usual day, an account that was not paid in 28 days, and ten blocks within 15 minutes', async () => {
    const wallet = await aWallet(10_000_000, { spendLimitPerTx: 100_000, spendLimitPeriod: 9_000_000 });
    const day = now;
    for (let i = 0; i < 10; i += 1) {
      await moveTo(day + i * DAY);
      expectStatus(201, await pay(wallet, { amount: 1_000 }));
    }
    await moveTo(day + 10 * DAY + HOUR);
    const kinds = async () => (await home(wallet, '?days=1')).unusual.map(({ kind }) => kind);
    expectStatus(201, await pay(wallet, { amount: 3_317 }));
    // 10,000 kobo in nine days and an hour before: 1,106 a day.
    expect(await kinds()).toEqual([]);
    expectStatus(201, await pay(wallet, { amount: 1 }));
    expect(await kinds()).toEqual(['day']);
    expectStatus(
      201,
      await pay(wallet, { amount: 5, recipientAccountNo: OTHER_ACCOUNT, merchantName: 'Spar' }),
    );
    for (let i = 0; i < 9; i += 1) {
      await moveTo(now + 100_000);
      expectStatus(403, await pay(wallet, { amount: 100_001 + i }));
    }
    // A payment that its owner denies is none of them.
    await askAbove(service, wallet, 90_000);
    const { id } = await payPending(service, wallet, { amount: 95_000 });
    expectStatus(200, await decide(service, wallet, id, 'deny'));
    await moveTo(now + 1);
    expect(await kinds()).toEqual(['day', 'account']);
    // The tenth, 15 minutes after the first.
    await moveTo(now + 99_999);
    expectStatus(403, await pay(wallet, { amount: 100_010 }));
    await moveTo(now + 1);
    const { unusual } = await home(wallet, '?days=1');
    expect(unusual).toMatchObject([
      { kind: 'burst', walletId: wallet.id, count: 10 },
      { kind: 'day', amount: 3_323, usual: 1_105 },
      { kind: 'account', merchantName: 'Spar', count: 1, amount: 5 },
    ]);
  });

  it('names endpoints that fail or that the service paused, and shows nobody what is another’s', async () => {
    const wallet = await aWallet(1_000);
    const other = await aWallet(1_000);
    const { token } = wallet.owner;
    const add = async (host: string) => {
      const body = { url: `https://${host}/hooks`, events: ['payment.approved'] };
      const made = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', { token, body });
      return made.body.data.id;
    };
    const [fails, paused, mine] = [
      await add('a.example.com'),
      await add('b.example.com'),
      await add('c.example.com'),
    ];
    await add('d.example.com');
    const set = (id: string, change: string) =>
      service.query(`UPDATE webhook_endpoints SET ${change} WHERE id = '${id}'`);
    await set(fails, `failing_since = '2026-03-01T00:00:00Z'`);
    await set(
      paused,
      `status = 'disabled', disabled_at = clock_timestamp(), disabled_reason = 'no answer for 5 days'`,
    );
    await service.call('PATCH', `/v1/webhook-endpoints/${mine}`, { token, body: { status: 'disabled' } });
    expect((await home(wallet)).endpoints).toEqual([
      { id: fails, host: 'a.example.com', pausedReason: null, failingSince: '2026-03-01T00:00:00.000Z' },
      { id: paused, host: 'b.example.com', pausedReason: 'no answer for 5 days', failingSince: null },
    ]);
    expect(await home(other)).toMatchObject({ endpoints: [], wallets: [], repeats: [] });
  });

  it('reads of a long history what its period holds, and no more', async () => {
    const wallet = await aWallet(1_000_000);
    expectStatus(201, await pay(wallet, { amount: 1 }));
    // Older than the 28 days that a period is compared with.
    await service.query(
      `INSERT INTO transactions
       SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'seq', t.seq + n,
                 'created_at', t.created_at - interval '90 days' - n * interval '1 minute'))).*
         FROM transactions t, generate_series(1, ${HISTORY}) n WHERE t.wallet_id = $1`,
      [wallet.id],
    );
    await service.query('ANALYZE transactions');
    await moveTo(now + MINUTE);
    const { reads } = service.app.get(Database);
    const sent = jest.spyOn(reads, 'query');
    expect((await home(wallet)).total.paid.count).toBe(1);
    const statements = sent.mock.calls.filter(([text]) => text.includes('transactions'));
    sent.mockRestore();
    expect(statements.length).toBeGreaterThanOrEqual(4);
    for (const [text, values] of statements) {
      const [explained] = await service.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        [...(values ?? [])],
      );
      expect(rowsRead(explained!['QUERY PLAN'][0].Plan)).toBeLessThan(100);
    }
    await service.query(
      `DELETE FROM transactions WHERE wallet_id = $1 AND created_at < now() - interval '1 day' AND seq > 1`,
      [wallet.id],
    );
  });
});
