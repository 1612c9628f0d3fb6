import { afterEach, describe, expect, it } from '@jest/globals';
import { SettlementReconciliation } from '../../src/contexts/settlement/settlement.reconcile.js';
import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import { SettlementStore } from '../../src/contexts/settlement/settlement.store.js';
import type { FakeBank } from '../fake-bank/fake-bank.ts';
import type { ScriptedAnswer } from '../fake-bank/script.ts';
import type { TestService } from '../support/service.js';
import { PAY, refusal, type ServiceWithBank, useFakeBank } from '../support/with-fake-bank.js';

/** Whatever asks a bank that wants to be left alone, beside the workers: news of a payout, and the reconciliation. */

const DAY_MS = 24 * 60 * 60_000;
/** Longer than any test. */
const PAUSE_SECONDS = 600;

let banked: ServiceWithBank;
let fake: FakeBank;
let service: TestService;
let settlements: SettlementService;

afterEach(() => {
  closeCircuit();
});
useFakeBank((started) => {
  banked = started;
  ({ fake, service } = started);
  settlements = service.app.get(SettlementService);
});

const pause: ScriptedAnswer = { status: 429, headers: { 'retry-after': String(PAUSE_SECONDS) }, body: '' };
const closeCircuit = (): void => {
  (settlements as unknown as { circuitOpenUntil: number }).circuitOpenUntil = 0;
};
/** A payout that the bank answers with its wish to be left alone. */
const openCircuit = async (): Promise<string> => {
  const wallet = await banked.funded();
  const accountNumber = banked.nextAccount();
  fake.script.add([{ path: PAY, account: accountNumber, accept: false, answer: pause }]);
  const reference = await banked.pay(wallet, { accountNumber });
  while (settlements.circuitOpenMs() === 0) await settlements.processDue();
  return reference;
};
/** Payments that were paid, of which the bank sends no news. */
const paid = async (count: number): Promise<string[]> => {
  const wallet = await banked.funded('100000.00');
  fake.outbox.mode = 'drop';
  const references = await Promise.all(
    Array.from({ length: count }, () => banked.pay(wallet, { amount: 10_000 })),
  );
  await banked.settled();
  fake.outbox.mode = 'send';
  return references.sort();
};
const bringNews = async (reference: string): Promise<void> => {
  const hook = fake.books.options.payoutWebhookUrl;
  const data = { reference, status: 'success' };
  const { id } = fake.outbox.add(hook, 'transfer.success', data, { mode: 'hold' });
  expect(await fake.outbox.redeliver(id)).toEqual([200]);
};
/** In how many seconds the bank is to be asked for a payout that it sent news of. */
const asksIn = async (reference: string): Promise<number[]> => {
  const jobs = await service.query<{ seconds: string }>(
    `SELECT extract(epoch FROM run_at - now()) AS seconds FROM graphile_worker.jobs WHERE key LIKE $1`,
    [`% ${reference}`],
  );
  return jobs.map(({ seconds }) => Number(seconds));
};
const asked = (reference: string): number =>
  banked.callsFor(reference).filter(({ method }) => method === 'GET').length;

describe('news of a payout', () => {
  it('that comes while the bank wants to be left alone is asked about after that, once', async () => {
    const [reference, other] = (await paid(2)) as [string, string];
    await openCircuit();
    const before = asked(reference);
    for (const each of [reference, other, reference, reference]) {
      await bringNews(each);
      await banked.quiet();
    }
    expect(asked(reference)).toBe(before);
    for (const each of [reference, other]) {
      const [seconds, ...more] = await asksIn(each);
      expect([seconds! > PAUSE_SECONDS / 2, more]).toEqual([true, []]);
    }
    closeCircuit();
    fake.books.settle(reference, 'reversed', { mode: 'drop' });
    await settlements.poll(reference);
    expect(await banked.casesOf(reference)).toEqual(['payout-undone-after-success']);
    banked.contradicted.add(reference);
  });

  it('that the bank answers with its wish to be left alone is asked about after that', async () => {
    const [reference] = (await paid(1)) as [string];
    fake.script.add([{ path: `/transactions/${reference}`, answer: pause }]);
    await bringNews(reference);
    await banked.quiet();
    expect(settlements.circuitOpenMs()).toBeGreaterThan(0);
    expect((await asksIn(reference)).map((seconds) => seconds > PAUSE_SECONDS / 2)).toEqual([true]);
  });
});

describe('a bank that asked for a long pause', () => {
  it('is left alone for it, whatever shorter one it asks for meanwhile', async () => {
    const reference = await openCircuit();
    const settlement = await service.app.get(SettlementStore, { strict: false }).find(reference);
    const shorter = { status: 429, headers: { 'retry-after': '5' }, body: '' };
    fake.script.add([{ answer: shorter }]);
    expect(await settlements.askFor(settlement!)).toMatchObject({ circuitOpen: { seconds: 5 } });
    expect(settlements.circuitOpenMs()).toBeGreaterThan((PAUSE_SECONDS / 2) * 1_000);
  });
});

describe('the reconciliation', () => {
  const reconcile = (after: string | null, msMax: number) =>
    service.app
      .get(SettlementReconciliation)
      .run({ from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + DAY_MS) }, { after, msMax });
  const before = async (reference: string): Promise<string | null> => {
    const [row] = await service.query<{ last: string | null }>(
      'SELECT max(reference::text) AS last FROM settlements WHERE reference < $1',
      [reference],
    );
    return row!.last;
  };

  it('asks for nothing while the bank wants to be left alone, and is to be tried again', async () => {
    await paid(1);
    await openCircuit();
    fake.calls = [];
    await expect(reconcile(null, 20_000)).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
    expect(fake.calls.filter(({ path }) => path.startsWith('/transactions/'))).toEqual([]);
  });

  it('goes as far as it got when the bank wants to be left alone, and on from there', async () => {
    const references = await paid(30);
    fake.script.add([{ path: `/transactions/${references[2]}`, answer: pause }]);
    const first = await reconcile(await before(references[0]!), 20_000);
    expect([first.tally.paid.count, first.next]).toEqual([2, references[1]]);
    expect([first.tally.unanswered.count, first.tally.findings.list]).toEqual([0, []]);
    closeCircuit();
    const rest = await reconcile(first.next, 20_000);
    expect([rest.tally.paid.count, rest.next]).toEqual([28, null]);
  });

  it('waits where the pause is short, and asks again', async () => {
    const [reference] = (await paid(1)) as [string];
    const short = { ...pause, headers: { 'retry-after': '1' } };
    fake.script.add([{ path: `/transactions/${reference}`, times: 2, answer: short }]);
    const { tally } = await reconcile(await before(reference), 20_000);
    expect([tally.unanswered.count, tally.findings.list]).toEqual([0, []]);
  });

  it('is over once the bank refuses us, which waiting does not mend', async () => {
    await paid(30);
    fake.calls = [];
    fake.script.add([
      { path: '/transactions/', times: 0, answer: refusal(401, 'Invalid authorization key') },
    ]);
    await expect(reconcile(null, Infinity)).rejects.toMatchObject({ code: 'BANK_UNAVAILABLE' });
    await banked.quiet();
    expect(fake.calls.length).toBeLessThanOrEqual(8);
  });
});
