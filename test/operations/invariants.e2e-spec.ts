import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { InvariantsService } from '../../src/contexts/operations/invariants/invariants.service.js';
import { askAbove, decide, payPending } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { Scraper } from '../support/scraper.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  until,
} from '../support/service.js';

/** Fails two seconds after the bank took it. */
const FAILING = '9000000002';

class ErrorLines implements LoggerService {
  readonly lines: unknown[][] = [];
  log(): void {}
  warn(): void {}
  error(...line: unknown[]): void {
    this.lines.push(line);
  }
}

interface Case {
  readonly subject: string;
  readonly description: string;
}

const casesOf = async (service: TestService, walletId?: string): Promise<Case[]> =>
  (
    await service.query<Case & { wallet_id: string }>(
      `SELECT * FROM operator_cases WHERE kind = 'invariant-broken' AND closed_at IS NULL ORDER BY subject`,
    )
  ).filter(({ wallet_id: id }) => walletId === undefined || id === walletId);

describe('a broken invariant', () => {
  const log = new ErrorLines();
  let scraper: Scraper;
  let service: TestService;

  beforeAll(async () => {
    scraper = await Scraper.make();
    service = await startService({ env: scraper.env, logger: log });
    // Whoever has the owner's password can do this.
    for (const table of ['transactions', 'ledger_entries', 'settlements'])
      await service.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  });
  afterAll(() => service.close());

  const checkAll = () => service.app.get(InvariantsService, { strict: false }).checkWhole(null, Infinity);
  const breaches = async (invariant: string) =>
    (await scraper.scrape()).figure('apw_invariant_breaches_total', { invariant }) ?? 0;

  /** A wallet with three payments, one of which waits for a person. */
  const spender = async (): Promise<CreatedWallet> => {
    const wallet = await service.fundedWallet(100_000, { spendLimitPerTx: 50_000, spendLimitPeriod: 50_000 });
    await askAbove(service, wallet, 5_000);
    for (const amount of [1_000, 2_000]) expectStatus(201, await service.pay(wallet.key, { amount }));
    await payPending(service, wallet, { amount: 6_000 });
    await service.settled();
    return wallet;
  };

  it.each([
    ['balance', 'UPDATE wallets SET balance = balance + 1 WHERE id = $1', 'leaves 97000 kobo'],
    [
      'balance',
      'UPDATE ledger_entries SET amount = amount - 1 WHERE wallet_id = $1 AND seq = 2',
      'entry 2 does not follow',
    ],
    [
      'balance',
      'UPDATE ledger_entries SET balance_after = balance_after + 1 WHERE wallet_id = $1 AND seq = 1',
      'entry 1 does not follow',
    ],
    [
      'holds',
      'UPDATE wallets SET held = held - 1 WHERE id = $1',
      'holds 5999 kobo for 1 payments; 6000 kobo',
    ],
    [
      'holds',
      `UPDATE transactions SET approval = 'denied', approval_decided_at = clock_timestamp(), block_reason = 'APPROVAL_DENIED'
        WHERE wallet_id = $1 AND approval = 'pending'`,
      '0 kobo of 0 wait',
    ],
    [
      'period-cap',
      `UPDATE transactions SET facts = jsonb_set(facts::jsonb, '{spendLimitPeriod}', '2999')::json
        WHERE wallet_id = $1 AND seq = 2`,
      'exceeds the limit of its period',
    ],
    [
      'period-cap',
      'UPDATE transactions SET spent_total = spent_total - 1 WHERE wallet_id = $1 AND seq = 1',
      'follows a wrong total',
    ],
    [
      'settlement',
      'DELETE FROM settlements s USING transactions t WHERE s.reference = t.id AND t.wallet_id = $1 AND t.seq = 1',
      'has no settlement',
    ],
    [
      'settlement',
      `UPDATE settlements s SET amount = s.amount + 1 FROM transactions t
        WHERE s.reference = t.id AND t.wallet_id = $1 AND t.seq = 2`,
      'a settlement of 2001 kobo',
    ],
    [
      'settlement',
      `UPDATE settlements s SET status = 'failed' FROM transactions t
        WHERE s.reference = t.id AND t.wallet_id = $1 AND t.seq = 1`,
      'and 0 kobo of refunds, where 1000 are due',
    ],
    [
      'settlement',
      `UPDATE ledger_entries e SET type = 'refund', transaction_id = t.id FROM transactions t
        WHERE e.wallet_id = $1 AND e.seq = 1 AND t.wallet_id = $1 AND t.seq = 2`,
      'and 100000 kobo of refunds, where 0 are due',
    ],
  ])('of %s is found: %s', async (invariant, statement, words) => {
    const wallet = await spender();
    await checkAll();
    expect(await casesOf(service, wallet.id)).toEqual([]);
    const before = await breaches(invariant);
    await service.query(statement, [wallet.id]);
    await checkAll();
    const found = await casesOf(service, wallet.id);
    expect(found).toMatchObject([{ subject: `${invariant} ${wallet.id}` }]);
    expect(found[0]?.description).toContain(words);
    expect(await breaches(invariant)).toBe(before + 1);
    expect(log.lines).toContainEqual([
      expect.objectContaining({ invariant, walletId: wallet.id }),
      'the books contradict each other',
      'InvariantsService',
    ]);
    await checkAll();
    expect(await breaches(invariant)).toBe(before + 1);
  });

  it('is no limit of the period that was lowered later', async () => {
    const wallet = await spender();
    const body = { spendLimitPeriod: 100, spendLimitPerTx: 100 };
    expectStatus(
      200,
      await service.call('PATCH', `/api/wallets/${wallet.id}`, { token: wallet.owner.token, body }),
    );
    await checkAll();
    expect(await casesOf(service, wallet.id)).toEqual([]);
  });
});

it('a sample finds it without being asked, and only one of two replicas takes it', async () => {
  const env = { INVARIANT_CHECK_SECONDS: '1' };
  const one = await startService({ env });
  const other = await startService({ env, beside: one });
  try {
    const wallet = await one.fundedWallet(10_000);
    await one.query('UPDATE wallets SET balance = balance - 1 WHERE id = $1', [wallet.id]);
    await until(async () => (await casesOf(one, wallet.id)).length === 1);
  } finally {
    await other.close();
    await one.close();
  }
});

it('busy wallets whose books are right are never reported', async () => {
  const env = { SETTLEMENT_POLL_SECONDS: '1' };
  const one = await startService({ env });
  const other = await startService({ env, beside: one });
  const check = one.app.get(InvariantsService, { strict: false });
  try {
    const wallets = await Promise.all(
      Array.from({ length: 3 }, () =>
        one.fundedWallet(10_000_000, { spendLimitPerTx: 60_000, spendLimitPeriod: 60_000 }),
      ),
    );
    for (const wallet of wallets) await askAbove(one, wallet, 3_000);
    const state = { isBusy: true };
    const busy = Promise.all(
      wallets.map(async (wallet) => {
        for (let i = 0; i < 8; i += 1) {
          const service = i % 2 === 0 ? one : other;
          await Promise.all([
            ...Array.from({ length: 5 }, (_, n) => service.pay(wallet.key, { amount: 500 + n })),
            service.pay(wallet.key, { amount: 400, recipientAccountNo: FAILING }),
            service.pay(wallet.key, { amount: 999_999 }),
            service.topUp(wallet.id, 1_000),
          ]);
          const asked = await service.pay(wallet.key, { amount: 3_001 });
          if (asked.status !== 202) continue;
          const { id } = (asked.body.data as unknown as { approval: { id: string } }).approval;
          await decide(service, wallet, id, i % 4 === 0 ? 'approve' : 'deny');
        }
      }),
    ).finally(() => (state.isBusy = false));
    let checks = 0;
    while (state.isBusy) {
      await check.checkWhole(null, Infinity);
      await check.checkSample();
      checks += 1;
    }
    await busy;
    await one.settled();
    await check.checkWhole(null, Infinity);
    expect(checks).toBeGreaterThan(5);
    expect(await casesOf(one)).toEqual([]);
    expect(await brokenInvariants(one)).toEqual({});
  } finally {
    await other.close();
    await one.close();
  }
}, 120_000);
