import { expect, jest } from '@jest/globals';
import { Bank, type PayoutState } from '../../src/contexts/bank/bank.port.js';
import { type Approval, type ApprovalBody, askAbove, decide } from './approvals.js';
import { brokenInvariants } from './invariants.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  FAR_AHEAD,
  type HistoryRow,
  type PageOf,
  startService,
  type Stats,
  type TestService,
} from './service.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.parse('2026-03-01T08:00:00.000Z');

export const iso = (ms: number): string => new Date(ms).toISOString();

export const outcome = ({ status, body }: Answer<ApprovalBody>): string =>
  status === 200 ? body.data.approval.status : `${status} ${body.error.code}`;

/** Two replicas on one database whose clock stands still, and what the suites of approvals do most with them. */
export class ApprovalsDesk {
  one!: TestService;
  other!: TestService;
  nowMs = START_MS;
  /** Answers of the bank for payouts of these amounts; every other payout succeeds. */
  readonly verdicts = new Map<number, PayoutState>();

  async start(): Promise<this> {
    this.one = await startService({ clock: true, env: { WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.2' } });
    this.other = await startService({ beside: this.one });
    for (const service of [this.one, this.other]) {
      jest
        .spyOn(service.app.get(Bank, { strict: false }), 'startPayout')
        .mockImplementation(({ amount }) =>
          Promise.resolve(this.verdicts.get(amount) ?? ({ kind: 'succeeded' } as const)),
        );
    }
    await this.moveTo(START_MS);
    return this;
  }

  /** Expects the books to be right after a test. */
  async check(): Promise<void> {
    await this.moveTo(this.nowMs + 1_000);
    await this.one.settled();
    expect(await brokenInvariants(this.one)).toEqual({});
  }

  async close(): Promise<void> {
    jest.restoreAllMocks();
    await this.one.setClock(null);
    await this.other.close();
    await this.one.close();
  }

  readonly either = (i: number): TestService => (i % 2 === 0 ? this.one : this.other);

  readonly moveTo = async (ms: number): Promise<void> => {
    this.nowMs = ms;
    await this.one.setClock(new Date(ms));
  };

  /** A wallet with money whose payments above 1,000 kobo wait for a person. */
  readonly askingWallet = async (
    kobo: number,
    fields: Record<string, unknown> = {},
  ): Promise<CreatedWallet> => {
    const wallet = await this.one.fundedWallet(kobo, fields);
    await this.one.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    await askAbove(this.one, wallet, 1_000);
    // A change is later than what was before it, also where the clock stands still.
    await this.moveTo(this.nowMs + 1_000);
    return wallet;
  };

  readonly approve = (wallet: CreatedWallet, id: string, body: object = {}, service = this.one) =>
    decide(service, wallet, id, 'approve', body);

  readonly deny = (wallet: CreatedWallet, id: string, body: object = {}, service = this.one) =>
    decide(service, wallet, id, 'deny', body);

  readonly list = async ({ owner }: Pick<CreatedWallet, 'owner'>, query = ''): Promise<PageOf<Approval>> => {
    const path = `/v1/approvals${query}`;
    return expectStatus(200, await this.one.get<PageOf<Approval>>(path, { token: owner.token })).body;
  };

  readonly attempt = async (wallet: CreatedWallet, id: string): Promise<HistoryRow> => {
    const path = `/api/payment-intent/${id}`;
    return expectStatus(200, await this.one.get<{ data: HistoryRow }>(path, { key: wallet.key })).body.data;
  };

  readonly held = async (wallet: CreatedWallet): Promise<{ held: number; available: number }> =>
    (await this.one.stats(wallet)) as Stats & { held: number; available: number };

  /** The amounts of the history's payments with this decision. */
  readonly decisions = async (wallet: CreatedWallet, decision: string): Promise<number[]> =>
    (await this.one.history(wallet, `?decision=${decision}`)).data.map(({ amount }) => amount);
}
