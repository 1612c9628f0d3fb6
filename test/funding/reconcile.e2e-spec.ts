import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { reportAsTable, isClean, rangeOf, type Report } from '../../scripts/reconciliation-report.js';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { FundingReconciliation } from '../../src/contexts/funding/funding.reconcile.js';
import { LedgerStore } from '../../src/contexts/ledger/ledger.store.js';
import { HoldsReconciliation } from '../../src/contexts/payments/approvals/holds.reconcile.js';
import { SettlementReconciliation } from '../../src/contexts/settlement/settlement.reconcile.js';
import { kobo } from '../../src/kernel/money.js';
import type { FakeBank } from '../fake-bank/fake-bank.ts';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { ServiceBuild } from '../support/process.js';
import { type CreatedWallet, FAR_AHEAD, startService, type TestService, until } from '../support/service.js';
import { PATIENT, startWithFakeBank } from '../support/with-fake-bank.js';

const DAY_MS = 24 * 60 * 60_000;

let fake: FakeBank;
let service: TestService;

beforeAll(async () => {
  ({ fake, service } = await startWithFakeBank({}, PATIENT));
});

afterAll(async () => {
  await service.close();
  await fake.close();
});

async function reconcile(): Promise<Report> {
  const range = { from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + 2 * DAY_MS) };
  const collections = await service.app.get(FundingReconciliation).run(range);
  const payouts = await service.app.get(SettlementReconciliation).run(range);
  return {
    bank: 'kora',
    from: '2026-11-01',
    to: '2026-11-21',
    collections: collections.tally,
    payouts: payouts.tally,
    holds: (await service.app.get(HoldsReconciliation).run()).tally,
  };
}

async function casesOf(subject: string): Promise<string[]> {
  const rows = await service.query<{ kind: string }>(
    'SELECT kind FROM operator_cases WHERE subject = $1 ORDER BY kind',
    [subject],
  );
  return rows.map(({ kind }) => kind);
}

const creditsOf = async ({ id }: CreatedWallet): Promise<number> =>
  (await service.query(`SELECT 1 FROM ledger_entries WHERE wallet_id = $1 AND type = 'topup'`, [id])).length;

/** Runs one after the other on one bank: each finds what the ones before left. */
describe('the reconciliation', () => {
  it('credits once what no webhook told of, also when two run at once and the webhook comes yet (10)', async () => {
    const wallet = await service.createWallet();
    const lost = Array.from({ length: 3 }, () =>
      fake.books.collect({ accountReference: wallet.id, amount: '1050.55', mode: 'drop' }),
    );
    const [one, other] = await Promise.all([reconcile(), reconcile()]);
    expect(one.collections.listed).toMatchObject({ count: 3, kobo: 315_165n });
    expect(one.collections.creditedNow.count + other.collections.creditedNow.count).toBe(3);
    expect([isClean(one), isClean(other)]).toEqual([true, true]);
    expect(await fake.outbox.redeliver(lost[0]!.delivery.id, 3)).toEqual([200, 200, 200]);
    expect(await creditsOf(wallet)).toBe(3);
    const [row] = await service.query<{ body: string }>(
      'SELECT body FROM inbound_transfers WHERE reference = $1',
      [lost[0]!.reference],
    );
    expect(JSON.parse(row!.body)).toMatchObject({ foundBy: 'reconciliation', amount: 105_055 });

    const again = await reconcile();
    expect(again.collections.matched).toMatchObject({ count: 3, kobo: 315_165n });
    expect(again.collections.creditedNow.count).toBe(0);
    expect(again.collections.difference).toBe(0n);
  });

  it('reads an account of many pages', async () => {
    const wallet = await service.createWallet();
    // Six pages of the bank's and one row, which are two batches of ours.
    for (let n = 0; n < 601; n += 1) {
      fake.books.collect({ accountReference: wallet.id, amount: '1.00', mode: 'drop' });
    }
    const { collections } = await reconcile();
    expect(collections.accountsUnread).toBe(0);
    expect(collections.creditedNow).toMatchObject({ count: 601, kobo: 60_100n });
    // Each once, beside the three that were there.
    expect([collections.listed.count, collections.matched.count]).toEqual([604, 3]);
    expect(await creditsOf(wallet)).toBe(601);
    expect(await brokenInvariants(service)).toEqual({});
  });

  it('credits no wallet with what the bank lists of the account of another', async () => {
    const [wallet, named] = [await service.createWallet(), await service.createWallet()];
    const reference = randomUUID();
    const bank = service.app.get(Bank, { strict: false });
    const list = bank.listCollections.bind(bank);
    const listing = jest.spyOn(bank, 'listCollections').mockImplementation(async function* (
      account,
      ...range
    ) {
      if (account !== wallet.virtualAccount.accountNumber) {
        yield* list(account, ...range);
        return;
      }
      const money = { reference, amount: kobo(5_000), currency: 'NGN', narration: null, at: new Date() };
      yield { ...money, accountReference: named.id };
    });
    const { collections } = await reconcile();
    listing.mockRestore();
    expect(collections.conflicts.count).toBe(1);
    expect(await casesOf(reference)).toEqual(['transfer-conflict']);
    expect([await creditsOf(wallet), await creditsOf(named)]).toEqual([0, 0]);
  });

  it('looks at open payouts, and finds those that were turned around unheard', async () => {
    const wallet = await service.createWallet();
    fake.books.collect({ accountReference: wallet.id, amount: '10000.00', mode: 'drop' });
    await reconcile();
    const pay = async (to: object): Promise<string> =>
      (await service.pay(wallet.key, { amount: 50_000, ...to })).body.data.settlement.reference;
    const paid = await pay({});
    const failed = await pay({ recipientBankCode: '035', recipientAccountNo: '0000000000' });
    const stuck = await pay({ recipientBankCode: '999', recipientAccountNo: '0000000008' });
    const turned = await pay({});
    const revived = await pay({ recipientBankCode: '035', recipientAccountNo: '0000000000' });
    await until(async () => {
      const open = await service.query(
        `SELECT 1 FROM settlements WHERE status IN ('pending', 'processing') AND reference <> $1`,
        [stuck],
      );
      return open.length === 0;
    });
    expect((await reconcile()).payouts).toMatchObject({
      paid: { count: 2 },
      refunded: { count: 2 },
      open: { count: 1, kobo: 50_000n },
      difference: 0n,
    });

    fake.books.settle(turned, 'reversed', { mode: 'drop' });
    fake.books.settle(revived, 'success', { mode: 'drop' });
    fake.books.settle(stuck, 'success', { mode: 'drop' });
    const report = await reconcile();
    expect(report.payouts).toMatchObject({
      paid: { count: 2 },
      refunded: { count: 1 },
      open: { count: 0 },
      returned: { count: 1, kobo: 50_000n },
      contradictions: { count: 1, kobo: 50_000n },
      difference: 0n,
    });
    expect(isClean(report)).toBe(false);
    expect(await casesOf(turned)).toEqual(['payout-undone-after-success']);
    expect(await casesOf(revived)).toEqual(['payout-succeeded-after-refund']);
    expect(await casesOf(paid)).toEqual([]);
    expect(await casesOf(failed)).toEqual([]);

    fake.books.payouts.get(failed)!.status = 'processing';
    fake.books.payouts.delete(paid);
    await reconcile();
    expect(await casesOf(paid)).toEqual(['payout-unknown-to-bank']);
    expect(await casesOf(failed)).toEqual(['payout-under-way-after-refund']);
    expect(await brokenInvariants(service)).toEqual({});
  });

  it('opens cases for credits that the bank does not know or has otherwise, and moves nothing', async () => {
    const wallet = await service.createWallet();
    const hook = fake.books.options.webhookUrl;
    const { data } = JSON.parse(
      fake.books.collect({ accountReference: wallet.id, amount: '100.00', mode: 'drop' }).delivery.body,
    ) as { data: Record<string, unknown> };
    const invented = fake.outbox.add(
      hook,
      'charge.success',
      { ...data, reference: 'INVENTED' },
      { mode: 'hold' },
    );
    expect(await fake.outbox.redeliver(invented.id)).toEqual([200]);
    const changed = fake.outbox.add(hook, 'charge.success', { ...data, amount: 99 }, { mode: 'hold' });
    expect(await fake.outbox.redeliver(changed.id)).toEqual([200]);
    const report = await reconcile();
    expect(report.collections).toMatchObject({
      unknownToBank: { count: 1, kobo: 10_000n },
      conflicts: { count: 1, kobo: 10_000n },
      difference: 9_900n,
    });
    expect(await casesOf('INVENTED')).toEqual(['topup-unknown-to-bank']);
    expect(await casesOf(String(data.reference))).toEqual(['transfer-conflict']);
    expect(await creditsOf(wallet)).toBe(2);
    const table = reportAsTable(report);
    expect(table).toContain('₦99.00  (9900 kobo)');
    expect(table).toContain('INVENTED');
    expect(table).toContain('do not agree');
  });

  it('says which accounts it could not read, and gives up on a bank that is down', async () => {
    fake.script.add([
      { path: '/virtual-bank-account/transactions', accept: false, answer: { status: 502, body: '' } },
    ]);
    const report = await reconcile();
    expect(report.collections.accountsUnread).toBe(1);
    expect(isClean(report)).toBe(false);
    for (let n = 0; n < 12; n += 1) await service.createWallet();
    fake.script.add([
      { path: '/virtual-bank-account/transactions', times: 0, answer: { status: 502, body: '' } },
    ]);
    await expect(reconcile()).rejects.toThrow('The bank does not list collections.');
    fake.script.clear();
  });

  it('goes on where a step ended, and runs daily as jobs', async () => {
    const range = { from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + 2 * DAY_MS) };
    const funding = service.app.get(FundingReconciliation);
    for (let n = 0; n < 12; n += 1) await service.createWallet();
    let accounts = 0;
    let steps = 0;
    for (let after: string | null = null; ;) {
      const { next, tally }: { next: string | null; tally: { accounts: number } } = await funding.run(range, {
        after,
        msMax: 0,
      });
      accounts += tally.accounts;
      steps += 1;
      if (next === null) break;
      after = next;
    }
    const [total] = await service.query<{ count: string }>('SELECT count(*) FROM virtual_accounts');
    expect([accounts, steps > 1]).toEqual([Number(total!.count), true]);

    const wallet = await service.createWallet();
    fake.books.collect({ accountReference: wallet.id, amount: '5.00', mode: 'drop' });
    const known = await service.query<{ identifier: string }>(
      'SELECT identifier FROM graphile_worker._private_known_crontabs ORDER BY identifier',
    );
    expect(known.map(({ identifier }) => identifier)).toEqual([
      'activity.delete-old-daily',
      'funding.purge-ignored-daily',
      'funding.reconcile-daily',
      'identity.record-expired-invitations-daily',
      'operations.check-invariants-daily',
      'payments.reconcile-holds-daily',
      'payments.rotate-receipt-key-daily',
      'settlement.check-paid-hourly',
      'settlement.reconcile-daily',
      'statements.mail-hourly',
    ]);
    await service.query(`SELECT graphile_worker.add_job('funding.reconcile-daily', '{}')`);
    await until(async () => (await creditsOf(wallet)) === 1);
  });
});

describe('the days of a report', () => {
  it('begin and end in Nigeria, both days included', () => {
    expect(rangeOf('2026-11-01', '2026-11-21')).toEqual({
      from: new Date('2026-10-31T23:00:00Z'),
      to: new Date('2026-11-21T23:00:00Z'),
    });
    expect(rangeOf('2026-11-01', '2026-11-01').to).toEqual(new Date('2026-11-01T23:00:00Z'));
  });

  it.each([
    [undefined, undefined, '--from and --to are missing'],
    [undefined, '2026-11-21', '--from is missing'],
    ['2026-11-01', undefined, '--to is missing'],
    ['', '2026-11-21', '--from must be a day'],
    ['2026-02-30', '2026-11-21', '--from'],
    ['1 November', '2026-11-21', '--from'],
    ['2026-11-21', '2026-11-20', '--to is before --from'],
  ])('%s to %s is refused', (from, to, what) => {
    expect(() => rangeOf(from, to)).toThrow(what);
  });

  it('are asked for in one line, with the command that works, where they are left out', async () => {
    const build = new ServiceBuild();
    const run = promisify(execFile)(process.execPath, [join(build.root, 'scripts/reconcile.js')]);
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        '--from and --to are missing: npm run reconcile -- --from 2026-11-01 --to 2026-11-21; see --help\n',
    });
    build.remove();
  });
});

it('a payout whose end cannot be put on record is no refund, and keeps no other from being compared', async () => {
  const wallet = await service.createWallet();
  fake.books.collect({ accountReference: wallet.id, amount: '1000.00', mode: 'drop' });
  await reconcile();
  const ledger = service.app.get(LedgerStore);
  const append = ledger.append.bind(ledger);
  const spy = jest.spyOn(ledger, 'append').mockImplementation((entries, tx) => {
    if (entries.some(({ walletId, type }) => walletId === wallet.id && type === 'refund')) {
      throw new Error('out of ink');
    }
    append(entries, tx);
  });
  const { body } = await service.pay(wallet.key, {
    amount: 40_000,
    recipientBankCode: '035',
    recipientAccountNo: '0000000000',
  });
  const { reference } = body.data.settlement;
  await until(() => Promise.resolve(fake.books.payouts.get(reference)?.status === 'failed'));
  const { payouts: before } = await reconcile();
  expect(before.findings.list).toContainEqual({
    what: 'on record as processing; the bank says failed',
    reference,
    walletId: wallet.id,
  });
  spy.mockRestore();
  const { payouts } = await reconcile();
  expect(payouts.refunded.count).toBe(before.refunded.count + 1);
  expect(payouts.listed.count).toBe(before.listed.count);
  expect((await service.stats(wallet)).balance).toBe(100_000);
});

it('a payment that waited for a person as long as one can is compared at the time of its approval', async () => {
  const asking = await startService({ clock: true });
  try {
    const wallet = await asking.fundedWallet(10_000);
    await asking.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    await askAbove(asking, wallet, 1_000, { approvalTtlMinutes: 10_080 });
    const { id, expiresAt } = await payPending(asking, wallet, { amount: 2_000 });
    const from = new Date(Date.parse(expiresAt) - 1);
    await asking.setClock(from);
    expect((await decide(asking, wallet, id, 'approve')).status).toBe(200);
    await asking.settled();
    const reconciliation = asking.app.get(SettlementReconciliation);
    const payoutsFrom = async (ms: number) => {
      const report = jest.fn();
      const range = { from: new Date(from.getTime() + ms), to: new Date(from.getTime() + DAY_MS) };
      const { tally } = await reconciliation.run(range, { report });
      return [tally.listed.count, tally.paid.count, report.mock.calls];
    };
    expect(await payoutsFrom(0)).toEqual([1, 1, [[1, 1]]]);
    expect(await payoutsFrom(1)).toEqual([0, 0, []]);
  } finally {
    await asking.close();
  }
});
