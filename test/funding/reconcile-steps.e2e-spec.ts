import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { FundingReconciliation } from '../../src/contexts/funding/funding.reconcile.js';
import { SettlementReconciliation } from '../../src/contexts/settlement/settlement.reconcile.js';
import { AppError } from '../../src/kernel/errors.js';
import type { TimeRange } from '../../src/platform/jobs/reconciliation.js';
import type { FakeBank } from '../fake-bank/fake-bank.ts';
import type { TestService } from '../support/service.js';
import { PATIENT, type ServiceWithBank, startWithFakeBank } from '../support/with-fake-bank.js';

/** What a bank says, and how slowly, while it is compared with: no text and no silence stops it. */

const DAY_MS = 24 * 60 * 60_000;

let banked: ServiceWithBank;
let fake: FakeBank;
let service: TestService;
let funding: FundingReconciliation;
let payouts: SettlementReconciliation;

beforeAll(async () => {
  banked = await startWithFakeBank({}, PATIENT);
  ({ fake, service } = banked);
  funding = service.app.get(FundingReconciliation);
  payouts = service.app.get(SettlementReconciliation);
});
beforeEach(() => {
  fake.script.clear();
  fake.calls = [];
});
afterAll(() => banked.close());

const range = (): TimeRange => ({
  from: new Date(Date.now() - DAY_MS),
  to: new Date(Date.now() + 2 * DAY_MS),
});

describe('a narration of what no webhook told of', () => {
  it.each([
    ['with a NUL', 'a\u0000b', 'a\ufffdb'],
    ['with half a character', '\ud800c', '\ufffdc'],
    ['of 1,001 characters', 'n'.repeat(1_001), `${'n'.repeat(999)}…`],
  ])('%s is kept as far as it can be', async (_name, narration, kept) => {
    const wallet = await service.createWallet();
    fake.books.collect({ accountReference: wallet.id, amount: '10.00', mode: 'drop', narration });
    const { tally } = await funding.run(range());
    expect(tally.creditedNow).toMatchObject({ count: 1, kobo: 1_000n });
    expect(
      await service.query('SELECT narration FROM ledger_entries WHERE wallet_id = $1', [wallet.id]),
    ).toEqual([{ narration: kept }]);
  });
});

it('a payout of which the bank says another amount is a contradiction and a case, and moves nothing', async () => {
  const wallet = await banked.funded();
  const reference = await banked.pay(wallet);
  expect(await banked.endOf(reference)).toBe('succeeded');
  fake.script.add([
    {
      path: `/transactions/${reference}`,
      times: 0,
      answer: { status: 200, body: { status: true, data: { reference, status: 'success', amount: 10.5 } } },
    },
  ]);
  const { tally } = await payouts.run(range());
  expect([tally.contradictions.count, tally.difference]).toEqual([1, 98_950n]);
  expect(tally.findings.list).toEqual([
    {
      what: 'on record as succeeded with 100000 kobo; the bank says 1050 kobo',
      reference,
      walletId: wallet.id,
    },
  ]);
  expect(await banked.casesOf(reference)).toEqual(['payout-amount-differs']);
  expect([await banked.statusOf(reference), await banked.balanceOf(wallet)]).toEqual(['succeeded', 400_000]);
});

describe('a step whose time is over', () => {
  it('asks the bank for no further payout, and leaves them to the next', async () => {
    const wallet = await banked.funded('100000.00');
    await Promise.all(Array.from({ length: 30 }, () => banked.pay(wallet, { amount: 10_000 })));
    await banked.settled();
    await banked.quiet();
    const { next, tally } = await payouts.run(range(), { msMax: 0 });
    expect([tally.listed.count, next !== null]).toEqual([1, true]);
    const rest = await payouts.run(range(), { after: next });
    const [total] = await service.query<{ count: string }>('SELECT count(*) FROM settlements');
    expect([tally.listed.count + rest.tally.listed.count, rest.next]).toEqual([Number(total!.count), null]);
  });

  it('asks a bank that does not answer once, not again and again', async () => {
    fake.script.add([{ path: '/transactions/', times: 0, answer: 'reset' }]);
    const { next, tally } = await payouts.run(range(), { msMax: 0 });
    expect(tally.unanswered.count).toBe(1);
    expect(banked.callsFor(String(next))).toHaveLength(1);
  });

  it('begins no further account, and leaves them to the next', async () => {
    for (let n = 0; n < 6; n += 1) await service.createWallet();
    const ids = await service.query<{ id: string }>(
      'SELECT wallet_id AS id FROM virtual_accounts ORDER BY 1',
    );
    const { next, tally } = await funding.run(range(), { msMax: 0 });
    expect([tally.accounts, next]).toEqual([1, ids[0]!.id]);
    const rest = await funding.run(range(), { after: next });
    expect([rest.tally.accounts, rest.next]).toEqual([ids.length - 1, null]);
  });

  it('is given up where it could read none of its accounts', async () => {
    const bank = service.app.get(Bank, { strict: false });
    const list = jest.spyOn(bank, 'listCollections').mockImplementation(
      // eslint-disable-next-line require-yield
      async function* () {
        await sleep(3_000);
        throw new AppError('BANK_UNAVAILABLE', 'no answer');
      },
    );
    const run = funding.run(range(), { msMax: 2_500 });
    await expect(run).rejects.toThrow('The bank does not list collections.');
    expect(list).toHaveBeenCalledTimes(4);
    list.mockRestore();
  });
});
