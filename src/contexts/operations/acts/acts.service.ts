import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { Config } from '../../../platform/config.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed } from '../../identity/identity.events.js';
import { Operators } from '../../identity/operators/operators.port.js';
import { Wallets } from '../../wallet/wallet.port.js';
import { CasesStore } from '../cases/cases.store.js';
import { CaseResolved } from '../operations.events.js';
import type { ActRequest, OwnersLine, Target } from './acts.domain.js';
import type { OperatorAct, OperatorProposal } from './acts.entity.js';
import { ActsStore } from './acts.store.js';
import { ActTargets } from './targets.service.js';

export interface Performed {
  readonly act: OperatorAct | null;
  /** Set only if a second operator must confirm. */
  readonly proposal: OperatorProposal | null;
}

/**
 * Each act is on record in the transaction that does it. Above `OPERATOR_FOUR_EYES_KOBO` another operator
 * confirms.
 */
@Injectable()
export class ActsService {
  constructor(
    private readonly store: ActsStore,
    private readonly cases: CasesStore,
    private readonly targets: ActTargets,
    private readonly operators: Operators,
    private readonly wallets: Wallets,
    private readonly database: Database,
    private readonly events: Events,
    private readonly config: Config,
  ) {}

  perform(request: ActRequest, operatorId: string): Promise<Performed> {
    return this.database.transaction(async (tx) => {
      const target = await this.targets.find(request, operatorId, tx);
      const { amount } = target;
      if (amount === null || amount <= this.config.OPERATOR_FOUR_EYES_KOBO) {
        return {
          act: await this.carryOut(request, target, { operatorId, confirmedBy: null }, tx),
          proposal: null,
        };
      }
      const proposal = await this.store.propose(request, amount, operatorId, tx);
      if (proposal) return { act: null, proposal };
      throw new AppError(
        'OPERATOR_ACT_REFUSED',
        'This act is proposed already: another operator confirms or rejects it.',
      );
    });
  }

  /** Concurrent calls: one succeeds, the others throw. */
  confirm(id: string, operatorId: string): Promise<Performed> {
    return this.database.transaction(async (tx) => {
      const proposal = await this.lockWaiting(id, tx);
      const { act, subject, details, reason, proposedBy, amount } = proposal;
      if (proposedBy === operatorId) {
        throw new AppError('OPERATOR_ACT_REFUSED', 'You proposed this: another operator must confirm it.');
      }
      const proposer = await this.operators.lock(proposedBy, tx);
      if (!proposer?.isOperator || proposer.suspendedAt !== null) {
        throw new AppError(
          'OPERATOR_ACT_REFUSED',
          'Who proposed this is no operator any more: reject it, and propose anew.',
        );
      }
      const request = { act, subject, details, reason };
      const target = await this.targets.find(request, operatorId, tx);
      if (target.amount !== amount) {
        throw new AppError(
          'OPERATOR_ACT_REFUSED',
          'The amount has changed since: reject it, and propose anew.',
        );
      }
      await this.store.decide(id, 'confirmed', operatorId, tx);
      const people = { operatorId: proposedBy, confirmedBy: operatorId };
      return { act: await this.carryOut(request, target, people, tx), proposal: null };
    });
  }

  async reject(id: string, operatorId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.lockWaiting(id, tx);
      await this.store.decide(id, 'rejected', operatorId, tx);
    });
  }

  private async lockWaiting(id: string, tx: Tx): Promise<OperatorProposal> {
    const proposal = await this.store.lockWaiting(id, tx);
    if (proposal) return proposal;
    throw new AppError(
      'OPERATOR_SUBJECT_NOT_FOUND',
      'No proposal with this id waits: it may be decided already, or expired.',
    );
  }

  private async carryOut(
    { act, subject, reason }: ActRequest,
    { amount, before, cases, owner, carryOut }: Target,
    people: Pick<OperatorAct, 'operatorId' | 'confirmedBy'>,
    tx: Tx,
  ): Promise<OperatorAct> {
    const caseId = cases && (await this.cases.idOf(cases.kinds, cases.subject, tx));
    const after = await carryOut(caseId);
    if (cases && act !== 'case.close' && !(await cases.isLeft?.())) {
      const resolved = cases.kinds.map(
        (kind) =>
          new CaseResolved({ kind, subject: cases.subject, outcome: `${act} by an operator: ${reason}` }),
      );
      await this.events.publish(resolved, tx);
    }
    if (owner) await this.tellOwner(owner, people, tx);
    return this.store.record({ ...people, act, subject, caseId, amount, reason, before, after }, tx);
  }

  private async tellOwner(
    { act, subject, after = {}, ...whose }: OwnersLine,
    { operatorId }: Pick<OperatorAct, 'operatorId'>,
    tx: Tx,
  ): Promise<void> {
    const accountId =
      'accountId' in whose
        ? whose.accountId
        : (await this.wallets.ownersOf([whose.walletId], tx)).get(whose.walletId);
    if (accountId === undefined || operatorId === null) return;
    const fields = 'walletId' in whose ? { walletId: whose.walletId, ...after } : after;
    const acted = { accountId, userId: operatorId, act, subject, after: fields, isByOperator: true };
    await this.events.publish([new AccountActed(acted)], tx);
  }
}
