import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { InvitationExpired } from '../identity.events.js';
import { InvitationsStore } from './invitations.store.js';

const EXPIRED_AT_ONCE_MAX = 500;

@Injectable()
export class InvitationExpiry {
  constructor(
    private readonly store: InvitationsStore,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
  ) {
    jobs.daily('identity.record-expired-invitations-daily', '03:40', () => this.record());
  }

  async record(): Promise<void> {
    let recorded: number;
    do {
      recorded = await this.database.transaction(async (tx) => {
        const expired = await this.store.recordExpired(EXPIRED_AT_ONCE_MAX, tx);
        await this.events.publish(
          expired.map((invitation) => new InvitationExpired(invitation)),
          tx,
        );
        return expired.length;
      });
    } while (recorded === EXPIRED_AT_ONCE_MAX);
  }
}
