import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { UserSignedUp } from '../identity/identity.events.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { InTransaction } from '../../platform/events/events.js';
import { nameFromEmail } from './business.domain.js';
import type { Business } from './business.entity.js';
import { type BusinessDetails, BusinessStore } from './business.store.js';

@Injectable()
export class BusinessService {
  constructor(
    private readonly store: BusinessStore,
    private readonly database: Database,
  ) {}

  onboard(accountId: string, details: BusinessDetails): Promise<Business> {
    return this.database.transaction((tx) => this.store.put(newId(), accountId, details, tx));
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
