import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { AccountActed, UserSignedUp } from '../identity/identity.events.js';
import type { Actor } from '../identity/identity.port.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { nameFromEmail } from './business.domain.js';
import type { Business } from './business.entity.js';
import { type BusinessDetails, BusinessStore } from './business.store.js';

@Injectable()
export class BusinessService {
  constructor(
    private readonly store: BusinessStore,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  onboard({ accountId, userId }: Actor, details: BusinessDetails): Promise<Business> {
    return this.database.transaction(async (tx) => {
      const before = await this.store.find(accountId, tx);
      const business = await this.store.put(newId(), accountId, details, tx);
      const of = ({ name, contactEmail, contactPhone }: Business) => ({ name, contactEmail, contactPhone });
      const changed = { subject: business.id, ...(before && { before: of(before) }), after: of(business) };
      await this.events.publish(
        [new AccountActed({ accountId, userId, act: 'business.changed', ...changed })],
        tx,
      );
      return business;
    });
  }

  of(accountId: string): Promise<Business | null> {
    return this.store.find(accountId);
  }

  @InTransaction(UserSignedUp)
  async openForNewUsers(users: readonly UserSignedUp[], tx: Tx): Promise<void> {
    for (const { userId, email, businessId } of users) {
      if (!businessId) continue;
      await this.store.put(
        businessId,
        userId,
        { name: nameFromEmail(email), contactEmail: email, contactPhone: null },
        tx,
      );
    }
  }
}
