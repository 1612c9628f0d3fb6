import { Injectable, Logger } from '@nestjs/common';
import type { PayoutState } from '../bank/bank.port.js';
import { CaseOpened } from '../operations/operations.events.js';
import { AppError } from '../../kernel/errors.js';
import { Database } from '../../platform/database/database.js';
import { isUnavailable } from '../../platform/database/failures.js';
import { Events } from '../../platform/events/events.js';
import {
  isOpen,
  outcomeConflict,
  type SettlementOutcome,
  STUCK_AFTER_MS,
  stepsOf,
  toSettlementOutcome,
} from './settlement.domain.js';
import { SettlementFailed, SettlementSucceeded, WithdrawalFailed } from './settlement.events.js';
import { type SettlementRow, SettlementStore } from './settlement.store.js';

/** What the bank said of a settlement that was asked for. */
export interface Answer {
  readonly settlement: SettlementRow;
  readonly state: PayoutState;
}

/** Puts what the bank said on record: ends settlements, and tells people of what only they can mend. */
@Injectable()
export class SettlementOutcomes {
  private readonly log = new Logger(SettlementOutcomes.name);

  constructor(
    private readonly store: SettlementStore,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /** Tells of payouts that have been under way for too long. */
  async openStuckPayoutCases(unfinished: readonly SettlementRow[]): Promise<void> {
    const stuck = unfinished.filter(({ approvedMsAgo }) => approvedMsAgo > STUCK_AFTER_MS);
    if (stuck.length === 0) return;
    await this.database.transaction((tx) =>
      this.events.publish(
        stuck.map(
          ({ reference, walletId }) =>
            new CaseOpened({
              kind: 'payout-stuck',
              subject: reference,
              walletId,
              description: 'the bank has not settled this payout for a day',
            }),
        ),
        tx,
      ),
    );
  }

  /**
   * Puts answers on record together, or one by one when that fails, so that no settlement waits for a neighbour's
   * fault. Answers those that can't be recorded: they stay open, and are asked for again ever more seldom.
   */
  async recordAll(answers: readonly Answer[]): Promise<readonly Answer[]> {
    try {
      await this.record(answers);
      return [];
    } catch (error) {
      if (error instanceof AppError || isUnavailable(error)) throw error;
      if (answers.length > 1) {
        const unrecorded: Answer[] = [];
        for (const answer of answers) unrecorded.push(...(await this.recordAll([answer])));
        return unrecorded;
      }
      this.log.error(
        `the end of ${answers[0]?.settlement.reference} can't be put on record: ${String(error)}`,
      );
      return answers;
    }
  }

  /**
   * Puts the bank's final answers on record: an open settlement ends, once, and what was not paid is refunded in
   * the same transaction; an answer that contradicts an end before opens a case and moves nothing.
   */
  private async record(answers: readonly Answer[]): Promise<void> {
    const verdicts = answers.flatMap(({ settlement, state }) => {
      const verdict = toSettlementOutcome(state);
      return verdict ? [{ settlement, verdict }] : [];
    });
    if (verdicts.length === 0) return;
    const at = new Date().toISOString();
    await this.database.transaction(async (tx) => {
      const statuses = await this.store.lock(
        verdicts.map(({ settlement: { reference } }) => reference),
        tx,
      );
      const judged = verdicts.flatMap(({ settlement, verdict }) => {
        const status = statuses.get(settlement.reference);
        return status ? [{ settlement: { ...settlement, status }, verdict }] : [];
      });
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
        unpaid.filter(isPayment).map(
          ({ settlement: { reference, walletId, amount, approvedAt }, verdict }) =>
            new SettlementFailed({
              reference,
              walletId,
              amount,
              approvedAt: approvedAt.toISOString(),
              reason: verdict.reason,
            }),
        ),
        tx,
      );
      await this.events.publish(
        unpaid
          .filter((each) => !isPayment(each))
          .map(
            ({ settlement: { reference: withdrawalId, walletId, amount }, verdict }) =>
              new WithdrawalFailed({ withdrawalId, walletId, amount, reason: verdict.reason }),
          ),
        tx,
      );
      const paid = ending.filter(({ verdict }) => verdict.status === 'succeeded');
      await this.events.publish(
        paid
          .filter(isPayment)
          .map(
            ({ settlement: { reference, walletId, amount } }) =>
              new SettlementSucceeded({ reference, walletId, amount, at }),
          ),
        tx,
      );
      await this.events.publish(judged.flatMap(caseOf), tx);
    });
  }
}

/** Whether an agent pays; else its owner takes money out. */
export function isPayment({
  settlement,
}: {
  readonly settlement: { readonly isWithdrawal: boolean };
}): boolean {
  return !settlement.isWithdrawal;
}

/** What a person must know of a verdict: that it contradicts an earlier one, or that our own float ran short. */
function caseOf({
  settlement,
  verdict,
}: {
  settlement: SettlementRow;
  verdict: SettlementOutcome;
}): CaseOpened[] {
  const { reference, walletId, status } = settlement;
  const kind = outcomeConflict(status, verdict);
  if (kind)
    return [
      new CaseOpened({
        kind,
        subject: reference,
        walletId,
        description: `on record as ${status}; the bank now says ${verdict.status}`,
      }),
    ];
  if (isOpen(status) && /insufficient funds in disbursement wallet/i.test(verdict.reason)) {
    return [
      new CaseOpened({
        kind: 'payout-without-float',
        subject: reference,
        walletId,
        description: verdict.reason,
      }),
    ];
  }
  return [];
}
