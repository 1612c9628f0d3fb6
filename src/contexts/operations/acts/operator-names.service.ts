import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Users } from '../../identity/identity.port.js';
import { presentAct, presentProposal, type ShownAct, type ShownProposal } from './acts.dto.js';
import type { OperatorAct, OperatorProposal } from './acts.entity.js';

@Injectable()
export class OperatorNames {
  constructor(
    private readonly users: Users,
    private readonly database: Database,
  ) {}

  of(userIds: readonly (string | null)[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(userIds.filter((id) => id !== null))];
    return ids.length > 0 ? this.users.emailsOf(ids, this.database.reads) : Promise.resolve(new Map());
  }

  async acts(acts: readonly OperatorAct[]): Promise<readonly ShownAct[]> {
    const emails = await this.of(acts.flatMap(({ operatorId, confirmedBy }) => [operatorId, confirmedBy]));
    return acts.map((act) => presentAct(act, emails));
  }

  async proposals(proposals: readonly OperatorProposal[]): Promise<readonly ShownProposal[]> {
    const emails = await this.of(proposals.map(({ proposedBy }) => proposedBy));
    return proposals.map((proposal) => presentProposal(proposal, emails));
  }
}
