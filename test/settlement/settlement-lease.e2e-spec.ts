import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import type { FakeBank } from '../fake-bank/fake-bank.ts';
import { bankSettings } from '../support/bank-books.ts';
import { freePort } from '../support/ports.js';
import { ServiceBuild, type ServiceProcess } from '../support/process.js';
import { type CreatedWallet, type TestService, until } from '../support/service.js';
import { JWT_SECRET } from '../support/service-database.js';
import {
  PATIENT,
  PAY,
  refusal,
  type ServiceWithBank,
  startWithFakeBank,
  STUCK,
} from '../support/with-fake-bank.js';

/**
 * Several workers on one database: each payout belongs to one of them at a time. They are patient, so what the bank
 * does not answer stays under way.
 */

/** Kora's adapter has so many calls under way at once. */
const LANES = 8;
/** The bank does not answer payouts to this account. */
const SILENT = '7000000001';

let banked: ServiceWithBank;
let fake: FakeBank;
let service: TestService;
beforeAll(async () => {
  banked = await startWithFakeBank({}, PATIENT);
  ({ fake, service } = banked);
});
afterEach(async () => {
  fake.script.clear();
  fake.hangUp();
  await banked.settled();
  expect(await banked.disagreements()).toEqual([]);
});
afterAll(() => banked.close());

/** Five workers of each service take what is due at the same moment, besides those that run there anyway. */
const race = async (...services: TestService[]): Promise<void> => {
  await Promise.all(
    services.flatMap(({ app }) =>
      Array.from({ length: 5 }, () => app.get(SettlementService, { strict: false }).processDue()),
    ),
  );
};

const stateOf = async (reference: string): Promise<object> => {
  const [row] = await service.query<object>(
    `SELECT status, poll_count AS polls, next_poll_at > clock_timestamp() + interval '20 seconds' AS leased
       FROM settlements WHERE reference = $1`,
    [reference],
  );
  return row!;
};

const leasedSeconds = async (reference: string): Promise<number> => {
  const [row] = await service.query<{ seconds: string }>(
    'SELECT extract(epoch FROM next_poll_at - approved_at) AS seconds FROM settlements WHERE reference = $1',
    [reference],
  );
  return Number(row!.seconds);
};

/** Lets the lease of whoever has these settlements run out. */
const runOut = async (references: readonly string[]): Promise<void> => {
  await service.query('UPDATE settlements SET next_poll_at = clock_timestamp() WHERE reference = ANY ($1)', [
    references,
  ]);
};

/** Waits until the bank leaves all workers of one service without an answer: what is paid now stays in its memory. */
async function busyLanes(pay: () => Promise<string>): Promise<string[]> {
  fake.script.add([{ path: PAY, account: SILENT, times: 0, accept: false, answer: 'none' }]);
  const references = await Promise.all(Array.from({ length: LANES }, pay));
  await until(() => Promise.resolve(references.every((reference) => banked.handedOver(reference) === 1)));
  return references;
}

const methodsFor = (reference: string): string[] => banked.callsFor(reference).map(({ method }) => method);

describe('two services with five workers each', () => {
  let other: TestService;
  beforeAll(async () => {
    other = await banked.startAnother(PATIENT);
  });
  afterAll(() => other.close());

  /** Payouts that the bank has and does not end, and that nobody looks at of itself any more. */
  const parked = async (wallet: CreatedWallet, count: number): Promise<string[]> => {
    const references = await Promise.all(Array.from({ length: count }, () => banked.pay(wallet, STUCK)));
    await until(async () => {
      // Only one that is under lease now may still come back.
      const soon = await service.query(
        `UPDATE settlements SET next_poll_at = clock_timestamp() + interval '1 hour'
          WHERE reference = ANY ($1) AND poll_count > 0 AND next_poll_at < clock_timestamp() + interval '25 seconds'
          RETURNING 1`,
        [references],
      );
      const [row] = await service.query<{ parked: number }>(
        `SELECT count(*)::int AS parked FROM settlements
          WHERE reference = ANY ($1) AND next_poll_at > clock_timestamp() + interval '30 minutes'`,
        [references],
      );
      return soon.length === 0 && row!.parked === references.length;
    });
    return references;
  };

  it('leave a payout to the one that asks the bank for it, for as long as its lease lasts', async () => {
    const wallet = await banked.funded();
    const [reference] = (await parked(wallet, 1)) as [string];
    fake.script.add([{ method: 'GET', reference, times: 0, answer: 'none' }]);
    fake.calls = [];
    await runOut([reference]);
    const taken = race(service);
    await until(() => Promise.resolve(methodsFor(reference).length > 0));
    // Who took it too would ask, and be left without an answer.
    const others = race(service, other);
    try {
      await Promise.race([others, until(() => Promise.resolve(methodsFor(reference).length > 1))]);
      expect(methodsFor(reference)).toEqual(['GET']);
    } finally {
      fake.books.settle(reference, 'success', { mode: 'drop' });
      fake.script.clear();
      fake.hangUp();
    }
    await Promise.all([taken, others]);
    expect(await banked.endOf(reference)).toBe('succeeded');
  });

  it('ask for each payout that is due once, and refund it once', async () => {
    const wallet = await banked.funded('50000.00');
    const references = await parked(wallet, 16);
    for (const reference of references) fake.books.settle(reference, 'failed', { mode: 'drop' });
    fake.calls = [];
    await runOut(references);
    await race(service, other);
    await banked.settled();
    expect(references.map(methodsFor)).toEqual(references.map(() => ['GET']));
    const refunds = await Promise.all(references.map((reference) => banked.refundsOf(reference)));
    expect(refunds).toEqual(references.map(() => 1));
    expect(await banked.balanceOf(wallet)).toBe(5_000_000);
  });
});

describe('a worker that is slower than its lease', () => {
  /** The bank finds nothing of the payout, but takes long to say so, the first time that it is asked. */
  const slowNotFound = { method: 'GET', nth: 1, answer: { slowBodyMs: 1_500 } } as const;

  it('refunds nothing when it hears of a refusal after another has sent the payout again', async () => {
    const wallet = await banked.funded();
    const before = await banked.balanceOf(wallet);
    // Kora's word on a refusal is asked for once more before it is believed.
    fake.script.add([
      { path: PAY, account: STUCK.accountNumber, accept: false, answer: refusal(400, 'Invalid account.') },
      slowNotFound,
    ]);
    const reference = await banked.pay(wallet, STUCK);
    await until(() => Promise.resolve(methodsFor(reference).length === 2));
    await runOut([reference]);
    await race(service);
    expect(methodsFor(reference)).toEqual(['POST', 'GET', 'GET', 'POST']);
    await sleep(2_000);
    expect([await banked.statusOf(reference), await banked.refundsOf(reference)]).toEqual(['processing', 0]);
    fake.books.settle(reference, 'success', { mode: 'drop' });
    expect(await banked.endOf(reference)).toBe('succeeded');
    expect(await banked.balanceOf(wallet)).toBe(before - 100_000);
  });

  it('does not send what another has sent again in the meantime', async () => {
    const wallet = await banked.funded();
    fake.script.add([
      { path: PAY, account: STUCK.accountNumber, accept: false, answer: 'reset' },
      slowNotFound,
    ]);
    const reference = await banked.pay(wallet, STUCK);
    await until(() => Promise.resolve(methodsFor(reference).length === 2));
    await runOut([reference]);
    await race(service);
    await sleep(2_000);
    expect(banked.handedOver(reference)).toBe(2);
    fake.books.settle(reference, 'success', { mode: 'drop' });
    expect(await banked.endOf(reference)).toBe('succeeded');
  });
});

describe('a new payout', () => {
  let patient: TestService;
  let wallet: CreatedWallet;
  const payThere = (): Promise<string> =>
    banked.pay(wallet, { bankCode: '033', accountNumber: SILENT }, patient);
  beforeAll(async () => {
    wallet = await banked.funded('50000.00');
  });

  it('is under a lease from its first moment: no other worker asks for it or submits it', async () => {
    patient = await banked.startAnother(PATIENT);
    await busyLanes(payThere);
    const reference = await banked.pay(wallet, {}, patient);
    await race(service, patient);
    expect(await stateOf(reference)).toEqual({ status: 'processing', polls: 0, leased: true });
    expect(methodsFor(reference)).toEqual([]);
    // It may wait for 9 s, and then take a call of 25 s; no longer, since it waits for that when its process dies.
    const leased = await leasedSeconds(reference);
    expect(leased).toBeGreaterThan(9 + 25);
    expect(leased).toBeLessThan(40);
    fake.script.clear();
    fake.hangUp();
    await banked.settled();
    expect([await banked.statusOf(reference), banked.handedOver(reference)]).toEqual(['succeeded', 1]);
    expect(methodsFor(reference)[0]).toBe('POST');
    await patient.close();
  });

  it('that the bank leaves without an answer keeps its lease, which is renewed', async () => {
    patient = await banked.startAnother(PATIENT);
    fake.script.add([{ path: PAY, account: SILENT, times: 0, accept: false, answer: 'none' }]);
    const reference = await payThere();
    await until(() => Promise.resolve(methodsFor(reference).length === 1));
    const first = await leasedSeconds(reference);
    await until(async () => (await leasedSeconds(reference)) > first + 5, 20_000);
    fake.script.clear();
    fake.hangUp();
    await banked.settled();
    expect([await banked.statusOf(reference), banked.handedOver(reference)]).toEqual(['succeeded', 2]);
    await patient.close();
  });

  it('that waited too long in memory is submitted from the database, which need not ask first', async () => {
    // With calls of 30 s it may wait for 4 s.
    patient = await banked.startAnother({ BANK_TIMEOUT_MS: '30000' });
    await busyLanes(payThere);
    const reference = await banked.pay(wallet, {}, patient);
    await sleep(4_100);
    expect(methodsFor(reference)).toEqual([]);
    fake.script.clear();
    fake.hangUp();
    await banked.settled();
    expect([await banked.statusOf(reference), banked.handedOver(reference)]).toEqual(['succeeded', 1]);
    expect(methodsFor(reference)[0]).toBe('POST');
    await patient.close();
  });

  it('that its process did not submit before it stopped is free for any worker at once, which need not ask first', async () => {
    patient = await banked.startAnother(PATIENT);
    await busyLanes(payThere);
    const reference = await banked.pay(wallet, {}, patient);
    const closed = patient.close();
    await until(() => Promise.resolve(banked.handedOver(reference) > 0));
    expect(methodsFor(reference)[0]).toBe('POST');
    fake.script.clear();
    fake.hangUp();
    await closed;
    await banked.settled();
    expect([await banked.statusOf(reference), banked.handedOver(reference)]).toEqual(['succeeded', 1]);
  });

  it('that is approved during a turn waits for the next, and goes there with all that came until then', async () => {
    patient = await banked.startAnother(PATIENT);
    try {
      // A turn begins when this test begins it.
      const settlement = patient.app.get(SettlementService, { strict: false });
      const { workers } = settlement as unknown as {
        workers: readonly { task: { stop(): Promise<void> } }[];
      };
      await Promise.all(workers.map(({ task }) => task.stop()));
      const turn = (): Promise<void> =>
        (settlement as unknown as { run(worker: unknown): Promise<void> }).run(workers[0]);

      fake.script.add([{ path: PAY, account: SILENT, times: 0, accept: false, answer: 'none' }]);
      const first = await payThere();
      const underWay = turn();
      await until(() => Promise.resolve(banked.handedOver(first) === 1));
      const later = [await banked.pay(wallet, {}, patient), await banked.pay(wallet, {}, patient)];
      fake.script.clear();
      fake.hangUp();
      await underWay;
      expect(later.map((reference) => banked.handedOver(reference))).toEqual([0, 0]);
      await turn();
      expect(later.map((reference) => banked.handedOver(reference))).toEqual([1, 1]);
    } finally {
      await patient.close();
    }
  });

  it('that was lost with the memory of its process is asked for first, once its lease has run out', async () => {
    const build = new ServiceBuild();
    let killed: ServiceProcess | undefined;
    try {
      const started = await build.start(await freePort(), {
        ...bankSettings(fake.url, banked.port),
        ...PATIENT,
        DATABASE_URL: service.databaseUrl,
        JWT_SECRET,
      });
      killed = started;
      const payThere = (accountNumber: string): Promise<string> =>
        started
          .call<{ data: { settlement: { reference: string } } }>('POST', '/api/payment-intent', {
            key: wallet.key,
            body: {
              amount: 100_000,
              merchantName: 'Acme Stores',
              recipientBankCode: '033',
              recipientAccountNo: accountNumber,
            },
          })
          .then(({ data }) => data.settlement.reference);
      const hung = await busyLanes(() => payThere(SILENT));
      const reference = await payThere(banked.nextAccount());
      await started.kill('SIGKILL');
      fake.script.clear();
      await race(service);
      expect(await stateOf(reference)).toEqual({ status: 'processing', polls: 0, leased: true });
      expect(methodsFor(reference)).toEqual([]);
      await runOut([reference, ...hung]);
      await race(service);
      await banked.settled();
      expect(methodsFor(reference).slice(0, 2)).toEqual(['GET', 'POST']);
      expect([await banked.statusOf(reference), banked.handedOver(reference)]).toEqual(['succeeded', 1]);
    } finally {
      await killed?.kill('SIGKILL');
      build.remove();
    }
  });
});
