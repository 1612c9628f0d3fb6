import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pLimit from 'p-limit';
import { Bank, type PayoutState } from '../bank/bank.contract.js';
import { PaymentApproved } from '../payments/payments.contract.js';
import { Database, type Tx } from '../shared/database.js';
import { AfterCommit, Events, InTransaction } from '../shared/events.js';
import { SettlementFailed } from './settlement.contract.js';
import { secondsUntilLook, stepsOf, verdictOf } from './settlement.domain.js';
import { type SettlementRow, SettlementStore } from './settlement.store.js';

/** The job that pays out starts at once; when it did not within this time, the sweep takes over. */
const GRACE_SECONDS = 120;
const SWEEP_EVERY_MS = 5_000;
const SWEEP_MAX = 200;

/**
 * Moves the money of approved payments out. The settlement is opened in the payment's transaction and handed to
 * the bank after the commit, always under the same reference, so that no doubt can pay twice.
 */
@Injectable()
export class SettlementService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(SettlementService.name);
  private sweeping: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: SettlementStore,
    private readonly bank: Bank,
    private readonly database: Database,
    private readonly events: Events,
    private readonly pollSeconds: number,
  ) {}

  onApplicationBootstrap(): void {
    this.sweeping = setInterval(() => {
      this.lookAtDue().catch((error: unknown) => this.log.warn(`the sweep failed: ${String(error)}`));
    }, SWEEP_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.sweeping);
  }

  @InTransaction(PaymentApproved)
  async open(payments: readonly PaymentApproved[], tx: Tx): Promise<void> {
    await this.store.open(payments, GRACE_SECONDS, tx);
  }

  /** Hands the payouts to the bank. Those that another run took already are left alone. */
  @AfterCommit(PaymentApproved)
  async payOut(payments: readonly PaymentApproved[]): Promise<void> {
    const references = payments.map(({ transactionId }) => transactionId);
    const claimed = await this.store.claim(references, this.pollSeconds);
    await this.work(claimed, (settlement) => this.bank.startPayout(payoutOf(settlement)));
  }

  /** Asks the bank for payouts that are not final; one that it does not know is handed over again. */
  async lookAtDue(): Promise<void> {
    const due = await this.store.claimDue(SWEEP_MAX, GRACE_SECONDS);
    await this.work(due, async (settlement) => {
      const state = await this.bank.getPayout(settlement.reference);
      return state.kind === 'not-found' ? this.bank.startPayout(payoutOf(settlement)) : state;
    });
  }

  private async work(
    settlements: readonly SettlementRow[],
    ask: (settlement: SettlementRow) => Promise<PayoutState>,
  ): Promise<void> {
    const limit = pLimit(this.bank.capabilities.payoutsAtOnce);
    const answers = await Promise.all(
      settlements.map((settlement) => limit(async () => ({ settlement, state: await ask(settlement) }))),
    );
    await this.settle(answers);
    for (const { settlement, state } of answers) {
      if (verdictOf(state)) continue;
      await this.store.lookAgain(settlement.reference, secondsUntilLook(settlement.looks, this.pollSeconds));
    }
  }

  /** Records the final answers, and gives back what was not paid: each settlement once. */
  private async settle(answers: readonly { settlement: SettlementRow; state: PayoutState }[]): Promise<void> {
    const at = new Date().toISOString();
    const verdicts = answers.flatMap(({ settlement: { reference, amount }, state }) => {
      const verdict = verdictOf(state);
      return verdict ? [{ reference, ...verdict, steps: stepsOf(verdict, amount, at) }] : [];
    });
    if (verdicts.length === 0) return;
    const whyOf = new Map(
      verdicts.map((verdict) => [verdict.reference, 'why' in verdict ? verdict.why : '']),
    );
    await this.database.transaction(async (tx) => {
      const moved = await this.store.settle(verdicts, tx);
      const failed = moved.filter(({ status }) => status !== 'succeeded');
      await this.events.publish(
        failed.map(
          ({ reference, walletId, amount, paidAt }) =>
            new SettlementFailed(
              reference,
              walletId,
              amount,
              paidAt.toISOString(),
              whyOf.get(reference) ?? '',
            ),
        ),
        tx,
      );
    });
  }
}

function payoutOf({ reference, amount, bankCode, accountNo, narration }: SettlementRow) {
  return { reference, amount, bankCode, accountNumber: accountNo, narration };
}
