import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Users } from '../../identity/identity.port.js';
import type { OperatorCase } from '../operations.entity.js';
import type { OperatorAct, OperatorProposal } from './acts.entity.js';

export type NamedAct = OperatorAct & {
  readonly operator: string | null;
  readonly confirmer: string | null;
};
export type NamedProposal = OperatorProposal & { readonly proposer: string | null };
export type NamedCase = OperatorCase & { readonly owner: string | null };

@Injectable()
export class OperatorNames {
  constructor(
    private readonly users: Users,
    private readonly database: Database,
  ) {}

  private of(userIds: readonly (string | null)[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(userIds.filter((id) => id !== null))];
    return ids.length > 0 ? this.users.emailsOf(ids, this.database.reads) : Promise.resolve(new Map());
  }

  async acts(acts: readonly OperatorAct[]): Promise<readonly NamedAct[]> {
    const emails = await this.of(acts.flatMap(({ operatorId, confirmedBy }) => [operatorId, confirmedBy]));
    const nameOf = (id: string | null) => emails.get(id ?? '') ?? null;
    return acts.map((act) => ({
      ...act,
      operator: nameOf(act.operatorId),
      confirmer: nameOf(act.confirmedBy),
    }));
  }

  async proposals(proposals: readonly OperatorProposal[]): Promise<readonly NamedProposal[]> {
    const emails = await this.of(proposals.map(({ proposedBy }) => proposedBy));
    return proposals.map((each) => ({ ...each, proposer: emails.get(each.proposedBy) ?? null }));
  }

  async cases(cases: readonly OperatorCase[]): Promise<readonly NamedCase[]> {
    const emails = await this.of(cases.map(({ ownerId }) => ownerId));
    return cases.map((each) => ({ ...each, owner: emails.get(each.ownerId ?? '') ?? null }));
  }
}
