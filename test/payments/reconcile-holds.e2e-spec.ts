import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { isClean, type Report, reportAsTable } from '../../scripts/reconciliation-report.js';
import { CollectionTally } from '../../src/contexts/funding/funding.reconcile.js';
import { ApprovalsStore } from '../../src/contexts/payments/approvals/approvals.store.js';
import {
  HoldsReconciliation,
  type HoldTally,
} from '../../src/contexts/payments/approvals/holds.reconcile.js';
import { PayoutTally } from '../../src/contexts/settlement/settlement.reconcile.js';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterEach(async () => {
  expect(await brokenInvariants(service)).toEqual({});
});
afterAll(() => service.close());

const compare = async (): Promise<HoldTally> => (await service.app.get(HoldsReconciliation).run()).tally;

/** A report in which the bank and we agree. */
const reportOf = (holds: HoldTally): Report => ({
  bank: 'sandbox',
  from: '2026-11-01',
  to: '2026-11-21',
  collections: new CollectionTally(),
  payouts: new PayoutTally(),
  holds,
});

/** A wallet of which these amounts wait for a person. */
async function waiting(...amounts: readonly number[]): Promise<{ wallet: CreatedWallet; ids: string[] }> {
  const wallet = await service.fundedWallet(100_000);
  await askAbove(service, wallet, 1_000);
  const ids: string[] = [];
  for (const amount of amounts) ids.push((await payPending(service, wallet, { amount })).id);
  return { wallet, ids };
}

/** Adds to what the wallet holds, past the service; answers what undoes it. */
async function change(
  { id }: CreatedWallet,
  { held = 0, count = 0 }: { held?: number; count?: number },
): Promise<() => Promise<void>> {
  const add = async (sign: number): Promise<void> => {
    await service.query('UPDATE wallets SET held = held + $2, held_count = held_count + $3 WHERE id = $1', [
      id,
      sign * held,
      sign * count,
    ]);
  };
  await add(1);
  return () => add(-1);
}

const casesOf = ({ id }: CreatedWallet) =>
  service.query<{ description: string; closed: boolean }>(
    `SELECT description, closed_at IS NOT NULL AS closed FROM operator_cases
      WHERE kind = 'hold-mismatch' AND subject = $1 AND wallet_id = $1::uuid`,
    [id],
  );

describe('the reconciliation of holds', () => {
  it('agrees where every wallet holds what waits of it, and nothing where nothing does', async () => {
    const before = await compare();
    const { wallet, ids } = await waiting(5_000, 7_000);
    const tally = await compare();
    expect(tally.wallets).toBe(before.wallets + 1);
    expect(tally.listed).toMatchObject({
      count: before.listed.count + 1,
      kobo: before.listed.kobo + 12_000n,
    });
    expect(tally.pending).toEqual(tally.listed);
    expect(tally).toMatchObject({ contradictions: { count: 0 }, difference: 0n, findings: { list: [] } });
    expect(isClean(reportOf(tally))).toBe(true);

    await decide(service, wallet, ids[0]!, 'approve');
    await decide(service, wallet, ids[1]!, 'deny');
    const after = await compare();
    expect([after.listed, after.pending]).toEqual([before.listed, before.pending]);
    expect(isClean(reportOf(after))).toBe(true);
  });

  it('tells of a wallet that holds more or less than what waits, or for another number of payments', async () => {
    const { wallet: more } = await waiting(5_000);
    const { wallet: less } = await waiting(5_000, 3_000);
    const { wallet: miscounted } = await waiting(2_000);
    const { wallet: nothingWaits } = await waiting();
    const undo = [
      await change(more, { held: 400 }),
      await change(less, { held: -8_000, count: -2 }),
      await change(miscounted, { count: 1 }),
      await change(nothingWaits, { held: 1, count: 1 }),
    ];
    const tally = await compare();
    expect(tally.contradictions).toMatchObject({ count: 4, kobo: 8_401n });
    expect(tally.difference).toBe(-7_599n);
    const expected = [
      [more, 'holds 5400 kobo for 1 payments; 5000 kobo of 1 wait for approval'],
      [less, 'holds 0 kobo for 0 payments; 8000 kobo of 2 wait for approval'],
      [miscounted, 'holds 2000 kobo for 2 payments; 2000 kobo of 1 wait for approval'],
      [nothingWaits, 'holds 1 kobo for 1 payments; 0 kobo of 0 wait for approval'],
    ] as const;
    expect(tally.findings.list).toHaveLength(4);
    for (const [wallet, what] of expected) {
      expect(tally.findings.list).toContainEqual({ what, reference: wallet.id, walletId: wallet.id });
      expect(await casesOf(wallet)).toEqual([{ description: what, closed: false }]);
    }
    expect(isClean(reportOf(tally))).toBe(false);
    const table = reportAsTable(reportOf(tally));
    expect(table).toContain('-₦75.99  (-7599 kobo)');
    expect(table).toContain(`  ${more.id}  holds 5400 kobo`);
    expect(table).toContain('do not agree');
    for (const mend of undo) await mend();
    expect(isClean(reportOf(await compare()))).toBe(true);
  });

  it('is not clean for a wrong number alone', async () => {
    const { wallet } = await waiting(2_000);
    const mend = await change(wallet, { count: 1 });
    const tally = await compare();
    expect([tally.difference, isClean(reportOf(tally))]).toEqual([0n, false]);
    await mend();
  });

  it('opens a case again that was closed without a mend, and leaves it closed after one', async () => {
    const { wallet } = await waiting(5_000);
    const mend = await change(wallet, { held: 1 });
    const close = () =>
      service.query('UPDATE operator_cases SET closed_at = now() WHERE subject = $1', [wallet.id]);
    await compare();
    await close();
    await compare();
    expect(await casesOf(wallet)).toMatchObject([{ closed: false }]);
    await mend();
    await close();
    await compare();
    expect(await casesOf(wallet)).toMatchObject([{ closed: true }]);
  });

  it('takes a payment that is asked for, approved or denied in the middle of it for no contradiction', async () => {
    const { wallet, ids } = await waiting(5_000, 7_000);
    const store = service.app.get(ApprovalsStore);
    const read = store.pendingSums.bind(store);
    // What the wallets hold has been read by now.
    const spy = jest.spyOn(store, 'pendingSums').mockImplementationOnce(async (...args) => {
      expectStatus(200, await decide(service, wallet, ids[0]!, 'approve'));
      expectStatus(200, await decide(service, wallet, ids[1]!, 'deny'));
      await payPending(service, wallet, { amount: 9_000 });
      return read(...args);
    });
    const tally = await compare();
    expect(spy).toHaveBeenCalledTimes(1);
    expect(tally).toMatchObject({ contradictions: { count: 0 }, difference: 0n, findings: { list: [] } });
    expect(tally.pending).toEqual(tally.listed);
    expect(await casesOf(wallet)).toEqual([]);
    spy.mockRestore();
    expect(await compare()).toMatchObject({ contradictions: { count: 0 } });
  });

  it('goes on where a step ended, and runs daily as jobs', async () => {
    const [owner] = await service.query<{ userId: string }>(
      'SELECT user_id AS "userId" FROM wallets LIMIT 1',
    );
    await service.query(
      `INSERT INTO wallets (id, user_id, name, spend_limit_per_tx, spend_limit_period, period_window_days, expiry,
         use_allowlist, merchant_allowlist, allowed_merchants, created_at, updated_at)
       SELECT gen_random_uuid(), $1, 'one of many', 1, 1, 1, '2099-01-01', false, '{}', '{}', now(), now()
         FROM generate_series(1, 1100)`,
      [owner!.userId],
    );
    const { wallet } = await waiting(5_000);
    const mend = await change(wallet, { held: 2 });
    const holds = service.app.get(HoldsReconciliation);
    let [wallets, steps, contradictions] = [0, 0, 0];
    for (let after: string | null = null; ;) {
      const { next, tally }: { next: string | null; tally: HoldTally } = await holds.run({ after, msMax: 0 });
      wallets += tally.wallets;
      contradictions += tally.contradictions.count;
      steps += 1;
      if (next === null) break;
      after = next;
    }
    const [total] = await service.query<{ count: string }>('SELECT count(*) FROM wallets');
    expect([wallets, steps > 2, contradictions]).toEqual([Number(total!.count), true, 1]);

    await service.query('DELETE FROM operator_cases WHERE subject = $1', [wallet.id]);
    await service.query(`SELECT graphile_worker.add_job('payments.reconcile-holds-daily', '{}')`);
    await until(async () => (await casesOf(wallet)).length === 1);
    await mend();
  });
});
