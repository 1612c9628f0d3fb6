import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import type { SettlementOutcome } from '../../src/contexts/settlement/settlement.domain.js';
import { SettlementFailed, SettlementSucceeded } from '../../src/contexts/settlement/settlement.events.js';
import { SettlementOutcomes } from '../../src/contexts/settlement/settlement-outcomes.service.js';
import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import { Settlements } from '../../src/contexts/settlement/settlement.port.js';
import { type SettlementRow, SettlementStore } from '../../src/contexts/settlement/settlement.store.js';
import { kobo } from '../../src/kernel/money.js';
import { Database } from '../../src/platform/database/database.js';
import { Events } from '../../src/platform/events/events.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';
import { withdraw } from '../support/withdrawals.js';

/** What stands of a settlement, and what comes of two who put its end on record at once. */

let service: TestService;
let wallet: CreatedWallet;
beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(1_000_000);
});
afterEach(async () => {
  expect(await brokenInvariants(service)).toEqual({});
});
afterAll(() => service.close());

const payTo = async (recipientAccountNo: string): Promise<string> =>
  expectStatus(201, await service.pay(wallet.key, { amount: 1_000, recipientAccountNo })).body.data.settlement
    .reference;

const stored = async (reference: string) => {
  const [row] = await service.query<{ status: string; steps: { type: string; at: string }[] }>(
    'SELECT status, steps FROM settlements WHERE reference = $1',
    [reference],
  );
  return row!;
};
const ended = (reference: string): Promise<void> =>
  until(async () => !['pending', 'processing'].includes((await stored(reference)).status));

/** The first step, as versions that stored it did. */
const storeStart = (reference: string): Promise<unknown> =>
  service.query(
    `UPDATE settlements SET steps = jsonb_build_array(jsonb_build_object('type', 'settlement.started',
              'at', to_char(approved_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'detail', '{}'::jsonb)) || steps
      WHERE reference = $1`,
    [reference],
  );

describe('the start of a settlement', () => {
  it.each([
    ['9000000003', []],
    ['0123456789', ['settlement.succeeded']],
    ['9000000001', ['settlement.failed', 'refund.posted']],
  ])('is shown as it was when it was stored: a payment to %s', async (account, later) => {
    const reference = await payTo(account);
    if (later.length > 0) await ended(reference);
    expect((await stored(reference)).steps.map(({ type }) => type)).toEqual(later);
    const shown = async () =>
      expectStatus(200, await service.get(`/api/payment-intent/${reference}`, wallet)).text;
    const withoutStart = await shown();
    await storeStart(reference);
    expect((await stored(reference)).steps).toHaveLength(1 + later.length);
    expect(await shown()).toBe(withoutStart);
    expect(withoutStart.split('"settlement.started"')).toHaveLength(2);
  });

  it('of a withdrawal goes without saying too', async () => {
    const id = await withdraw(service, wallet, 700);
    await ended(id);
    const steps = async () => (await service.app.get(Settlements, { strict: false }).of([id])).get(id)?.steps;
    const withoutStart = await steps();
    expect(withoutStart?.map(({ type }) => type)).toEqual(['settlement.started', 'settlement.succeeded']);
    expect((await stored(id)).steps).toHaveLength(1);
    await storeStart(id);
    expect(JSON.stringify(await steps())).toBe(JSON.stringify(withoutStart));
  });
});

it.each(['settlement.poll', 'settlement.look'])('a job %s asks the bank for a payout', async (job) => {
  const reference = await payTo('0123456789');
  await ended(reference);
  await service.query(
    `UPDATE settlements SET status = 'processing', steps = '[]', next_poll_at = 'infinity' WHERE reference = $1`,
    [reference],
  );
  await service.query('SELECT graphile_worker.add_job($1, $2::json)', [job, JSON.stringify({ reference })]);
  await ended(reference);
  expect((await stored(reference)).steps).toHaveLength(1);
});

describe('the end of a settlement', () => {
  const PAID = { status: 'succeeded', reason: '' } as const;
  const FAILED = { status: 'failed', reason: 'closed' } as const;
  let holder: pg.Client;
  beforeAll(async () => {
    holder = new pg.Client({ connectionString: service.databaseUrl });
    await holder.connect();
  });
  afterAll(() => holder.end());

  /** Settlements that the bank has and does not end, in the order of their references. */
  const underWay = async (count: number): Promise<string[]> => {
    const references: string[] = [];
    for (let i = 0; i < count; i += 1) references.push(await payTo('9000000003'));
    await until(async () => {
      const polled = await service.query(
        `UPDATE settlements SET next_poll_at = 'infinity' WHERE reference = ANY ($1) AND poll_count > 0 RETURNING 1`,
        [references],
      );
      return polled.length === count;
    });
    return references.sort();
  };
  const record = async (references: readonly string[], outcome: SettlementOutcome): Promise<void> => {
    const store = service.app.get(SettlementStore, { strict: false });
    const rows = await Promise.all(references.map((reference) => store.find(reference)));
    const verdicts = rows.map((settlement) => ({ settlement: settlement as SettlementRow, outcome }));
    expect(await service.app.get(SettlementOutcomes, { strict: false }).recordAll(verdicts)).toEqual([]);
  };
  const waiting = (count: number): Promise<void> =>
    until(async () => {
      const rows = await service.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length === count;
    });
  /** Holds a settlement until all that `begun` starts waits, each behind the one before, and `meanwhile` is over. */
  const whileHeld = async (
    reference: string,
    begun: readonly (() => Promise<void>)[],
    meanwhile = () => Promise.resolve(),
  ): Promise<void> => {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM settlements WHERE reference = $1 FOR UPDATE', [reference]);
    const all: Promise<void>[] = [];
    try {
      for (const begin of begun) {
        all.push(begin());
        await waiting(all.length);
      }
      await meanwhile();
    } finally {
      await holder.query('COMMIT');
    }
    await Promise.all(all);
  };
  const typesOf = async (reference: string): Promise<string[]> =>
    (await stored(reference)).steps.map(({ type }) => type);
  const casesOf = (reference: string) =>
    service.query<{ kind: string; description: string }>(
      'SELECT kind, description FROM operator_cases WHERE subject = $1',
      [reference],
    );
  const balance = async (): Promise<number> => (await service.stats(wallet)).balance;

  it.each([
    ['paid', PAID, ['settlement.succeeded'], 0],
    ['failed', FAILED, ['settlement.failed', 'refund.posted'], 2_000],
  ])('that arrives twice at once is one: %s', async (_, outcome, types, refunded) => {
    const references = await underWay(2);
    const before = await balance();
    const again = () => record(references, outcome);
    const publish = jest.spyOn(service.app.get(Events, { strict: false }), 'publish');
    await whileHeld(references[0]!, [again, again]);
    const told = publish.mock.calls
      .flatMap(([events]) => events)
      .filter((event) => event instanceof SettlementSucceeded || event instanceof SettlementFailed);
    publish.mockRestore();
    expect(told).toMatchObject(references.map((reference) => ({ reference })));
    expect(await Promise.all(references.map(typesOf))).toEqual([types, types]);
    expect(await balance()).toBe(before + refunded);
    expect(await Promise.all(references.map(casesOf))).toEqual([[], []]);
  });

  it.each([
    [
      'paid',
      PAID,
      FAILED,
      'reversed',
      'payout-undone-after-success',
      'on record as succeeded; the bank now says failed: closed; not refunded: 1000 kobo',
      0,
    ],
    [
      'failed',
      FAILED,
      PAID,
      'failed',
      'payout-succeeded-after-refund',
      'on record as failed; the bank now says succeeded',
      1_000,
    ],
  ] as const)(
    'that comes while another is put on record is held against it, and its neighbours end: %s',
    async (_, first, second, left, kind, description, refunded) => {
      const [contested, neighbour] = (await underWay(2)) as [string, string];
      const before = await balance();
      await whileHeld(contested, [
        () => record([contested], first),
        () => record([contested, neighbour], second),
      ]);
      expect((await stored(contested)).status).toBe(left);
      expect(await typesOf(contested)).toHaveLength(2);
      expect(await casesOf(contested)).toEqual([{ kind, description }]);
      expect((await stored(neighbour)).status).toBe(second.status);
      expect(await casesOf(neighbour)).toEqual([]);
      expect(await balance()).toBe(before + refunded + (second === FAILED ? 1_000 : 0));
    },
  );

  it.each([
    ['paid', PAID],
    ['failed', FAILED],
  ] as const)('is not recorded by a worker that another has taken it from: %s', async (_, outcome) => {
    const [mine, taken] = (await underWay(2)) as [string, string];
    const leasedUntil = new Date(Date.now() + 60_000);
    for (const [reference, until] of [
      [mine, leasedUntil],
      [taken, new Date(leasedUntil.getTime() + 1)],
    ]) {
      await service.query('UPDATE settlements SET next_poll_at = $2 WHERE reference = $1', [
        reference,
        until,
      ]);
    }
    const store = service.app.get(SettlementStore, { strict: false });
    const outcomes = service.app.get(SettlementOutcomes, { strict: false });
    const rows = await Promise.all([mine, taken].map((reference) => store.find(reference)));
    const verdicts = rows.map((row) => ({ settlement: { ...(row as SettlementRow), leasedUntil }, outcome }));
    const before = await balance();
    expect(await outcomes.recordAll(verdicts)).toEqual([]);
    expect((await stored(mine)).status).toBe(outcome.status);
    expect(await stored(taken)).toMatchObject({ status: 'processing', steps: [] });
    expect(await balance()).toBe(before + (outcome === FAILED ? 1_000 : 0));

    // The one that took it has heard otherwise: the bank is asked once more, and neither answer is believed.
    await record([taken], outcome === PAID ? FAILED : PAID);
    const { status } = await stored(taken);
    const poll = jest.spyOn(service.app.get(SettlementService, { strict: false }), 'poll');
    poll.mockResolvedValue();
    expect(await outcomes.recordAll(verdicts.slice(1))).toEqual([]);
    await until(() => Promise.resolve(poll.mock.calls.some(([reference]) => reference === taken)));
    poll.mockRestore();
    expect([(await stored(taken)).status, await casesOf(taken)]).toEqual([status, []]);
  });

  it.each([
    ['paid', PAID],
    ['failed', FAILED],
  ])('locks many in the order of their references: %s', async (_, outcome) => {
    const references = await underWay(3);
    await whileHeld(references[1]!, [() => record(references.toReversed(), outcome)], async () => {
      const free = await service.query<{ reference: string }>(
        'SELECT reference FROM settlements WHERE reference = ANY ($1) FOR UPDATE SKIP LOCKED',
        [references],
      );
      // The one before is locked, the one after is not yet.
      expect(free).toEqual([{ reference: references[2] }]);
    });
    const ends = await Promise.all(references.map(stored));
    expect(ends.map(({ status }) => status)).toEqual(references.map(() => outcome.status));
  });

  it('that says another amount after a refund is told as a success after a refund', async () => {
    const [reference] = (await underWay(1)) as [string];
    await record([reference], FAILED);
    await record([reference], { ...PAID, amountPaid: kobo(900) });
    expect(await casesOf(reference)).toEqual([
      {
        kind: 'payout-succeeded-after-refund',
        description: 'on record as failed; the bank now says succeeded',
      },
    ]);
  });

  it('is tried once for all of them, and not one by one, while the database is away', async () => {
    const references = await underWay(2);
    const store = service.app.get(SettlementStore, { strict: false });
    const rows = await Promise.all(references.map((reference) => store.find(reference)));
    const database = service.app.get(Database, { strict: false });
    const away = jest
      .spyOn(database, 'transaction')
      .mockRejectedValue(new Error('Connection terminated unexpectedly'));
    const verdicts = rows.map((settlement) => ({ settlement: settlement as SettlementRow, outcome: FAILED }));
    const outcomes = service.app.get(SettlementOutcomes, { strict: false });
    await expect(outcomes.recordAll(verdicts)).rejects.toThrow('Connection terminated');
    const tries = away.mock.calls.length;
    away.mockRestore();
    expect(tries).toBe(1);
    await record(references, PAID);
  });

  it('of one that is not there comes to nothing', async () => {
    const [reference] = (await underWay(1)) as [string];
    const row = await service.app.get(SettlementStore, { strict: false }).find(reference);
    const lost = { ...row!, reference: randomUUID() };
    const shortOfFloat = { ...FAILED, cause: 'no-float' as const };
    for (const outcome of [PAID, { ...PAID, amountPaid: kobo(900) }, FAILED, shortOfFloat]) {
      await service.app.get(SettlementOutcomes, { strict: false }).recordAll([{ settlement: lost, outcome }]);
    }
    expect(await casesOf(lost.reference)).toEqual([]);
    await record([reference], PAID);
  });
});
