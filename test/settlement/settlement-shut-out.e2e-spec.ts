import { describe, expect, it } from '@jest/globals';
import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import type { FakeBank } from '../fake-bank/fake-bank.ts';
import type { Rule } from '../fake-bank/script.ts';
import { type TestService, until } from '../support/service.js';
import { html, PAY, refusal, type ServiceWithBank, useFakeBank } from '../support/with-fake-bank.js';

/** A bank that takes nothing from us, or does not answer at all: nobody is hammered, held up or forgotten. */

/** The pause that the service takes of itself, four times the interval of its polls. */
const PAUSE_SECONDS = 4;

let banked: ServiceWithBank;
let fake: FakeBank;
let service: TestService;

useFakeBank((started) => {
  banked = started;
  ({ fake, service } = started);
});

describe('a bank that shuts us out', () => {
  /** Eight workers and five jobs may have a call under way when the first is refused, and each may need two. */
  const WORKERS = 8 + 5;

  /**
   * Thirty payments under such rules, all of them due and swept for again and again. Answers also how many calls the
   * bank got beyond those of each pause of `pauseSeconds` that began meanwhile: however slow this machine is, none.
   */
  const many = async (
    rules: readonly Rule[],
    pauseSeconds: number,
  ): Promise<{ references: string[]; pauses: number; excess: number }> => {
    const wallet = await banked.funded('100000.00');
    fake.script.add(rules);
    const startedAt = performance.now();
    const references = await Promise.all(
      Array.from({ length: 30 }, () => banked.pay(wallet, { amount: 10_000 })),
    );
    await until(() => Promise.resolve(fake.calls.some(({ path }) => path === PAY)));
    for (let n = 0; n < 5; n += 1) {
      await allDue();
      await Promise.all(Array.from({ length: 5 }, () => service.app.get(SettlementService).processDue()));
    }
    const pauses = Math.ceil((performance.now() - startedAt) / 1_000 / pauseSeconds);
    const calls = fake.calls.filter(({ path }) => path.startsWith('/transactions')).length;
    return { references, pauses, excess: Math.max(0, calls - 2 * WORKERS * pauses) };
  };
  const allDue = (): Promise<object[]> =>
    service.query(
      `UPDATE settlements SET next_poll_at = clock_timestamp()
        WHERE status = 'pending' OR (status = 'processing' AND poll_count > 0)`,
    );

  it('for its key is not hammered, and nothing is lost (18)', async () => {
    const { references, excess } = await many(
      [{ path: '/transactions', times: 0, accept: false, answer: refusal(401, 'Invalid authorization key') }],
      PAUSE_SECONDS,
    );
    expect(excess).toBe(0);
    expect(new Set(await Promise.all(references.map((reference) => banked.refundsOf(reference))))).toEqual(
      new Set([0]),
    );
    const opened = () =>
      service.query<{ description: string }>(
        `SELECT description FROM operator_cases WHERE kind = 'bank-access-denied'`,
      );
    await until(async () => (await opened()).length > 0);
    expect((await opened())[0]!.description).toContain('401');
    fake.script.clear();
    await passes(references);
  });

  it('for too many calls is left alone as long as it asks, and nothing is lost (19)', async () => {
    const { references, excess } = await many(
      [
        {
          path: PAY,
          times: 0,
          accept: false,
          answer: { status: 429, headers: { 'retry-after': '2' }, body: '' },
        },
      ],
      2,
    );
    expect(excess).toBe(0);
    fake.script.clear();
    await passes(references);
  });

  it('for too many calls without saying how long, in HTML (19)', async () => {
    const { references } = await many(
      [{ path: '/transactions', times: 3, accept: false, answer: html(429) }],
      PAUSE_SECONDS,
    );
    await passes(references);
  });

  it('for its address refuses what it got, and gets no more for a while (18)', async () => {
    const { references, pauses, excess } = await many(
      [{ path: PAY, times: 0, accept: false, answer: refusal(403, 'IP not allowed', 'not_authorized') }],
      PAUSE_SECONDS,
    );
    expect(excess).toBe(0);
    fake.script.clear();
    await late();
    const ended = await Promise.all(references.map((reference) => banked.statusOf(reference)));
    expect(new Set(ended)).toEqual(new Set(['failed', 'succeeded']));
    expect(ended.filter((status) => status === 'failed').length).toBeLessThanOrEqual(WORKERS * pauses);
  });

  /** What was not handed over waits for its lease; it is let pass here. */
  const late = async (): Promise<void> => {
    await until(async () => {
      await allDue();
      await service.app.get(SettlementService).processDue();
      const open = await service.query(`SELECT 1 FROM settlements WHERE status = 'pending' LIMIT 1`);
      return open.length === 0;
    });
    await banked.settled();
  };
  const passes = async (references: readonly string[]): Promise<void> => {
    await late();
    expect(new Set(await Promise.all(references.map((reference) => banked.statusOf(reference))))).toEqual(
      new Set(['succeeded']),
    );
    for (const reference of references) {
      expect(
        banked.callsFor(reference).filter(({ path, status }) => path === PAY && status === 200),
      ).toHaveLength(1);
    }
  };
});

describe('the name enquiry', () => {
  it.each([
    ['does not answer', { answer: 'none' }, 503],
    ['breaks', { answer: 'reset' }, 503],
    ['answers 502', { answer: html(502) }, 503],
    ['has too much to do', { answer: refusal(429, 'Too many requests') }, 503],
    ['knows no such account', { answer: refusal(400, 'Unable to resolve bank account.') }, 404],
  ] as [string, Rule, number][])('%s: nobody hangs, and payments go on (21)', async (_name, rule, status) => {
    const wallet = await banked.funded();
    fake.script.add([{ path: '/misc/banks/resolve', ...rule }]);
    // A call without an end would outlast the test.
    const answer = await service.post('/v1/accounts/resolve', {
      key: wallet.key,
      body: { accountNumber: '0123456789', bankCode: '058' },
    });
    expect(answer.status).toBe(status);
    expect(await banked.endOf(await banked.pay(wallet))).toBe('succeeded');
  });
});
