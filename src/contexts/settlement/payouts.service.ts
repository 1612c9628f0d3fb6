import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel/errors.js';
import type { PageRequest, TotalledPage } from '../../kernel/page.js';
import { databaseNow } from '../../platform/database/clock.js';
import { violates } from '../../platform/database/failures.js';
import type { Tx } from '../../platform/database/tx.js';
import { Events } from '../../platform/events/events.js';
import { type ListedState, type OperatedPayout, Payouts, refundProblem } from './payouts.port.js';
import type { SettlementStatus } from './settlement.port.js';
import { isOpen, isRefusalFinal, PAID, refundStep, type SettlementOutcome } from './settlement.domain.js';
import { ReturnRefunded } from './settlement.events.js';
import { SettlementLookups } from './settlement-lookups.store.js';
import { SettlementOutcomes } from './settlement-outcomes.service.js';
import { SettlementService } from './settlement.service.js';
import { SettlementStore } from './settlement.store.js';

@Injectable()
export class PayoutsService implements Payouts {
  constructor(
    private readonly store: SettlementStore,
    private readonly lookups: SettlementLookups,
    private readonly settlements: SettlementService,
    private readonly outcomes: SettlementOutcomes,
    private readonly events: Events,
  ) {}

  page(
    state: ListedState | null,
    references: readonly string[] | null,
    request: PageRequest,
  ): Promise<TotalledPage<OperatedPayout, SettlementStatus>> {
    return this.lookups.page(state, references, request);
  }

  async askBank(
    reference: string,
  ): Promise<{ readonly kind: string; readonly reason: string | null } | null> {
    const settlement = await this.store.find(reference);
    if (!settlement) return null;
    const state = await this.settlements.askFor(settlement);
    return { kind: state.kind, reason: 'reason' in state ? state.reason : null };
  }

  async lock(reference: string, tx: Tx): Promise<OperatedPayout> {
    const payout = await this.lookups.lock(reference, tx);
    if (payout) return payout;
    throw new AppError('OPERATOR_SUBJECT_NOT_FOUND', 'No payout has this reference.');
  }

  async recordWord(
    { reference, status, submittedAt }: OperatedPayout,
    outcome: 'paid' | 'failed',
    reason: string,
    tx: Tx,
  ): Promise<void> {
    if (!isOpen(status)) throw refused('The payout has ended: its record can not change.');
    const now = await databaseNow(tx);
    if (!submittedAt || !isRefusalFinal(now.getTime() - submittedAt.getTime())) {
      throw refused(
        'It was submitted less than ten minutes ago, or not yet: the bank can have no final word.',
      );
    }
    const settlement = await this.lookups.of(reference, tx);
    const end: SettlementOutcome = outcome === 'paid' ? PAID : { status: 'failed', reason };
    try {
      await this.outcomes.recordIn([{ settlement, outcome: end }], false, tx);
    } catch (error) {
      if (!violates(error, 'wallets_balance_range')) throw error;
      throw refused('The balance of the wallet can not hold the refund.');
    }
  }

  async refund(payout: OperatedPayout, caseId: string | null, tx: Tx): Promise<void> {
    const problem = refundProblem(payout);
    if (problem !== null) throw refused(problem);
    const { reference, walletId, amount, isWithdrawal } = payout;
    const step = refundStep(amount, (await databaseNow(tx)).toISOString());
    await this.lookups.addStep(reference, step, tx);
    try {
      await this.events.publish(
        [new ReturnRefunded({ reference, walletId, amount, isWithdrawal, caseId })],
        tx,
      );
    } catch (error) {
      if (!violates(error, 'wallets_balance_range')) throw error;
      throw refused('The balance of the wallet can not hold the refund: have its owner withdraw first.');
    }
  }
}

function refused(message: string): AppError {
  return new AppError('OPERATOR_ACT_REFUSED', message);
}
