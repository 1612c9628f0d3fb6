import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { InTransaction } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { AccountActed } from '../identity/identity.events.js';
import { Users } from '../identity/identity.port.js';
import { NoticesService } from './notices.service.js';
import { type Settled, settledBy } from './outcomes.domain.js';

const SETTLE = 'notices.settle';

interface Settling extends Settled {
  readonly accountId: string;
  /** Null: an operator, unnamed. */
  readonly userId: string | null;
}

@Injectable()
export class NoticeOutcomes {
  constructor(
    private readonly notices: NoticesService,
    private readonly users: Users,
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {
    jobs.define<readonly Settling[]>(SETTLE, (settled) => this.settle(settled));
  }

  @InTransaction(AccountActed)
  acted(acts: readonly AccountActed[], tx: Tx): void {
    const settled = acts.flatMap((act): Settling[] =>
      settledBy(act).map((each) => ({
        ...each,
        accountId: act.accountId,
        userId: act.isByOperator ? null : act.userId,
      })),
    );
    if (settled.length > 0) this.jobs.schedule(tx, SETTLE, settled);
  }

  private async settle(settled: readonly Settling[]): Promise<void> {
    const userIds = settled.flatMap(({ userId }) => userId ?? []);
    const emails = await this.users.emailsOf([...new Set(userIds)], this.database);
    for (const { accountId, userId, kind, about, outcome } of settled) {
      const by = emails.get(userId ?? '') ?? null;
      await this.notices.endAbout({ accountId, kind, about: about as string, outcome, by });
    }
  }
}
