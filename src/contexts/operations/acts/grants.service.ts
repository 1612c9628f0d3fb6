import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type OperatedUser, Operators } from '../../identity/operators/operators.port.js';
import { ActsStore } from './acts.store.js';

@Injectable()
export class OperatorGrants {
  constructor(
    private readonly operators: Operators,
    private readonly acts: ActsStore,
    private readonly database: Database,
  ) {}

  list(): Promise<readonly OperatedUser[]> {
    return this.operators.list();
  }

  set(email: string, isOperator: boolean, reason: string): Promise<string | null> {
    return this.database.transaction(async (tx) => {
      const user = await this.operators.lock(email, tx);
      if (!user) return `nobody is registered as ${email}: they sign up first`;
      if (isOperator && !user.hasTwoFactor) {
        return `${email} has no two-factor authentication: they turn it on in Settings, Security first`;
      }
      if (user.isOperator === isOperator) return null;
      await this.operators.setOperator(user.id, isOperator, tx);
      await this.acts.record(
        {
          operatorId: null,
          confirmedBy: null,
          act: isOperator ? 'operator.grant' : 'operator.revoke',
          subject: user.id,
          caseId: null,
          amount: null,
          reason,
          before: { isOperator: user.isOperator },
          after: { isOperator },
        },
        tx,
      );
      return null;
    });
  }
}
