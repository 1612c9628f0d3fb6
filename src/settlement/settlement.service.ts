import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import pLimit from 'p-limit';
import { Bank, type PayoutState } from '../bank/bank.contract.js';
import { CaseOpened } from '../cases/cases.contract.js';
import { Config } from '../config.js';
import { PaymentApproved } from '../payments/payments.contract.js';
import { Database, type Tx } from '../shared/database.js';
import { AfterCommit, Events, InTransaction } from '../shared/events.js';
import { SettlementFailed, SettlementsOpened } from './settlement.contract.js';
import {
  contradiction,
  isOpen,
  REFUSAL_GRACE_MS,
  secondsUntilLook,
  stepsOf,
  STUCK_AFTER_MS,
  type Verdict,
  verdictOf,
} from './settlement.domain.js';
import { type SettlementRow, SettlementStore } from './settlement.store.js';

/** The job that hands payouts over starts at once; when it did not within this time, the sweep takes over. */
const GRACE_SECONDS = 120;
const SWEEP_MAX = 200;
const LOOK = 'settlement.look';

/** What the bank said of a settlement that was asked for. */
interface Answer {
  readonly settlement: SettlementRow;
  readonly state: PayoutState;
}

/**
 * Moves the money of approved payments out: `pending → processing → succeeded | failed | reversed`.
 * A settlement is opened in the payment's transaction and handed to the bank after the commit, always under the
 * same reference, so that no doubt can pay twice; after any doubt the bank is asked. Only its own answer ends it.
 */
@Injectable()
export class SettlementService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(SettlementService.name);
  private readonly pollSeconds: number;
  private sweeping: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: SettlementStore,
    private readonly bank: Bank,
    private readonly database: Database,
    private readonly events: Events,
    config: Config,
  ) {
    this.pollSeconds = config.SETTLEMENT_POLL_SECONDS;
    this.events.define<{ reference: string }>(LOOK, ({ reference }) => this.look(reference));
  }

  onApplicationBootstrap(): void {
    this.sweeping = setInterval(
      () => {
        this.lookAtDue().catch((error: unknown) => this.log.warn(`the sweep failed: ${String(error)}`));
      },
      Math.min(this.pollSeconds, 5) * 1_000,
    );
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.sweeping);
  }

  @InTransaction(PaymentApproved)
  async open(payments: readonly PaymentApproved[], tx: Tx): Promise<void> {
    this.store.open(payments, GRACE_SECONDS, tx);
    await this.events.publish(
      [new SettlementsOpened(payments.map(({ transactionId }) => transactionId))],
      tx,
    );
  }

  /** Hands the payouts to the bank. Those that another run took already are left alone. */
  @AfterCommit(SettlementsOpened)
  async payOut(opened: readonly SettlementsOpened[]): Promise<void> {
    const references = opened.flatMap((each) => each.references);
    const claimed = await this.store.claim(references, GRACE_SECONDS);
    await this.ask(claimed, (settlement) => this.bank.startPayout(payoutOf(settlement)));
  }

  /** Asks the bank for payouts that are not final; one that it does not know is handed over again. */
  async lookAtDue(): Promise<void> {
    const due = await this.store.claimDue(SWEEP_MAX, GRACE_SECONDS);
    if (due.length === 0) return;
    const unclaimed = due.filter(({ status }) => status === 'pending').map(({ reference }) => reference);
    const claimed = unclaimed.length > 0 ? await this.store.claim(unclaimed, GRACE_SECONDS) : [];
    await this.ask(claimed, (settlement) => this.bank.startPayout(payoutOf(settlement)));
    await this.ask(
      due.filter(({ status }) => status === 'processing'),
      (settlement) => this.lookOrResend(settlement),
    );
  }

  private async lookOrResend(settlement: SettlementRow): Promise<PayoutState> {
    const known = await this.bank.getPayout(settlement.reference);
    if (known.kind !== 'not-found') return known;
    const resent = await this.bank.startPayout(payoutOf(settlement));
    const isFirstSurelyDead = (settlement.handedOverMsAgo ?? 0) > REFUSAL_GRACE_MS;
    if (resent.kind !== 'rejected' || isFirstSurelyDead) return resent;
    return {
      kind: 'unknown',
      why: `refused when sent again: ${resent.why}; the first may still be accepted`,
    };
  }

  /** Notes that the provider has news of a payout: a hint to go and ask, never a fact. */
  async hint(reference: string): Promise<void> {
    if (!(await this.store.find(reference))) return;
    await this.database.transaction((tx) => {
      this.events.schedule(tx, LOOK, { reference });
      return Promise.resolve();
    });
  }

  /** Asks the bank for one payout, also for one that ended before. */
  async look(reference: string): Promise<void> {
    const settlement = await this.store.find(reference);
    if (!settlement) return;
    await this.record([{ settlement, state: await this.bank.getPayout(reference) }]);
  }

  private async ask(
    settlements: readonly SettlementRow[],
    question: (settlement: SettlementRow) => Promise<PayoutState>,
  ): Promise<void> {
    const limit = pLimit(this.bank.capabilities.payoutsAtOnce);
    const answers = await Promise.all(
      settlements.map((settlement) => limit(async () => ({ settlement, state: await question(settlement) }))),
    );
    await this.record(answers);
    const unfinished = answers.filter(({ state }) => verdictOf(state) === null);
    if (unfinished.length === 0) return;
    await this.store.lookAgain(
      unfinished.map(({ settlement: { reference, looks } }) => ({
        reference,
        seconds: secondsUntilLook(looks, this.pollSeconds),
      })),
    );
    await this.tellOfStuck(unfinished.map(({ settlement }) => settlement));
  }

  private async tellOfStuck(unfinished: readonly SettlementRow[]): Promise<void> {
    const stuck = unfinished.filter(({ handedOverMsAgo }) => (handedOverMsAgo ?? 0) > STUCK_AFTER_MS);
    if (stuck.length === 0) return;
    await this.database.transaction((tx) =>
      this.events.publish(
        stuck.map(
          ({ reference, walletId }) =>
            new CaseOpened(
              'payout-stuck',
              reference,
              walletId,
              'the bank has not settled this payout for a day',
            ),
        ),
        tx,
      ),
    );
  }

  /**
   * Puts the bank's final answers on record: an open settlement ends, once, and what was not paid is refunded in
   * the same transaction; an answer that contradicts an end before opens a case and moves nothing.
   */
  private async record(answers: readonly Answer[]): Promise<void> {
    const verdicts = new Map<string, Verdict>();
    for (const { settlement, state } of answers) {
      const verdict = verdictOf(state);
      if (verdict) verdicts.set(settlement.reference, verdict);
    }
    if (verdicts.size === 0) return;
    const at = new Date().toISOString();
    await this.database.transaction(async (tx) => {
      const judged = (await this.store.lock([...verdicts.keys()], tx)).map((settlement) => ({
        settlement,
        verdict: verdicts.get(settlement.reference) as Verdict,
      }));
      const ending = judged.filter(({ settlement }) => isOpen(settlement.status));
      if (ending.length > 0) {
        this.store.end(
          ending.map(({ settlement: { reference, amount }, verdict }) => ({
            reference,
            status: verdict.status,
            steps: stepsOf(verdict, amount, at),
          })),
          tx,
        );
      }
      const unpaid = ending.filter(({ verdict }) => verdict.status !== 'succeeded');
      await this.events.publish(
        unpaid.map(
          ({ settlement: { reference, walletId, amount, paidAt }, verdict }) =>
            new SettlementFailed(reference, walletId, amount, paidAt.toISOString(), verdict.why),
        ),
        tx,
      );
      await this.events.publish(judged.flatMap(caseOf), tx);
    });
  }
}

function payoutOf({ reference, amount, bankCode, accountNo, narration }: SettlementRow) {
  return { reference, amount, bankCode, accountNumber: accountNo, narration };
}

/** What a person must know of a verdict: that it contradicts an earlier one, or that our own float ran short. */
function caseOf({ settlement, verdict }: { settlement: SettlementRow; verdict: Verdict }): CaseOpened[] {
  const { reference, walletId, status } = settlement;
  const kind = contradiction(status, verdict);
  if (kind)
    return [
      new CaseOpened(
        kind,
        reference,
        walletId,
        `on record as ${status}; the bank now says ${verdict.status}`,
      ),
    ];
  if (isOpen(status) && /insufficient funds in disbursement wallet/i.test(verdict.why)) {
    return [new CaseOpened('payout-without-float', reference, walletId, verdict.why)];
  }
  return [];
}
