import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Bank, type PayoutState } from '../../src/contexts/bank/bank.port.js';
import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import { SettlementOutcomes } from '../../src/contexts/settlement/settlement-outcomes.service.js';
import { SettlementStore } from '../../src/contexts/settlement/settlement.store.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  FAR_AHEAD,
  startService,
  type TestService,
} from '../support/service.js';
import { withdraw } from '../support/withdrawals.js';

/** One worker whose turns begin when a test begins them, on a clock that stands still: what it may do, to the millisecond. */

const BANK_TIMEOUT_MS = 20_000;
const MINUTE_MS = 60_000;

let service: TestService;
let store: SettlementStore;
let wallet: CreatedWallet;
let nowMs = Date.parse('2026-05-01T08:00:00.000Z');
/** What the bank says next, and of what it was asked. */
let says: { start: PayoutState; get: PayoutState };
let started: string[];

beforeAll(async () => {
  service = await startService({ clock: true, env: { BANK_TIMEOUT_MS: String(BANK_TIMEOUT_MS) } });
  store = service.app.get(SettlementStore, { strict: false });
  const settlements = service.app.get(SettlementService, { strict: false });
  const { workers } = settlements as unknown as { workers: readonly { task: { stop(): Promise<void> } }[] };
  await Promise.all(workers.map(({ task }) => task.stop()));
  await service.setClock(new Date(nowMs));
  wallet = await service.fundedWallet(1_000_000);
  await service.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
});
beforeEach(() => {
  started = [];
  says = { start: { kind: 'succeeded' }, get: { kind: 'succeeded' } };
  const bank = service.app.get(Bank, { strict: false });
  jest.spyOn(bank, 'startPayout').mockImplementation(({ reference }) => {
    started.push(reference);
    return Promise.resolve(says.start);
  });
  jest.spyOn(bank, 'getPayout').mockImplementation(() => Promise.resolve(says.get));
});
afterEach(async () => {
  jest.restoreAllMocks();
  expect(await brokenInvariants(service)).toEqual({});
});
afterAll(async () => {
  await service.setClock(null);
  await service.close();
});

interface Row {
  readonly status: string;
  readonly polls: number;
  readonly next: Date | null;
  readonly submitted: Date | null;
}
const rowOf = async (reference: string): Promise<Row> => {
  const [row] = await service.query<Row>(
    `SELECT status, poll_count AS polls, next_poll_at AS next, submitted_at AS submitted
       FROM settlements WHERE reference = $1`,
    [reference],
  );
  return row!;
};
const set = (reference: string, changes: string): Promise<object[]> =>
  service.query(`UPDATE settlements SET ${changes} WHERE reference = $1`, [reference]);
const pass = async (ms: number): Promise<void> => {
  nowMs += ms;
  await service.setClock(new Date(nowMs));
};
const at = (ms: number): Date => new Date(nowMs + ms);
const turn = (): Promise<void> => service.app.get(SettlementService, { strict: false }).processDue();
/** A payment whose payout waits in the memory of the worker. */
const paid = async (): Promise<string> =>
  expectStatus(201, await service.pay(wallet.key)).body.data.settlement.reference;
/** A payout that is due, and that the bank may have or not. */
const due = async (): Promise<string> => {
  const reference = await paid();
  await set(reference, `next_poll_at = clock_timestamp()`);
  return reference;
};
const end = (reference: string): Promise<object[]> =>
  set(reference, `status = 'succeeded', next_poll_at = NULL`);

describe('what a worker gives back', () => {
  it('is what waits under a lease that lasts more than a second; another worker may have the rest', async () => {
    const states = {
      lasting: `next_poll_at = clock_timestamp() + interval '1001 ms'`,
      ending: `next_poll_at = clock_timestamp() + interval '1000 ms'`,
      asked: `poll_count = 1`,
      ended: `status = 'failed', next_poll_at = NULL`,
    };
    const references = new Map<string, string>();
    for (const [name, changes] of Object.entries(states)) {
      const reference = await paid();
      await set(reference, changes);
      references.set(name, reference);
    }
    const before = new Map<string, Row>();
    for (const [name, reference] of references) before.set(name, await rowOf(reference));
    const leases = await service.query<{ reference: string; leasedUntil: Date | null }>(
      'SELECT reference, next_poll_at AS "leasedUntil" FROM settlements WHERE reference = ANY ($1)',
      [[...references.values()]],
    );
    // Of one that another worker has taken since.
    const lost = leases.map((lease) => ({ ...lease, leasedUntil: at(1_002) }));
    await store.release(lost);
    expect(await rowOf(references.get('lasting')!)).toEqual(before.get('lasting'));
    await store.release(leases);
    expect(await rowOf(references.get('lasting')!)).toEqual({
      status: 'pending',
      polls: 0,
      next: at(0),
      submitted: null,
    });
    for (const name of ['ending', 'asked', 'ended'])
      expect([name, await rowOf(references.get(name)!)]).toEqual([name, before.get(name)]);
    await service.query(`UPDATE settlements SET status = 'succeeded', next_poll_at = NULL`);
  });
});

describe('a payout that is due', () => {
  it('is taken before those that are due later, whichever was paid first', async () => {
    const [later, first] = [await due(), await due()];
    await set(first, `next_poll_at = clock_timestamp() - interval '1 second'`);
    const taken = [await store.claimDue(1, 60), await store.claimDue(1, 60)];
    expect(taken.map((rows) => rows.map(({ reference }) => reference))).toEqual([[first], [later]]);
    await Promise.all([end(first), end(later)]);
  });

  it('is its worker’s for longer than one call to the bank may take, and for 45 s at most with the sweep after a kill', async () => {
    const reference = await due();
    let leasedMs = 0;
    says = { start: { kind: 'accepted' }, get: { kind: 'not-found' } };
    jest.spyOn(service.app.get(Bank, { strict: false }), 'getPayout').mockImplementation(async () => {
      leasedMs = (await rowOf(reference)).next!.getTime() - nowMs;
      return { kind: 'not-found' };
    });
    await turn();
    expect(started).toEqual([reference]);
    // A call of the sandbox takes 15 s at most, whatever BANK_TIMEOUT_MS says; the next sweep is 5 s away.
    expect(leasedMs).toBe(15_000 + 15_000 + 5_000);
    await end(reference);
  });

  it('is taken in the same turn as all that are due, however few the bank takes at once', async () => {
    const { capabilities } = service.app.get(Bank, { strict: false });
    const { payoutsPerBatch } = capabilities;
    const references = [await due(), await due(), await due()];
    Object.assign(capabilities, { payoutsPerBatch: 1 });
    await turn();
    Object.assign(capabilities, { payoutsPerBatch });
    for (const reference of references) expect(await rowOf(reference)).toMatchObject({ status: 'succeeded' });
  });

  it('stays its worker’s when it is renewed, unless another has taken it or it has ended', async () => {
    const [ours, lost, ended] = [await due(), await due(), await due()];
    const taken = await store.claimDue(3, 40);
    await pass(10_000);
    await set(lost, `next_poll_at = clock_timestamp() + interval '40 seconds'`);
    await end(ended);
    expect(await store.renew(taken, 40)).toEqual(new Map([[ours, at(40_000)]]));
    expect(await rowOf(ours)).toMatchObject({ status: 'processing', polls: 0, next: at(40_000) });
    expect(await rowOf(ended)).toMatchObject({ status: 'succeeded', next: null });
    await Promise.all([end(ours), end(lost)]);
  });

  it('is put off by the worker that has it, and by none whose lease is over', async () => {
    const reference = await due();
    const [taken] = await store.claimDue(1, 60);
    const poll = { reference, seconds: 7 };
    await store.reschedulePolls([{ ...poll, leasedUntil: at(59_999) }]);
    expect(await rowOf(reference)).toMatchObject({ polls: 0, next: at(60_000) });
    await store.reschedulePolls([{ ...poll, leasedUntil: taken!.leasedUntil }]);
    expect(await rowOf(reference)).toMatchObject({ polls: 1, next: at(7_000) });
    await end(reference);
  });

  it('and is refused when it is sent again is judged by its last sending that was not refused', async () => {
    const reference = await due();
    const sent = at(0);
    await set(reference, `submitted_at = clock_timestamp()`);
    says = { start: { kind: 'rejected', reason: 'no such account' }, get: { kind: 'not-found' } };
    for (const ms of [4 * MINUTE_MS, 6 * MINUTE_MS, 1]) {
      await pass(ms);
      expect(await rowOf(reference)).toMatchObject({ status: 'processing', submitted: sent });
      await set(reference, `next_poll_at = clock_timestamp()`);
      await turn();
    }
    expect(started).toEqual([reference, reference, reference]);
    expect(await rowOf(reference)).toMatchObject({ status: 'failed', next: null });
  });
});

describe('the payouts of a time', () => {
  it('begin with one that was approved at its very start, and end before one at its end', async () => {
    const reference = await paid();
    // Beside the clock that made the reference, by which they are sought.
    const approvedMs = Date.now();
    await service.query('UPDATE settlements SET approved_at = $2 WHERE reference = $1', [
      reference,
      new Date(approvedMs),
    ]);
    const listed = async (from: number, to: number): Promise<boolean> => {
      const range = [new Date(approvedMs + from), new Date(approvedMs + to)] as const;
      const rows = await store.page(...range, null, 100);
      expect(await store.countIn(...range)).toBe(rows.length);
      return rows.some((row) => row.reference === reference);
    };
    expect([await listed(0, 1), await listed(-1, 0), await listed(1, 2)]).toEqual([true, false, false]);
    await end(reference);
  });
});

describe('a payout that the bank does not end', () => {
  it('is told to a person once it has been under way for more than a day', async () => {
    const reference = await due();
    says = { start: { kind: 'accepted' }, get: { kind: 'accepted' } };
    const cases = () =>
      service.query('SELECT kind, wallet_id FROM operator_cases WHERE subject = $1', [reference]);
    await pass(24 * 60 * MINUTE_MS);
    await set(reference, `next_poll_at = clock_timestamp()`);
    await turn();
    expect(await cases()).toEqual([]);
    await pass(1);
    await set(reference, `next_poll_at = clock_timestamp()`);
    await turn();
    expect(await cases()).toEqual([{ kind: 'payout-stuck', wallet_id: wallet.id }]);
    await end(reference);
  });
});

describe('the end of a payout', () => {
  it.each<[PayoutState, string[]]>([
    [{ kind: 'succeeded' }, ['settlement.started', 'settlement.succeeded']],
    [
      { kind: 'failed', reason: 'Dormant account' },
      ['settlement.started', 'settlement.failed', 'refund.posted'],
    ],
  ])('is dated by the clock of the database: %j', async (get, types) => {
    const reference = await due();
    says = { ...says, get };
    await pass(MINUTE_MS);
    await turn();
    const { data } = await service.history(wallet);
    const { auditEvents } = data.find(({ id }) => id === reference)!;
    const steps = auditEvents.filter(({ type }) => !type.startsWith('check.'));
    const [start, ...ends] = types;
    expect(steps.map(({ type, at: time }) => [type, time])).toEqual([
      [start, at(-MINUTE_MS).toISOString()],
      ...ends.map((type) => [type, at(0).toISOString()]),
    ]);
  });
});

describe('the ends of what is due', () => {
  it('are put on record apart for payments and withdrawals, of which each locks wallets in an order of its own', async () => {
    const withdrawal = await withdraw(service, wallet, 100);
    const payments = [await due(), await due()];
    says = { ...says, get: { kind: 'failed', reason: 'Dormant account' } };
    await set(withdrawal, `status = 'processing', next_poll_at = clock_timestamp()`);
    const recording = jest.spyOn(service.app.get(SettlementOutcomes, { strict: false }), 'recordAll');
    await turn();
    const recorded = recording.mock.calls.map(([verdicts]) =>
      verdicts.map(({ settlement }) => settlement.reference).toSorted(),
    );
    expect(recorded).toEqual([payments.toSorted(), [withdrawal]]);
    for (const reference of [...payments, withdrawal])
      expect(await rowOf(reference)).toMatchObject({ status: 'failed' });
  });
});

describe('a refund that the balance of its wallet can not hold', () => {
  it('is told to a person at once, and made as soon as there is room', async () => {
    const full = await service.fundedWallet(1_000);
    const pay = (): Promise<string> =>
      service
        .pay(full.key, { amount: 1_000 })
        .then((a) => expectStatus(201, a).body.data.settlement.reference);
    const reference = await pay();
    await service.topUp(full.id, Number.MAX_SAFE_INTEGER);
    says = { ...says, get: { kind: 'failed', reason: 'Dormant account' } };
    await set(reference, `next_poll_at = clock_timestamp()`);
    await turn();
    expect(await rowOf(reference)).toMatchObject({ status: 'processing', polls: 1 });
    const cases = await service.query(
      'SELECT kind, wallet_id, description FROM operator_cases WHERE subject = $1',
      [reference],
    );
    expect(cases).toEqual([
      {
        kind: 'refund-held',
        wallet_id: full.id,
        description:
          'the payout was not made (Dormant account), and the balance of the wallet cannot hold its refund',
      },
    ]);
    const later = await pay();
    await set(reference, `next_poll_at = clock_timestamp()`);
    await turn();
    expect(await rowOf(reference)).toMatchObject({ status: 'failed' });
    expect((await service.stats(full)).balance).toBe(Number.MAX_SAFE_INTEGER);
    await end(later);
  });
});

describe('a bank that wants no more calls', () => {
  it('opens a case for the day, which is that of the database', async () => {
    const circuitOpen = { seconds: 0, needsOperator: true };
    says = { ...says, start: { kind: 'unknown', reason: 'the key is wrong', circuitOpen } };
    await withdraw(service, wallet, 100);
    await turn();
    const cases = `SELECT subject, description FROM operator_cases WHERE kind = 'bank-access-denied'`;
    expect(await service.query(cases)).toEqual([
      { subject: at(0).toISOString().slice(0, 10), description: 'the key is wrong' },
    ]);
  });

  it('has what waits in memory given back at once, for a replica that reaches the bank', async () => {
    const taken = await withdraw(service, wallet, 100);
    const waiting = await paid();
    expect(await rowOf(waiting)).toMatchObject({ status: 'processing' });
    const circuitOpen = { seconds: 60, needsOperator: false };
    says = { ...says, start: { kind: 'unknown', reason: 'too many calls', circuitOpen } };
    await turn();
    expect(started).toEqual([taken]);
    expect(await rowOf(waiting)).toEqual({ status: 'pending', polls: 0, next: at(0), submitted: null });
    expect(await rowOf(await paid())).toMatchObject({ status: 'pending', submitted: null });
  });
});

it('a payment that is approved while its process stops waits for any worker, and in no memory', async () => {
  const stopping = await startService({ beside: service });
  const opening = jest.spyOn(stopping.app.get(SettlementStore, { strict: false }), 'open');
  expectStatus(201, await stopping.pay(wallet.key));
  await stopping.app.get(SettlementService, { strict: false }).beforeApplicationShutdown();
  expectStatus(201, await stopping.pay(wallet.key));
  expect(opening.mock.calls.map(([[opened]]) => opened)).toMatchObject([
    { status: 'processing', leasedUntil: expect.any(Date) },
    { status: 'pending', leasedUntil: null },
  ]);
  await stopping.close();
});
