import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { Business } from './business.entity.js';
import { Businesses } from '../identity/identity.port.js';

/** An absent phone keeps the stored one. */
export interface BusinessDetails {
  readonly name: string;
  readonly contactEmail: string;
  readonly contactPhone: string | null;
}

@Injectable()
export class BusinessStore implements Businesses {
  constructor(private readonly database: Database) {}

  async put(id: string, accountId: string, details: BusinessDetails, tx: Tx): Promise<Business> {
    const businesses = tx.repository(Business);
    // A concurrent first call waits here, then updates.
    const made = await businesses
      .createQueryBuilder()
      .insert()
      .values({ id, accountId, ...details, createdAt: () => `date_trunc('milliseconds', clock_timestamp())` })
      .orIgnore()
      .returning('id')
      .execute();
    if ((made.raw as unknown[]).length === 0) {
      const { contactPhone, ...always } = details;
      await businesses.update({ accountId }, { ...always, ...(contactPhone !== null && { contactPhone }) });
    }
    return businesses.findOneByOrFail({ accountId });
  }

  find(accountId: string, from: Pick<Tx, 'repository'> | Database = this.database): Promise<Business | null> {
    return from.repository(Business).findOneBy({ accountId });
  }

  async of(accountId: string): Promise<Pick<Business, 'id' | 'name'> | null> {
    const found = await this.find(accountId);
    return found && { id: found.id, name: found.name };
  }

  async idOf(accountId: string, tx?: Tx): Promise<string | null> {
    return (await this.find(accountId, tx))?.id ?? null;
  }
}
