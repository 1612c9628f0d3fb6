import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { SettlementService } from '../../src/contexts/settlement/settlement.service.js';
import type { CallRecord, FakeBank, FakeBankOptions } from '../fake-bank/fake-bank.ts';
import { startFakeBank } from '../fake-bank/fake-bank.ts';
import type { ScriptedAnswer } from '../fake-bank/script.ts';
import { BANK_KEY, type BankBooks, bankSettings, disagreements } from './bank-books.ts';
import { freePort } from './ports.ts';
import { type CreatedWallet, expectStatus, startService, type TestService, until } from './service.js';

/** Where the fake bank is told to pay. */
export const PAY = '/transactions/disburse';
/** Payees of the fake bank: taken on and never ended by itself; failing later; refused at once. */
export const STUCK = { bankCode: '999', accountNumber: '0000000008' };
export const FAILING = { bankCode: '035', accountNumber: '0000000000' };
export const REFUSED = { bankCode: '011', accountNumber: '9999999999' };

/** What a gateway before the bank says, and a refusal as the bank words it. */
export const html = (status: number): ScriptedAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html><h1>Bad Gateway</h1></html>',
});
export const refusal = (status: number, message: string, error = ''): ScriptedAnswer => ({
  status,
  body: { status: false, error, message, data: null },
});

/** A bank that is slow because the machine is busy is waited for: for tests of which none is about a deadline. */
export const PATIENT = { BANK_TIMEOUT_MS: '25000' };

/** A service that listens, and the bank it speaks to over HTTP: each knows where the other is. */
export async function startWithFakeBank(
  options: FakeBankOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceWithBank> {
  const port = await freePort();
  const fake = await startFakeBank({
    speed: 60,
    secret: BANK_KEY,
    retryMs: [6_000],
    settleMs: [300, 1_500],
    firstTryMs: [100, 600],
    webhookUrl: `http://127.0.0.1:${port}/api/webhooks`,
    payoutWebhookUrl: `http://127.0.0.1:${port}/api/webhooks/payouts`,
    ...options,
  });
  const service = await startService({ env: { ...bankSettings(fake.url, port), ...env } });
  await service.app.listen(port, '127.0.0.1');
  return new ServiceWithBank(fake, service, port);
}

/**
 * One bank and one service for all tests of a file. Each test begins without rules of another; after it every payout
 * ends, and the books of both sides agree.
 */
export function useFakeBank(
  begin: (banked: ServiceWithBank) => void,
  env: Readonly<Record<string, string>> = {},
): void {
  let banked: ServiceWithBank;
  beforeAll(async () => {
    banked = await startWithFakeBank({}, env);
    begin(banked);
  });
  beforeEach(() => {
    banked.fake.script.clear();
    banked.fake.calls = [];
  });
  afterEach(async () => {
    banked.fake.script.clear();
    await banked.settled();
    expect(await banked.disagreements()).toEqual([]);
  });
  afterAll(() => banked.close());
}

/** What a test of payouts does most. Whatever it counts, it counts by reference, so that tests don't meet. */
export class ServiceWithBank {
  /** Payouts whose end contradicts an earlier one. */
  readonly contradicted = new Set<string>();
  private accounts = 0;

  constructor(
    readonly fake: FakeBank,
    readonly service: TestService,
    readonly port: number,
  ) {}

  /** Another service on the same database and with the same bank. */
  startAnother(env: Record<string, string> = {}): Promise<TestService> {
    return startService({ beside: this.service, env: { ...bankSettings(this.fake.url, this.port), ...env } });
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.fake.close();
  }

  /** An account that no other test pays to, so that a rule hits one payment. */
  nextAccount(): string {
    this.accounts += 1;
    return String(2_000_000_000 + this.accounts);
  }

  /** A wallet that the bank has told us of money for. */
  async funded(naira = '5000.00', fields: Record<string, unknown> = {}): Promise<CreatedWallet> {
    const wallet = await this.service.createWallet(undefined, { spendLimitPeriod: 100_000_000, ...fields });
    this.fake.books.collect({ accountReference: wallet.id, amount: naira });
    await until(async () => (await this.balanceOf(wallet)) > 0);
    return wallet;
  }

  async balanceOf({ id }: { id: string }): Promise<number> {
    const [row] = await this.service.query<{ balance: string }>('SELECT balance FROM wallets WHERE id = $1', [
      id,
    ]);
    return Number(row!.balance);
  }

  /** An approved payment of ₦1,000; answers its reference. */
  async pay(
    wallet: Pick<CreatedWallet, 'key'>,
    { bankCode = '033', accountNumber = this.nextAccount(), amount = 100_000, reason = '' } = {},
    service = this.service,
  ): Promise<string> {
    const answer = await service.pay(wallet.key, {
      amount,
      recipientBankCode: bankCode,
      recipientAccountNo: accountNumber,
      ...(reason && { reason }),
    });
    return expectStatus(201, answer).body.data.settlement.reference;
  }

  async statusOf(reference: string): Promise<string> {
    const [row] = await this.service.query<{ status: string }>(
      'SELECT status FROM settlements WHERE reference = $1',
      [reference],
    );
    return row!.status;
  }

  /**
   * Lets time pass for settlements that wait for their turn, and `ms` since they were handed over; then does what the
   * sweep does of itself each second.
   */
  async hurry(ms = 0): Promise<void> {
    await this.service.query(
      `UPDATE settlements s SET next_poll_at = clock_timestamp(),
              submitted_at = submitted_at - $1 * interval '1 millisecond'
        WHERE reference IN (SELECT reference FROM settlements WHERE status = 'processing' AND poll_count > 0
                               FOR UPDATE SKIP LOCKED)`,
      [ms],
    );
    await this.service.app.get(SettlementService).processDue();
  }

  /** Waits for the end of all settlements, and looks how this one ended. */
  async endOf(reference: string): Promise<string> {
    await this.settled();
    return this.statusOf(reference);
  }

  async settled(): Promise<void> {
    await until(async () => {
      await this.hurry();
      const open = await this.service.query(
        `SELECT 1 FROM settlements WHERE status IN ('pending', 'processing') LIMIT 1`,
      );
      return open.length === 0;
    });
  }

  /** Waits until the bank was asked for this payout at least so often, after its start. */
  looked(reference: string, times: number): Promise<void> {
    return until(async () => {
      await this.hurry();
      return this.callsFor(reference).filter(({ method }) => method === 'GET').length >= times;
    });
  }

  callsFor(reference: string): CallRecord[] {
    return this.fake.calls.filter((call) => call.reference === reference);
  }

  /** How often the bank was told to make this payout. */
  handedOver(reference: string): number {
    return this.callsFor(reference).filter(({ path }) => path === PAY).length;
  }

  async casesOf(subject: string): Promise<string[]> {
    const rows = await this.service.query<{ kind: string }>(
      'SELECT kind FROM operator_cases WHERE subject = $1 ORDER BY kind',
      [subject],
    );
    return rows.map(({ kind }) => kind);
  }

  async refundsOf(reference: string): Promise<number> {
    const rows = await this.service.query(
      `SELECT 1 FROM ledger_entries WHERE transaction_id = $1 AND type = 'refund'`,
      [reference],
    );
    return rows.length;
  }

  /** Gives hints and deliveries under way the time to do harm. */
  async quiet(): Promise<void> {
    await until(async () => {
      const [row] = await this.service.query<{ count: string }>(
        `SELECT count(*) FROM graphile_worker.jobs WHERE run_at <= now()`,
      );
      return Number(row!.count) === 0;
    });
  }

  /** What does not hold between the bank's books and ours, once nothing is under way. */
  async disagreements(): Promise<string[]> {
    const { contradicted } = this;
    return disagreements(this.service, this.fake.state() as unknown as BankBooks, { contradicted });
  }
}
