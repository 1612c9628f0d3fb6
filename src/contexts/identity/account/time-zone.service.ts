import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed } from '../identity.events.js';
import type { Actor } from '../identity.port.js';
import { IdentityStore } from '../identity.store.js';

@Injectable()
export class TimeZoneService {
  constructor(
    private readonly store: IdentityStore,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  of(accountId: string): Promise<string> {
    return this.store.timeZoneOf(accountId);
  }

  /** Throws `VALIDATION_ERROR`. */
  async change({ accountId, userId }: Actor, timeZone: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const before = await this.store.setTimeZone(accountId, timeZone, tx);
      if (before === timeZone) return;
      const acted = { accountId, userId, act: 'account.time-zone-changed', subject: accountId };
      const change = { before: { timeZone: before }, after: { timeZone } };
      await this.events.publish([new AccountActed({ ...acted, ...change })], tx);
    });
  }
}
