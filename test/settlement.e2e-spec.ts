import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank, type PayoutState } from '../src/contexts/bank/bank.port.js';
import { LedgerStore } from '../src/contexts/ledger/ledger.store.js';
import { SettlementService } from '../src/contexts/settlement/settlement.service.js';
import { SettlementStore } from '../src/contexts/settlement/settlement.store.js';
import { SubmissionQueue } from '../src/contexts/settlement/submission-queue.js';
import { WalletSpendingStore } from '../src/contexts/wallet/wallet-spending.store.js';
import { brokenInvariants } from './support/invariants.js';
import { chargeBody, type CreatedWallet, startService, type TestService, until } from './support/service.js';

let service: TestService;
let bank: Bank;
beforeAll(async () => {
  service = await startService();
  bank = service.app.get(Bank, { strict: false });
});
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await service.close();
  expect(broken).toEqual({});
});

const CHECKS = [
  'WALLET_INACTIVE',
  'WALLET_EXPIRED',
  'SPEND_LIMIT_PER_TX_EXCEEDED',
  'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
  'MERCHANT_NOT_ALLOWED',
  'INSUFFICIENT_FUNDS',
];
const newest = async (wallet: CreatedWallet) => (await service.history(wallet)).data[0]!;
const types = async (wallet: CreatedWallet) => (await newest(wallet)).auditEvents.map(({ type }) => type);
const bankSays = (...states: PayoutState[]) => {
  const spy = jest.spyOn(bank, 'startPayout');
  for (const state of states) spy.mockResolvedValueOnce(state);
  return spy;
};
const lookNow = async () => {
  await service.query(
    `UPDATE settlements SET next_poll_at = now() WHERE status IN ('pending', 'processing')`,
  );
  await service.app.get(SettlementService, { strict: false }).processDue();
};

describe('the settlement of an approved payment', () => {
  it('succeeds after the commit, under the reference that the payment was answered with', async () => {
    const wallet = await service.fundedWallet(5_000);
    const startPayout = jest.spyOn(bank, 'startPayout');
    const { body } = await service.pay(wallet.key, { amount: 700, reason: 'Paper' });
    await service.settled();
    expect((await newest(wallet)).settlement).toEqual({
      reference: body.data.settlement.reference,
      status: 'succeeded',
    });
    expect(startPayout.mock.calls).toEqual([
      [
        {
          reference: body.data.settlement.reference,
          amount: 700,
          bankCode: '058',
          accountNumber: '0123456789',
          narration: 'Paper',
        },
      ],
    ]);
  });

  it('leaves its steps behind the six checks, in order of time', async () => {
    const wallet = await service.fundedWallet(5_000);
    await service.pay(wallet.key);
    await service.settled();
    const { auditEvents, createdAt } = await newest(wallet);
    expect(auditEvents.map(({ type, detail }) => [type, detail['check']])).toEqual([
      ...CHECKS.map((check) => ['check.passed', check]),
      ['settlement.started', undefined],
      ['settlement.succeeded', undefined],
    ]);
    const times = auditEvents.map(({ at }) => Date.parse(at));
    expect(times.slice(0, 7)).toEqual(Array<number>(7).fill(Date.parse(createdAt)));
    expect(times[7]).toBeGreaterThanOrEqual(times[6]! - 50);
    for (const event of auditEvents) {
      expect(Object.keys(event).sort()).toEqual(['at', 'detail', 'type']);
      expect(event.at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    }
  });

  it('is none when the payment was blocked, whose record ends with the check that failed', async () => {
    const wallet = await service.fundedWallet(5_000, { spendLimitPerTx: 500 });
    await service.pay(wallet.key, { amount: 501 });
    const { settlement, auditEvents } = await newest(wallet);
    expect(settlement).toBeNull();
    expect(auditEvents.map(({ type, detail }) => [type, detail['check']])).toEqual([
      ['check.passed', 'WALLET_INACTIVE'],
      ['check.passed', 'WALLET_EXPIRED'],
      ['check.failed', 'SPEND_LIMIT_PER_TX_EXCEEDED'],
    ]);
    expect(auditEvents[2]?.detail).toEqual({ check: 'SPEND_LIMIT_PER_TX_EXCEEDED', limit: 500, actual: 501 });
  });

  it('is handed to the bank once by each payment that was sent at once', async () => {
    const wallet = await service.fundedWallet(50_000);
    const startPayout = jest.spyOn(bank, 'startPayout');
    await Promise.all(Array.from({ length: 20 }, () => service.pay(wallet.key)));
    await service.settled();
    const references = startPayout.mock.calls.map(([{ reference }]) => reference);
    expect(new Set(references).size).toBe(20);
    expect(references).toHaveLength(20);
  });
});

describe('a payout that the bank did not make', () => {
  it.each<PayoutState>([
    { kind: 'rejected', reason: 'no such account' },
    { kind: 'failed', reason: 'the bank is closed' },
    { kind: 'reversed', reason: 'sent back' },
  ])('($kind) is refunded once: balance, ledger, allowance and record', async (state) => {
    const wallet = await service.fundedWallet(5_000, { spendLimitPerTx: 1_000, spendLimitPeriod: 1_000 });
    bankSays(state);
    const { body } = await service.pay(wallet.key, { amount: 1_000 });
    await service.settled();
    expect(await service.stats(wallet)).toMatchObject({
      balance: 5_000,
      spentThisPeriod: 0,
      remainingAllowance: 1_000,
    });
    const { data } = await service.ledger(wallet);
    expect(
      data.map(({ type, amount, balanceAfter, transactionId }) => [
        type,
        amount,
        balanceAfter,
        transactionId,
      ]),
    ).toEqual([
      ['refund', 1_000, 5_000, body.data.transaction.id],
      ['debit', 1_000, 4_000, body.data.transaction.id],
      ['topup', 5_000, 5_000, null],
    ]);
    expect(new Set(data.slice(0, 2).map(({ reference }) => reference))).toEqual(
      new Set([body.data.settlement.reference]),
    );
    expect((await types(wallet)).slice(6)).toEqual([
      'settlement.started',
      'settlement.failed',
      'refund.posted',
    ]);
    const { settlement, decision, blockReason } = await newest(wallet);
    expect([decision, blockReason, settlement?.status]).toEqual([
      'approved',
      null,
      state.kind === 'reversed' ? 'reversed' : 'failed',
    ]);
    expect((await service.pay(wallet.key, { amount: 1_000 })).status).toBe(201);
    await service.settled();
  });

  it('is asked for again while nobody knows, and neither refunded nor paid twice', async () => {
    const wallet = await service.fundedWallet(5_000);
    const startPayout = bankSays({ kind: 'unknown', reason: 'timeout' });
    const getPayout = jest.spyOn(bank, 'getPayout').mockResolvedValueOnce({ kind: 'accepted' });
    await service.pay(wallet.key);
    await until(async () => (await newest(wallet)).settlement?.status === 'processing');
    await until(() => Promise.resolve(startPayout.mock.calls.length === 1));
    expect((await service.stats(wallet)).balance).toBe(4_000);
    await lookNow();
    expect((await newest(wallet)).settlement?.status).toBe('processing');
    getPayout.mockResolvedValueOnce({ kind: 'not-found' });
    await lookNow();
    await service.settled();
    expect(new Set(startPayout.mock.calls.map(([{ reference }]) => reference)).size).toBe(1);
    expect((await types(wallet)).slice(6)).toEqual(['settlement.started', 'settlement.succeeded']);
    expect((await service.stats(wallet)).balance).toBe(4_000);
  });

  it('is refunded once though two workers learn of it at once', async () => {
    const wallet = await service.fundedWallet(5_000);
    bankSays({ kind: 'unknown', reason: 'timeout' });
    await service.pay(wallet.key);
    await until(async () => (await newest(wallet)).settlement?.status === 'processing');
    const store = service.app.get(SettlementStore, { strict: false });
    const [row] = await service.query<{ reference: string }>(
      `SELECT reference FROM settlements WHERE wallet_id = $1`,
      [wallet.id],
    );
    const due = {
      reference: row!.reference,
      walletId: wallet.id,
      amount: 1_000,
      approvedAt: new Date(),
      pollCount: 0,
      status: 'processing',
    };
    jest.spyOn(bank, 'getPayout').mockResolvedValue({ kind: 'failed', reason: 'no' });
    jest.spyOn(store, 'claimDue').mockResolvedValue([due as never]);
    const settlements = service.app.get(SettlementService, { strict: false });
    await Promise.all(Array.from({ length: 5 }, () => settlements.processDue()));
    expect((await service.ledger(wallet)).data.filter(({ type }) => type === 'refund')).toHaveLength(1);
    expect((await service.stats(wallet)).balance).toBe(5_000);
  });
});

describe('a new payout', () => {
  const statusOf = async ({ id }: CreatedWallet) =>
    service.query<{ status: string; poll_count: number }>(
      'SELECT status, poll_count FROM settlements WHERE wallet_id = $1',
      [id],
    );

  it('is processing under a lease from its first moment, and goes to the bank once', async () => {
    const wallet = await service.fundedWallet(5_000);
    const startPayout = jest.spyOn(bank, 'startPayout');
    const getPayout = jest.spyOn(bank, 'getPayout');
    await service.pay(wallet.key);
    expect(
      await service.query(
        'SELECT 1 FROM settlements WHERE wallet_id = $1 AND next_poll_at <= clock_timestamp()',
        [wallet.id],
      ),
    ).toEqual([]);
    await service.settled();
    expect([startPayout.mock.calls.length, getPayout.mock.calls.length]).toEqual([1, 0]);
  });

  it('that was lost with the memory of its process is asked for first once its lease has run out', async () => {
    const wallet = await service.fundedWallet(5_000);
    const startPayout = jest.spyOn(bank, 'startPayout');
    const getPayout = jest.spyOn(bank, 'getPayout').mockResolvedValueOnce({ kind: 'not-found' });
    const add = jest.spyOn(SubmissionQueue.prototype, 'add').mockImplementation(() => undefined);
    const { body } = await service.pay(wallet.key);
    add.mockRestore();
    const settlements = service.app.get(SettlementService, { strict: false });
    await settlements.processDue();
    expect(await statusOf(wallet)).toEqual([{ status: 'processing', poll_count: 0 }]);
    expect(startPayout).not.toHaveBeenCalled();
    await lookNow();
    expect(getPayout.mock.calls).toEqual([[body.data.settlement.reference]]);
    expect(startPayout).toHaveBeenCalledTimes(1);
    expect((await newest(wallet)).settlement?.status).toBe('succeeded');
  });

  it('that its process did not submit before it stopped is anybody’s at once', async () => {
    const other = await startService({ beside: service });
    const wallet = await service.fundedWallet(5_000);
    const settlements = other.app.get(SettlementService, { strict: false });
    const otherBank = jest.spyOn(other.app.get(Bank, { strict: false }), 'startPayout');
    await other.pay(wallet.key);
    await settlements.beforeApplicationShutdown();
    await other.pay(wallet.key);
    await other.close();
    await lookNow();
    await service.settled();
    expect((await statusOf(wallet)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(otherBank.mock.calls.length).toBeLessThanOrEqual(1);
  });
});

describe('what a wallet has paid', () => {
  it('may come to more than 2^63 kobo in all: payments go on', async () => {
    const wallet = await service.fundedWallet(5_000);
    await service.pay(wallet.key, { amount: 100 });
    await service.settled();
    const nearly = 2n ** 63n - 150n;
    await service.query('UPDATE wallets SET spent_total = $2 WHERE id = $1', [wallet.id, String(nearly)]);
    // Long ago, so that the window begins after it.
    await service.query(
      `UPDATE transactions SET spent_total = $2, created_at = created_at - interval '40 days' WHERE wallet_id = $1`,
      [wallet.id, String(nearly)],
    );
    const answers = [];
    for (const amount of [100, 100, 5_000]) answers.push((await service.pay(wallet.key, { amount })).status);
    expect(answers).toEqual([201, 201, 402]);
    // Also where the window has to be read again.
    await service.query('UPDATE wallets SET window_days = NULL WHERE id = $1', [wallet.id]);
    expect((await service.pay(wallet.key, { amount: 50 })).status).toBe(201);
    const totals = await service.query<{ spent_total: string }>(
      'SELECT spent_total::text FROM transactions WHERE wallet_id = $1 ORDER BY seq',
      [wallet.id],
    );
    expect(totals.map(({ spent_total }) => BigInt(spent_total) - nearly)).toEqual([
      0n,
      100n,
      200n,
      200n,
      250n,
    ]);
    expect((await service.stats(wallet)).balance).toBe(4_650);
    expect(
      (await service.get(`/v1/wallets/${wallet.id}/spend-by-day`, { token: wallet.owner.token })).status,
    ).toBe(200);
    await service.query('UPDATE wallets SET spent_total = 350 WHERE id = $1', [wallet.id]);
    await service.query(
      `UPDATE transactions t SET spent_total = (SELECT sum(p.amount) FROM transactions p
         WHERE p.wallet_id = t.wallet_id AND p.seq <= t.seq AND p.block_reason IS NULL) WHERE wallet_id = $1`,
      [wallet.id],
    );
  });

  it('is remembered under the first spelling of a merchant, also of those decided together', async () => {
    const wallet = await service.fundedWallet(50_000);
    const spellings = ['Café  Noir', 'CAFÉ NOIR', 'café noir', 'Café Noir'];
    // The first is under way alone while the others gather, to be decided as one.
    await Promise.all(
      ['Elsewhere', ...spellings].map((merchantName) => service.pay(wallet.key, { merchantName })),
    );
    const [first] = await service.query<{ merchant_name: string }>(
      `SELECT merchant_name FROM transactions WHERE wallet_id = $1 AND merchant = 'café noir' ORDER BY seq LIMIT 1`,
      [wallet.id],
    );
    const kept = await service.query<{ name: string }>(
      `SELECT name FROM wallet_merchants WHERE wallet_id = $1 AND merchant = 'café noir'`,
      [wallet.id],
    );
    expect(kept).toEqual([{ name: first!.merchant_name }]);
  });
});

describe('a handler that throws inside the transaction', () => {
  const books = async ({ id }: { id: string }) => ({
    wallet: await service.query('SELECT balance, updated_at FROM wallets WHERE id = $1', [id]),
    transactions: await service.query('SELECT id FROM transactions WHERE wallet_id = $1', [id]),
    ledger: await service.query('SELECT id FROM ledger_entries WHERE wallet_id = $1', [id]),
    settlements: await service.query('SELECT reference FROM settlements WHERE wallet_id = $1', [id]),
    merchants: await service.query('SELECT id FROM wallet_merchants WHERE wallet_id = $1', [id]),
    transfers: await service.query('SELECT id FROM inbound_transfers WHERE wallet_id = $1', [id]),
    jobs: await service.query<{ count: string }>('SELECT id FROM graphile_worker.jobs ORDER BY id'),
  });

  it.each([
    ['the ledger', LedgerStore, 'append'],
    ['the settlement', SettlementStore, 'open'],
    ['the merchants', WalletSpendingStore, 'remember'],
    ['the debit', WalletSpendingStore, 'recordAttempts'],
  ] as const)('rolls everything of the payment back: %s', async (_, store, method) => {
    const wallet = await service.fundedWallet(5_000);
    await service.settled();
    await until(async () => (await service.query('SELECT 1 FROM graphile_worker.jobs')).length === 0);
    const before = await books(wallet);
    const target = service.app.get<LedgerStore>(store, { strict: false });
    jest.spyOn(target, method as 'append').mockImplementationOnce(() => {
      throw new Error('out of ink');
    });
    const { status, body, text } = await service.pay(wallet.key);
    expect([status, body.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(text).not.toContain('out of ink');
    expect(await books(wallet)).toEqual(before);
    expect((await service.pay(wallet.key)).status).toBe(201);
  });

  it('fails the payment it belongs to and not its neighbours in the batch', async () => {
    const wallets = await Promise.all(Array.from({ length: 4 }, () => service.fundedWallet(5_000)));
    const ledger = service.app.get(LedgerStore, { strict: false });
    const append = ledger.append.bind(ledger);
    jest.spyOn(ledger, 'append').mockImplementation((entries, tx) => {
      if (entries.some(({ walletId }) => walletId === wallets[2]!.id)) throw new Error('out of ink');
      append(entries, tx);
    });
    const answers = await Promise.all(wallets.map(({ key }) => service.pay(key)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 500, 201]);
    jest.restoreAllMocks();
    expect(await Promise.all(wallets.map(async (wallet) => (await service.stats(wallet)).balance))).toEqual([
      4_000, 4_000, 5_000, 4_000,
    ]);
  });

  it('keeps one settlement from ending and not the others that the bank was asked for with it', async () => {
    const wallets = await Promise.all(Array.from({ length: 3 }, () => service.fundedWallet(5_000)));
    const [, faulty] = wallets as [CreatedWallet, CreatedWallet, CreatedWallet];
    jest.spyOn(bank, 'startPayout').mockResolvedValue({ kind: 'unknown', reason: 'no answer' });
    const getPayout = jest
      .spyOn(bank, 'getPayout')
      .mockResolvedValue({ kind: 'unknown', reason: 'no answer' });
    for (const { key } of wallets) await service.pay(key);
    await until(async () => {
      const rows = await service.query(
        `SELECT 1 FROM settlements WHERE poll_count > 0 AND status = 'processing' AND wallet_id = ANY ($1::uuid[])`,
        [wallets.map(({ id }) => id)],
      );
      return rows.length === wallets.length;
    });
    getPayout.mockResolvedValue({ kind: 'failed', reason: 'no such account' });
    const ledger = service.app.get(LedgerStore, { strict: false });
    const append = ledger.append.bind(ledger);
    const spy = jest.spyOn(ledger, 'append').mockImplementation((entries, tx) => {
      if (entries.some(({ walletId }) => walletId === faulty.id)) throw new Error('out of ink');
      append(entries, tx);
    });
    await lookNow();
    const balances = () => Promise.all(wallets.map(async (wallet) => (await service.stats(wallet)).balance));
    expect(await balances()).toEqual([5_000, 4_000, 5_000]);
    expect(
      await service.query(
        'SELECT status, poll_count, next_poll_at > now() AS waits FROM settlements WHERE wallet_id = $1',
        [faulty.id],
      ),
    ).toEqual([{ status: 'processing', poll_count: 2, waits: true }]);
    spy.mockRestore();
    await lookNow();
    expect(await balances()).toEqual([5_000, 5_000, 5_000]);
  });

  it('rolls a top-up back, so that its next delivery credits', async () => {
    const wallet = await service.createWallet();
    const before = await books(wallet);
    const ledger = service.app.get(LedgerStore, { strict: false });
    jest.spyOn(ledger, 'append').mockImplementationOnce(() => {
      throw new Error('out of ink');
    });
    const body = chargeBody(wallet.id, { amount: 5 });
    expect((await service.webhook(body)).status).toBe(500);
    expect(await books(wallet)).toEqual(before);
    expect((await service.webhook(body)).status).toBe(200);
    expect((await service.stats(wallet)).balance).toBe(500);
  });
});
