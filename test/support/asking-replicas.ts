import { expect, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { type Approval, approvalIn, decide, lapseAll } from './approvals.js';
import { change, recipient } from './payees.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  FAR_AHEAD,
  type PaymentAnswer,
  startService,
  type TestService,
} from './service.js';

const START_MS = Date.parse('2026-04-01T08:00:00.000Z');
/** Above it a person decides. */
const THRESHOLD = 1_000;

/** The bank fails payments of this amount. */
export const FAILING_AMOUNT = 2_007;
/** The account that is paid unless told. */
export const ACCOUNT = '0000000011';

export type Paid = Answer<PaymentAnswer & { details?: Record<string, unknown> }>;

/** Two replicas whose clock stands still, with wallets whose larger payments wait for a person. */
export class AskingReplicas {
  nowMs = START_MS;

  private constructor(
    readonly one: TestService,
    readonly other: TestService,
  ) {}

  static async start(): Promise<AskingReplicas> {
    const one = await startService({ clock: true });
    const replicas = new AskingReplicas(one, await startService({ beside: one }));
    for (const { app } of [one, replicas.other]) {
      jest
        .spyOn(app.get(Bank, { strict: false }), 'startPayout')
        .mockImplementation(({ amount }) =>
          Promise.resolve(
            amount === FAILING_AMOUNT
              ? { kind: 'failed', reason: 'an unlucky number' }
              : { kind: 'succeeded' },
          ),
        );
    }
    await replicas.pass(0);
    return replicas;
  }

  async end(): Promise<void> {
    jest.restoreAllMocks();
    await this.one.setClock(null);
    await this.other.close();
    await this.one.close();
  }

  either(i: number): TestService {
    return i % 2 === 0 ? this.one : this.other;
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.one.setClock(new Date(this.nowMs));
  }

  /** A wallet with money and these settings whose payments above the threshold wait for a person. */
  async wallet(settings: object = {}): Promise<CreatedWallet> {
    const wallet = await this.one.fundedWallet(1_000_000);
    await this.one.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    await this.set(wallet, { approvalThreshold: THRESHOLD, ...settings });
    return wallet;
  }

  /** A change is later than what was before it, also where the clock stands still: it is passed. */
  async set(wallet: CreatedWallet, settings: object): Promise<void> {
    expect(await change(this.one, wallet, settings)).toBe(200);
    await this.pass(1_000);
  }

  pay(wallet: CreatedWallet, amount: number, fields: object = {}, service = this.one): Promise<Paid> {
    return service.pay(wallet.key, { amount, merchantName: 'Acme', ...recipient(ACCOUNT), ...fields });
  }

  async waiting(wallet: CreatedWallet, amount: number, fields: object = {}): Promise<Approval> {
    return approvalIn(expectStatus(202, await this.pay(wallet, amount, fields)));
  }

  async say(
    wallet: CreatedWallet,
    { id }: Pick<Approval, 'id'>,
    word: 'approve' | 'deny',
    service = this.one,
  ): Promise<void> {
    expectStatus(200, await decide(service, wallet, id, word));
  }

  async lapse({ expiresAt }: Approval): Promise<void> {
    await this.pass(Date.parse(expiresAt) - this.nowMs);
    await lapseAll(this.one);
  }
}

export const outcome = ({ status, body }: Paid): string =>
  status === 201 ? 'approved' : status === 202 ? 'waits' : `${status} ${body.code}`;
export const withOutcome = (answers: readonly Paid[], wanted: string): Paid[] =>
  answers.filter((answer) => outcome(answer) === wanted);
export const atOnce = <Result>(count: number, work: (i: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
