import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CHECKS } from '../../src/contexts/payments/checks/six-checks.domain.js';
import { ReplayService } from '../../src/contexts/simulation/replay.service.js';
import { RecordedAttemptsStore } from '../../src/contexts/payments/transactions/recorded-attempts.store.js';
import { RecordedAttempts } from '../../src/contexts/payments/payments.port.js';
import { ShadowStore } from '../../src/contexts/simulation/shadow.store.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';
import { decide, payPending } from '../support/approvals.js';
import { buildService, ROOT } from '../support/server-process.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2027-03-01T12:00:00.000Z');
const PERIOD = 'SPEND_LIMIT_PER_PERIOD_EXCEEDED';
const NEVER = '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f';

interface CountAndSum {
  readonly count: number;
  readonly kobo: number;
}
interface Backtest {
  readonly attempts: number;
  readonly complete: boolean;
  readonly recorded: { readonly approved: CountAndSum; readonly blocked: CountAndSum };
  readonly underRules: { readonly approved: CountAndSum; readonly blocked: CountAndSum };
  readonly toApproved: CountAndSum;
  readonly toBlocked: CountAndSum;
  readonly flips: readonly { amount: number; recorded: string | null; underRules: string | null }[];
}

let service: TestService;
beforeAll(async () => {
  service = await startService({ clock: true });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await service.setClock(null);
});
afterAll(() => service.close());

const at = (ms: number) => service.setClock(new Date(START + ms));
const codeOf = ({ body }: { body: { code?: string } }) => body.code ?? null;
const backtest = async ({ id, owner }: CreatedWallet, body: object): Promise<Backtest> => {
  await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
  const path = `/api/wallets/${id}/backtest`;
  return expectStatus(200, await service.post<{ data: Backtest }>(path, { token: owner.token, body })).body
    .data;
};

/** A wallet that met every check, at its edges: a month of attempts, a day from each other. */
async function livelyWallet(): Promise<CreatedWallet> {
  await at(0);
  const wallet = await service.fundedWallet(6_000, {
    spendLimitPerTx: 1_000,
    spendLimitPeriod: 2_000,
    periodWindowDays: 3,
    useAllowlist: true,
    merchantAllowlist: ['Acme Stores', 'Jumia'],
  });
  const amounts = [1_000, 1_001, 999, 2, 1, 500, 800, 1_000, 700, 300, 1_000, 1_000, 1_000];
  for (const [i, amount] of amounts.entries()) {
    await at(i * 20 * HOUR_MS);
    const merchantName = i === 6 ? 'Other' : i % 2 ? 'JUMIA' : 'Acme Stores';
    // The sandbox refuses every transfer to the one of these accounts.
    const recipientAccountNo = i === 5 ? '9000000001' : '0123456789';
    await service.pay(wallet.key, { amount, merchantName, recipientAccountNo });
    await service.settled();
  }
  return wallet;
}

describe('an attempt that is explained', () => {
  it('shows every check with the numbers of then, and the facts they come from', async () => {
    const wallet = await service.fundedWallet(500, { spendLimitPerTx: 300 });
    const { body } = await service.pay(wallet.key, { amount: 600 });
    await service.topUp(wallet.id, 5_000);
    const path = `/api/wallets/${wallet.id}/transactions/${body.transactionId}`;
    const { data } = expectStatus(
      200,
      await service.get<{
        data: {
          id: string;
          blockReason: string;
          checks: { check: string; passed: boolean }[];
          facts: object;
        };
      }>(path, { token: wallet.owner.token }),
    ).body;
    expect([data.id, data.blockReason]).toEqual([body.transactionId, 'SPEND_LIMIT_PER_TX_EXCEEDED']);
    expect(data.checks.map(({ check, passed }) => [check, passed])).toEqual([
      ['WALLET_INACTIVE', true],
      ['WALLET_EXPIRED', true],
      ['SPEND_LIMIT_PER_TX_EXCEEDED', false],
      ['SPEND_LIMIT_PER_PERIOD_EXCEEDED', true],
      ['MERCHANT_NOT_ALLOWED', true],
      ['INSUFFICIENT_FUNDS', false],
    ]);
    expect(data.checks.at(-1)).toMatchObject({ compared: { limit: 500, actual: 600 } });
    expect(data.facts).toMatchObject({ balance: 500, spendLimitPerTx: 300, spent: 0, periodWindowDays: 30 });
  });
});

describe('a replay of what was decided', () => {
  it('finds no difference while the rules are what they were', async () => {
    const wallet = await livelyWallet();
    const report = await service.app.get(ReplayService).replay(wallet.id);
    expect(report).toEqual({ attempts: 13, differences: 0, listed: [] });
    await service.setClock(null);
    const codes = (await service.history(wallet, '?pageSize=100')).data.map(({ blockReason }) => blockReason);
    expect(new Set(codes).size).toBeGreaterThanOrEqual(4);
  });

  it.each([
    ['a limit that is no longer part of what it allows', 2, { amount: 1_000 }],
    ['a period that counts one kobo too much', 3, null],
  ])('finds a planted change of a rule: %s', async (_, row, found) => {
    const wallet = await livelyWallet();
    const check = CHECKS[row as 2 | 3];
    jest
      .spyOn(check as { passes: (facts: never, intent: never) => boolean }, 'passes')
      .mockImplementation(
        row === 2
          ? ({ spendLimitPerTx }: { spendLimitPerTx: number }, { amount }: { amount: number }) =>
              amount < spendLimitPerTx
          : (
              { spendLimitPeriod, spent }: { spendLimitPeriod: number; spent: number },
              { amount }: { amount: number },
            ) => amount < spendLimitPeriod - spent,
      );
    const { differences, listed } = await service.app.get(ReplayService).replay(wallet.id);
    expect(differences).toBeGreaterThan(0);
    expect(listed.every(({ now }) => now === check.blockedAs)).toBe(true);
    if (found) expect(listed[0]).toMatchObject({ ...found, recorded: null });
  });

  it('ends in a sentence and a status, as a command that reads its flags first', async () => {
    const wallet = await service.fundedWallet(5_000);
    for (const amount of [1_000, 4_000, 1]) await service.pay(wallet.key, { amount });
    // The first command that finds changed sources says that it builds.
    buildService();
    const launched = ['scripts/run.mjs', 'replay'];
    const { TEST_PACKED } = process.env;
    const quick = TEST_PACKED ? [join(TEST_PACKED, 'scripts/replay.js')] : launched;
    const run = async (command: readonly string[], ...flags: string[]) => {
      const env = { ...process.env, DATABASE_URL: service.databaseUrl, NODE_ENV: 'test' };
      return promisify(execFile)(process.execPath, [...command, ...flags], {
        cwd: ROOT,
        env,
      }).then(
        ({ stdout }) => [0, stdout.trim()],
        (error: unknown) => {
          const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
          return [code, stdout.trim() || stderr.trim()];
        },
      );
    };
    expect(await run(launched, '--help')).toEqual([0, expect.stringContaining('npm run replay')]);
    expect(await run(quick, '--walet', wallet.id)).toEqual([1, expect.stringContaining('see --help')]);
    expect(await run(quick)).toEqual([1, '--wallet must be the id of a wallet; see --help']);
    expect(await run(quick, '--wallet', NEVER)).toEqual([0, 'There is no recorded attempt of this wallet.']);
    expect(await run(launched, '--wallet', wallet.id)).toEqual([
      0,
      'The present rules decide all of 3 recorded attempts as they were decided.',
    ]);
    await service.query(
      `UPDATE transactions SET facts = facts::jsonb || '{"balance": 999}' WHERE wallet_id = $1 AND seq = 1`,
      [wallet.id],
    );
    expect(await run(quick, '--wallet', wallet.id)).toEqual([
      2,
      'The present rules decide 1 of 3 recorded attempts otherwise than they were decided.',
    ]);
  }, 60_000);
});

describe('a backtest', () => {
  it("flips nothing under the wallet's own rules", async () => {
    const wallet = await livelyWallet();
    const own = {
      spendLimitPerTx: 1_000,
      spendLimitPeriod: 2_000,
      periodWindowDays: 3,
      expiry: wallet.expiry,
      useAllowlist: true,
      merchantAllowlist: ['jumia', ' ACME  stores'],
    };
    for (const rules of [{}, own]) {
      const { attempts, complete, recorded, underRules, flips, toApproved, toBlocked } = await backtest(
        wallet,
        {
          days: 30,
          ...rules,
        },
      );
      expect([attempts, complete, flips]).toEqual([13, true, []]);
      expect([toApproved, toBlocked]).toEqual([
        { count: 0, kobo: 0 },
        { count: 0, kobo: 0 },
      ]);
      expect(underRules).toEqual(recorded);
      expect(recorded.approved.count + recorded.blocked.count).toBe(13);
    }
  });

  it('carries on what the other rules would have spent and kept before', async () => {
    await at(0);
    const wallet = await service.fundedWallet(1_000, {
      spendLimitPerTx: 600,
      spendLimitPeriod: 900,
      periodWindowDays: 2,
    });
    const decided: (string | null)[] = [];
    for (const [i, amount] of [600, 300, 200, 100].entries()) {
      await at(i * HOUR_MS);
      decided.push(codeOf(await service.pay(wallet.key, { amount })));
    }
    expect(decided).toEqual([null, null, PERIOD, PERIOD]);
    await at(DAY_MS);
    // Without the first payment there is room for the third, and then none for the fourth.
    const stricter = await backtest(wallet, { days: 2, spendLimitPerTx: 500, spendLimitPeriod: 550 });
    expect(stricter.flips.map(({ amount, recorded, underRules }) => [amount, recorded, underRules])).toEqual([
      [600, null, 'SPEND_LIMIT_PER_TX_EXCEEDED'],
      [200, PERIOD, null],
    ]);
    expect(stricter).toMatchObject({
      toBlocked: { count: 1, kobo: 600 },
      toApproved: { count: 1, kobo: 200 },
      recorded: { approved: { count: 2, kobo: 900 }, blocked: { count: 2, kobo: 300 } },
      underRules: { approved: { count: 2, kobo: 500 }, blocked: { count: 2, kobo: 700 } },
    });
    // More room in the period, and the balance is what ends it: 1,000 - 600 - 300 leaves 100.
    const looser = await backtest(wallet, { days: 2, spendLimitPeriod: 5_000 });
    expect(looser.flips.map(({ amount, underRules }) => [amount, underRules])).toEqual([[100, null]]);
    expect((await backtest(wallet, { days: 2, merchantAllowlist: ['Jumia'] })).toBlocked.count).toBe(2);
    expect(
      (await backtest(wallet, { days: 2, expiry: new Date(START + HOUR_MS).toISOString() })).toBlocked.count,
    ).toBe(1);
  });

  it('counts another length of the window from the books', async () => {
    await at(0);
    const wallet = await service.fundedWallet(100_000, {
      spendLimitPerTx: 500,
      spendLimitPeriod: 1_000,
      periodWindowDays: 1,
    });
    for (let day = 0; day < 6; day += 1) {
      await at(day * DAY_MS);
      expectStatus(201, await service.pay(wallet.key, { amount: 500 }));
    }
    await at(6 * DAY_MS);
    expect((await backtest(wallet, { days: 30, periodWindowDays: 1 })).flips).toEqual([]);
    // Of each three days two can pay.
    const { flips } = await backtest(wallet, { days: 30, periodWindowDays: 3 });
    expect(flips).toHaveLength(2);
    expect((await backtest(wallet, { days: 30, periodWindowDays: 2 })).flips).toEqual([]);
  });

  it('counts no refunded payment in another length of the window, at its edges too', async () => {
    await at(0);
    const wallet = await service.fundedWallet(100_000);
    expectStatus(201, await service.pay(wallet.key, { amount: 1 }));
    await service.query('ALTER TABLE transactions DISABLE TRIGGER USER');
    // Every 6 hours an attempt, some at one time, some blocked, and of the approved every third refunded.
    await service.query(
      `INSERT INTO transactions
       SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'seq', 1 + n, 'amount', n,
                 'block_reason', CASE WHEN n % 5 = 0 THEN $2::text END, 'blocked_total', n / 5,
                 'spent_total', (SELECT 1 + coalesce(sum(m), 0) FROM generate_series(1, n) m WHERE m % 5 <> 0),
                 'created_at', t.created_at + (n - n % 2) * interval '6 hours'))).*
         FROM transactions t, generate_series(1, 300) n WHERE t.wallet_id = $1`,
      [wallet.id, PERIOD],
    );
    await service.query('ALTER TABLE transactions ENABLE TRIGGER USER');
    await service.query(
      `INSERT INTO refunded_payments (wallet_id, transaction_id, amount, approved_at)
       SELECT wallet_id, id, amount, created_at FROM transactions
        WHERE wallet_id = $1 AND block_reason IS NULL AND seq % 3 = 0`,
      [wallet.id],
    );
    for (const days of [1, 2, 30]) {
      const expected = await service.query<{ spent: string; refunded: boolean }>(
        `SELECT coalesce((SELECT sum(o.amount) FROM transactions o
                           WHERE o.wallet_id = t.wallet_id AND o.seq < t.seq AND o.block_reason IS NULL
                             AND o.created_at > t.created_at - $2 * interval '24 hours'), 0)
              - coalesce((SELECT sum(r.amount) FROM refunded_payments r
                           WHERE r.wallet_id = t.wallet_id AND r.approved_at < t.created_at
                             AND r.approved_at > t.created_at - $2 * interval '24 hours'), 0) AS spent,
                t.block_reason IS NULL AND t.seq % 3 = 0 AS refunded
           FROM transactions t WHERE t.wallet_id = $1 ORDER BY t.seq`,
        [wallet.id, days],
      );
      const store = service.app.get(RecordedAttempts);
      const pages = await Promise.all(
        [0, 100, 200, 300].map((after) => store.page(wallet.id, { after, upTo: 301, limit: 100, days })),
      );
      const read = pages.flat();
      expect(read.map(({ spentInWindow, isRefunded }) => [spentInWindow, isRefunded])).toEqual(
        expected.map(({ spent, refunded }) => [Number(spent), refunded]),
      );
    }
  });

  it('is one of three of its user at most, and one at a time is carried out', async () => {
    const wallet = await service.fundedWallet(10_000);
    expectStatus(201, await service.pay(wallet.key));
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const edges = jest.spyOn(RecordedAttemptsStore.prototype, 'edges').mockImplementation(async () => {
      await held;
      return { before: 0, last: 0 };
    });
    const ask = async ({ id, owner }: CreatedWallet) =>
      service.post<{ error?: { code: string } }>(`/api/wallets/${id}/backtest`, {
        token: owner.token,
        body: { days: 1 },
      });
    const three = Array.from({ length: 3 }, () => ask(wallet));
    const { ofUsers } = service.app.get<unknown, { ofUsers: Map<string, number> }>(ReplayService);
    await until(() => Promise.resolve(ofUsers.get(wallet.owner.id) === 3));
    const refused = await ask(wallet);
    expect([refused.status, refused.body.error?.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers['retry-after']).toBe('5');
    const other = ask(await service.fundedWallet(10_000));
    expect(edges).toHaveBeenCalledTimes(1);
    release();
    for (const { status } of await Promise.all([...three, other])) expect(status).toBe(200);
    expect((await ask(wallet)).status).toBe(200);
    expect(ofUsers.size).toBe(0);
  });

  it('counts what was held when it was decided, although it came back since', async () => {
    await at(0);
    const wallet = await service.fundedWallet(100_000, {
      spendLimitPerTx: 1_000,
      spendLimitPeriod: 1_000,
      periodWindowDays: 3,
      approvalThreshold: 550,
    });
    const { id } = await payPending(service, wallet, { amount: 600 });
    expect(codeOf(await service.pay(wallet.key, { amount: 500 }))).toBe(PERIOD);
    expectStatus(200, await decide(service, wallet, id, 'deny'));
    for (const rules of [{}, { periodWindowDays: 3 }]) {
      expect((await backtest(wallet, { days: 2, ...rules })).flips).toEqual([]);
    }
  });

  it('counts what waits for approval among what passed, and says so', async () => {
    await at(0);
    const wallet = await service.fundedWallet(100_000, { spendLimitPerTx: 1_000, approvalThreshold: 550 });
    await payPending(service, wallet, { amount: 600 });
    expect(await backtest(wallet, { days: 2, spendLimitPerTx: 500 })).toMatchObject({
      recorded: { approved: { count: 1, kobo: 600 }, blocked: { count: 0 } },
      toBlocked: { count: 1, kobo: 600 },
      flips: [{ recorded: null, underRules: 'SPEND_LIMIT_PER_TX_EXCEEDED' }],
    });
    const { body } = await service.get<{ components: { schemas: Record<string, object> } }>('/openapi.json');
    expect(body.components.schemas.Outcomes).toMatchObject({
      properties: { approved: { description: expect.stringContaining('what waits for approval') } },
    });
  });

  it('counts the limits of keys as what they would have spent', async () => {
    await at(0);
    const wallet = await service.fundedWallet(100_000, { spendLimitPerTx: 1_000, spendLimitPeriod: 50_000 });
    const created = expectStatus(
      201,
      await service.post<{ data: { apiKey: { fullKey: string } } }>(`/api/wallets/${wallet.id}/keys`, {
        token: wallet.owner.token,
        body: { name: 'child', limits: { totalCap: 1_000, maxPayments: 3 } },
      }),
    );
    const key = created.body.data.apiKey.fullKey;
    const decided: (string | null)[] = [];
    for (const [i, amount] of [900, 50, 60, 40, 30].entries()) {
      await at(i * HOUR_MS);
      decided.push(codeOf(await service.pay(key, { amount })));
    }
    expect(decided).toEqual([null, null, 'KEY_LIMIT_EXCEEDED', null, 'KEY_LIMIT_EXCEEDED']);
    await at(DAY_MS);
    expect((await backtest(wallet, { days: 3 })).flips).toEqual([]);
    // Without the first, the third fits the cap; it is then the fifth that comes after three payments.
    const { flips } = await backtest(wallet, { days: 3, spendLimitPerTx: 500 });
    expect(flips.map(({ amount, underRules }) => [amount, underRules])).toEqual([
      [900, 'SPEND_LIMIT_PER_TX_EXCEEDED'],
      [60, null],
    ]);
  });

  it('reaches back so many days, to the millisecond', async () => {
    await at(0);
    const wallet = await service.fundedWallet(10_000);
    for (const ms of [0, 1]) {
      await at(ms);
      expectStatus(201, await service.pay(wallet.key));
    }
    await at(DAY_MS);
    const first = new Date(START + 1).toISOString();
    expect(await backtest(wallet, { days: 1 })).toMatchObject({ attempts: 1, from: first, to: first });
    expect(await backtest(wallet, { days: 2 })).toMatchObject({ attempts: 2, complete: true });
  });

  it('is of the newest 20,000 attempts, and says where there were more', async () => {
    const wallet = await service.fundedWallet(10_000);
    for (let i = 0; i < 2; i += 1) expectStatus(201, await service.pay(wallet.key));
    const second = async (from: number, to: number) => {
      await service.query('UPDATE transactions SET seq = $3 WHERE wallet_id = $1 AND seq = $2', [
        wallet.id,
        from,
        to,
      ]);
      const { attempts, complete } = await backtest(wallet, { days: 1 });
      return [attempts, complete];
    };
    // The place of an attempt says how many there are up to it.
    await service.query('ALTER TABLE transactions DISABLE TRIGGER USER');
    const answers = [await second(2, 19_999), await second(19_999, 20_000), await second(20_000, 20_001)];
    await second(20_001, 2);
    await service.query('ALTER TABLE transactions ENABLE TRIGGER USER');
    expect(answers).toEqual([
      [19_999, true],
      [20_000, true],
      [20_000, false],
    ]);
  });

  it('is of the owner alone, and needs days', async () => {
    const wallet = await service.createWallet();
    const other = await service.signUp();
    const path = `/api/wallets/${wallet.id}/backtest`;
    expect((await service.post(path, { token: other.token, body: { days: 1 } })).status).toBe(404);
    for (const body of [{}, { days: 0 }, { days: 367 }, { days: 1, spendLimitPerTx: 0 }])
      expect((await service.post(path, { token: wallet.owner.token, body })).status).toBe(400);
    expect(await backtest(wallet, { days: 1 })).toMatchObject({ attempts: 0, from: null, to: null });
  });
});

describe('rules on trial', () => {
  interface Trial {
    readonly rules: Record<string, unknown>;
    readonly judged: number;
    readonly toApproved: CountAndSum;
    readonly toBlocked: CountAndSum;
    readonly flips: readonly { amount: number; recorded: string | null; underRules: string | null }[];
  }
  const shadow = async (
    method: string,
    { id, owner }: CreatedWallet,
    body?: object,
  ): Promise<Trial | null> => {
    const options = { token: owner.token, ...(body && { body }) };
    const path = `/api/wallets/${id}/shadow-rules`;
    return expectStatus(200, await service.call<{ data: { shadow: Trial | null } }>(method, path, options))
      .body.data.shadow;
  };

  it('judge each live payment once, and are never applied', async () => {
    const wallet = await service.fundedWallet(10_000, { spendLimitPerTx: 1_000 });
    await service.pay(wallet.key, { amount: 900 });
    expect(await shadow('GET', wallet)).toBeNull();
    expect(
      await shadow('PATCH', wallet, { spendLimitPerTx: 500, merchantAllowlist: ['Acme Stores'] }),
    ).toMatchObject({
      rules: { spendLimitPerTx: 500, merchantAllowlist: ['Acme Stores'] },
      judged: 0,
      flips: [],
    });
    expect((await service.pay(wallet.key, { amount: 500 })).status).toBe(201);
    expect((await service.pay(wallet.key, { amount: 501 })).status).toBe(201);
    expect((await service.pay(wallet.key, { amount: 5, merchantName: 'Jumia' })).status).toBe(201);
    expect(codeOf(await service.pay(wallet.key, { amount: 1_001 }))).toBe('SPEND_LIMIT_PER_TX_EXCEEDED');
    const readers = await Promise.all(Array.from({ length: 5 }, () => shadow('GET', wallet)));
    for (const trial of [...readers, await shadow('GET', wallet)]) {
      expect(trial).toMatchObject({
        judged: 4,
        toApproved: { count: 0, kobo: 0 },
        toBlocked: { count: 2, kobo: 506 },
        flips: [
          { amount: 5, recorded: null, underRules: 'MERCHANT_NOT_ALLOWED' },
          { amount: 501, recorded: null, underRules: 'SPEND_LIMIT_PER_TX_EXCEEDED' },
        ],
      });
    }
    expect((await service.stats(wallet)).balance).toBe(10_000 - 900 - 500 - 501 - 5);
  });

  it('begin anew with every change, and end with their last member', async () => {
    const wallet = await service.fundedWallet(10_000, { spendLimitPerTx: 1_000 });
    await shadow('PATCH', wallet, { spendLimitPerTx: 2_000, expiry: '2020-01-01T00:00:00Z' });
    await service.pay(wallet.key, { amount: 1_500 });
    await service.pay(wallet.key, { amount: 10 });
    expect(await shadow('GET', wallet)).toMatchObject({
      judged: 2,
      toBlocked: { count: 1 },
      toApproved: { count: 0 },
    });
    expect(await shadow('PATCH', wallet, { expiry: null })).toMatchObject({
      rules: { spendLimitPerTx: 2_000 },
      judged: 0,
    });
    await service.pay(wallet.key, { amount: 1_500 });
    expect(await shadow('GET', wallet)).toMatchObject({
      judged: 1,
      toApproved: { count: 1, kobo: 1_500 },
      flips: [{ amount: 1_500 }],
    });
    expect(await shadow('PATCH', wallet, { spendLimitPerTx: null })).toBeNull();
    expect(await shadow('GET', wallet)).toBeNull();
    const other = await service.signUp();
    expect((await service.get(`/api/wallets/${wallet.id}/shadow-rules`, { token: other.token })).status).toBe(
      404,
    );
  });

  it('are not set for a closed wallet; those of before stay to be read', async () => {
    const { owner, ...wallet } = await service.createWallet();
    await shadow('PATCH', { ...wallet, owner }, { spendLimitPerTx: 2_000 });
    const closing = await service.post(`/api/wallets/${wallet.id}/close`, { token: owner.token, body: {} });
    expect(closing.status).toBe(200);
    const { status, body } = await service.call<{ error: { code: string } }>(
      'PATCH',
      `/api/wallets/${wallet.id}/shadow-rules`,
      { token: owner.token, body: { spendLimitPerTx: 3_000 } },
    );
    expect([status, body.error.code]).toEqual([409, 'WALLET_CLOSED']);
    expect(await shadow('GET', { ...wallet, owner })).toMatchObject({ rules: { spendLimitPerTx: 2_000 } });
  });

  it('decide nothing otherwise where a person said no', async () => {
    const wallet = await service.fundedWallet(10_000, { approvalThreshold: 550 });
    const { id } = await payPending(service, wallet, { amount: 600 });
    expectStatus(200, await decide(service, wallet, id, 'deny'));
    await shadow('PATCH', wallet, { spendLimitPerTx: 5_000 });
    // Judged from here on, as one that was made since the trial began.
    await service.query('UPDATE shadow_rules SET judged_seq = 0 WHERE wallet_id = $1', [wallet.id]);
    expect(await shadow('GET', wallet)).toMatchObject({ judged: 1, toApproved: { count: 0 }, flips: [] });
  });

  it('keep every member that was named, also of changes that come at once', async () => {
    const wallet = await service.createWallet();
    const members = {
      spendLimitPerTx: 500,
      spendLimitPeriod: 5_000,
      periodWindowDays: 7,
      expiry: '2030-01-01T00:00:00.000Z',
      useAllowlist: true,
    };
    await Promise.all(
      Object.entries(members).map(([name, value]) => shadow('PATCH', wallet, { [name]: value })),
    );
    expect(await shadow('GET', wallet)).toMatchObject({ rules: members });
  });

  it('are judged behind the payments without being asked for', async () => {
    const wallet = await service.fundedWallet(10_000);
    await shadow('PATCH', wallet, { spendLimitPerTx: 500 });
    await service.pay(wallet.key, { amount: 600 });
    await until(
      async () =>
        (await service.query('SELECT 1 FROM shadow_flips WHERE wallet_id = $1', [wallet.id])).length === 1,
    );
  });
});

it('what was judged by the rules of an earlier trial is not counted for the next', async () => {
  await at(0);
  const wallet = await service.createWallet();
  const store = service.app.get(ShadowStore, { strict: false });
  const earlier = await store.replace(wallet.id, () => ({ spendLimitPerTx: 500 }));
  await at(1);
  const present = await store.replace(wallet.id, () => ({ spendLimitPerTx: 600 }));
  const judged = { from: 0, upTo: 0, count: 1, flips: [] };
  expect(await store.record(earlier!, judged)).toBe(false);
  expect(await store.record(present!, judged)).toBe(true);
});
