import { Injectable } from '@nestjs/common';
import { AppError, validationError } from '../../../kernel/errors.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { FailedJobs } from '../../../platform/jobs/failed-jobs.js';
import { creditProblem, InboundTransfers, type OpenTransfer } from '../../funding/inbound-transfers.port.js';
import { Operators } from '../../identity/operators/operators.port.js';
import { Payouts, refundProblem } from '../../settlement/payouts.port.js';
import { type OperatedWallet, OperatedWallets } from '../../wallet/operated-wallets.port.js';
import { CasesStore } from '../cases/cases.store.js';
import { CaseResolved } from '../operations.events.js';
import type { ActName, ActRequest, Target } from './acts.domain.js';
import { ActsStore } from './acts.store.js';

type Find = (request: ActRequest, operatorId: string, tx: Tx) => Promise<Target>;

/** Locks what an act is about. */
@Injectable()
export class ActTargets {
  private readonly finders: Readonly<Record<ActName, Find>>;

  constructor(
    private readonly transfers: InboundTransfers,
    private readonly payouts: Payouts,
    private readonly jobs: FailedJobs,
    private readonly users: Operators,
    private readonly wallets: OperatedWallets,
    private readonly cases: CasesStore,
    private readonly acts: ActsStore,
    private readonly events: Events,
  ) {
    this.finders = {
      'transfer.credit': (request, _, tx) => this.credit(request, tx),
      'transfer.return': (request, _, tx) => this.returnTransfer(request, tx),
      'payout.outcome': (request, _, tx) => this.outcome(request, tx),
      'payout.refund': (request, _, tx) => this.refund(request, tx),
      'job.retry': (request, _, tx) => this.job(request, true, tx),
      'job.drop': (request, _, tx) => this.job(request, false, tx),
      'user.suspend': (request, operatorId, tx) => this.user(request, true, operatorId, tx),
      'user.resume': (request, operatorId, tx) => this.user(request, false, operatorId, tx),
      'wallet.suspend': (request, operatorId, tx) => this.wallet(request, true, operatorId, tx),
      'wallet.resume': (request, operatorId, tx) => this.wallet(request, false, operatorId, tx),
      'case.note': (request, _, tx) => this.note(request, tx),
      'case.close': (request, _, tx) => this.closing(request, tx),
    };
  }

  find(request: ActRequest, operatorId: string, tx: Tx): Promise<Target> {
    return this.finders[request.act](request, operatorId, tx);
  }

  private async credit({ subject, details }: ActRequest, tx: Tx): Promise<Target> {
    const { walletId } = details;
    if (!walletId) throw validationError({ field: 'walletId', message: 'is required: which wallet gets it' });
    const transfer = await this.transfers.lock(subject, tx);
    refuseFor(creditProblem(transfer));
    return {
      ...this.ofTransfer(transfer, tx),
      owner: {
        walletId: walletId.toLowerCase(),
        act: 'transfer.credited',
        subject: transfer.reference,
        after: { amount: transfer.amount },
      },
      carryOut: async (caseId) => {
        await this.transfers.credit(transfer, walletId.toLowerCase(), caseId, tx);
        return { status: 'credited', walletId };
      },
    };
  }

  private async returnTransfer({ subject }: ActRequest, tx: Tx): Promise<Target> {
    const transfer = await this.transfers.lock(subject, tx);
    return {
      ...this.ofTransfer(transfer, tx),
      carryOut: async () => {
        await this.transfers.markReturned(transfer, tx);
        return { status: 'returned' };
      },
    };
  }

  private ofTransfer({ amount, currency, status, walletId, reference }: OpenTransfer, tx: Tx) {
    return {
      amount,
      before: { status, walletId, currency },
      cases: {
        kinds: [`transfer-${status}`] as const,
        subject: reference,
        isLeft: () => this.transfers.isWaiting({ status, reference }, tx),
      },
      owner: null,
    };
  }

  private async outcome({ subject, reason, details: { outcome } }: ActRequest, tx: Tx): Promise<Target> {
    if (!outcome) throw validationError({ field: 'outcome', message: 'is required: paid or failed' });
    const payout = await this.payouts.lock(subject, tx);
    const { amount, status, reference } = payout;
    return {
      amount,
      before: { status },
      cases: { kinds: ['payout-stuck'], subject: reference },
      owner: {
        walletId: payout.walletId,
        act: `payout.${outcome}`,
        subject: reference,
        after: { amount },
      },
      carryOut: async () => {
        await this.payouts.recordWord(payout, outcome, reason, tx);
        return { status: outcome === 'paid' ? 'succeeded' : 'failed' };
      },
    };
  }

  private async refund({ subject }: ActRequest, tx: Tx): Promise<Target> {
    const payout = await this.payouts.lock(subject, tx);
    refuseFor(refundProblem(payout));
    const { amount, status, isRefunded, reference } = payout;
    return {
      amount,
      before: { status, isRefunded },
      cases: { kinds: ['payout-undone-after-success', 'refund-held'], subject: reference },
      owner: { walletId: payout.walletId, act: 'payout.refunded', subject: reference, after: { amount } },
      carryOut: async (caseId) => {
        await this.payouts.refund(payout, caseId, tx);
        return { status, isRefunded: true };
      },
    };
  }

  private async job({ subject }: ActRequest, isRetried: boolean, tx: Tx): Promise<Target> {
    const job = await this.jobs.find(subject, tx);
    if (!job) throw notFound('No failed job has this id, or it runs again right now.');
    return {
      amount: null,
      before: { task: job.task, attempts: job.attempts, lastError: job.lastError },
      cases: null,
      owner: null,
      carryOut: async () => {
        const isDone = isRetried ? await this.jobs.retry(subject, tx) : await this.jobs.drop(subject, tx);
        if (!isDone) throw new AppError('OPERATOR_ACT_REFUSED', 'The job runs again right now.');
        return { state: isRetried ? 'due' : 'dropped' };
      },
    };
  }

  /** Includes an owner's wallets. */
  private async user(
    { subject, act }: ActRequest,
    isSuspended: boolean,
    operatorId: string,
    tx: Tx,
  ): Promise<Target> {
    const user = await this.users.lock(subject, tx);
    if (!user) throw new AppError('USER_NOT_FOUND', 'User not found.');
    if (user.id === operatorId) {
      throw new AppError('OPERATOR_ACT_REFUSED', `Another operator must do this to you: ${act}.`);
    }
    const owned = user.role === 'owner' ? await this.wallets.lockAccount(user.accountId, tx) : [];
    return {
      amount: null,
      before: { suspendedAt: user.suspendedAt },
      cases: null,
      owner: {
        accountId: user.accountId,
        act: isSuspended ? 'user.suspended' : 'user.resumed',
        subject: user.id,
      },
      carryOut: async () => {
        await this.users.setSuspended(user.id, isSuspended, tx);
        const wallets = isSuspended ? owned : await this.suspendedWithOwner(owned, tx);
        if (isSuspended) await this.wallets.suspend(wallets, operatorId, tx);
        else await this.wallets.release(wallets, operatorId, tx);
        return { isSuspended, walletIds: wallets.map(({ id }) => id) };
      },
    };
  }

  private async suspendedWithOwner(
    wallets: readonly OperatedWallet[],
    tx: Tx,
  ): Promise<readonly OperatedWallet[]> {
    const ids = wallets.map(({ id }) => id);
    const apart = await this.acts.suspendedAmong(ids, tx);
    return wallets.filter(({ id }) => !apart.has(id));
  }

  private async wallet(
    { subject }: ActRequest,
    isSuspended: boolean,
    operatorId: string,
    tx: Tx,
  ): Promise<Target> {
    const wallet = await this.wallets.lock(subject, tx);
    return {
      amount: null,
      before: { status: wallet.status, suspendedByOperator: wallet.suspendedByOperator },
      cases: null,
      owner: null,
      carryOut: async () => {
        if (isSuspended) await this.wallets.suspend([wallet], operatorId, tx);
        else await this.wallets.release([wallet], operatorId, tx);
        return { suspendedByOperator: isSuspended };
      },
    };
  }

  private async note({ subject }: ActRequest, tx: Tx): Promise<Target> {
    const found = await this.cases.lock(subject, tx);
    if (!found) throw notFound('No case has this id.');
    const carryOut = () => Promise.resolve({});
    return { amount: null, before: {}, cases: null, owner: null, carryOut };
  }

  private async closing({ subject, reason }: ActRequest, tx: Tx): Promise<Target> {
    const found = await this.cases.lock(subject, tx);
    if (!found || found.closedAt !== null) throw notFound('No open case has this id.');
    const { kind, subject: about } = found;
    return {
      amount: null,
      before: { closedAt: null },
      cases: { kinds: [kind], subject: about },
      owner: null,
      carryOut: async () => {
        await this.events.publish([new CaseResolved({ kind, subject: about, outcome: reason })], tx);
        return { isClosed: true };
      },
    };
  }
}

function refuseFor(problem: string | null): void {
  if (problem !== null) throw new AppError('OPERATOR_ACT_REFUSED', problem);
}

function notFound(message: string): AppError {
  return new AppError('OPERATOR_SUBJECT_NOT_FOUND', message);
}
