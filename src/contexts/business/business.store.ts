import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { Businesses } from './business.port.js';

/** A business as stored. `contactPhone` is as supplied, null when it never was. */
export interface BusinessRow {
  readonly id: string;
  readonly name: string;
  readonly contactEmail: string;
  readonly contactPhone: string | null;
  readonly createdAt: Date;
}

/** What a user says of a business. An absent phone keeps the one on record. */
export interface BusinessDetails {
  readonly name: string;
  readonly contactEmail: string;
  readonly contactPhone: string | null;
}

const BUSINESS = `id, name, contact_email AS "contactEmail", contact_phone AS "contactPhone", created_at AS "createdAt"`;

@Injectable()
export class BusinessStore extends Businesses {
  constructor(private readonly database: Database) {
    super();
  }

  /** Makes the user's business under `id`, or updates the one there is; a user has one at most. */
  async put(id: string, userId: string, details: BusinessDetails, tx: Tx): Promise<BusinessRow> {
    const [row] = await tx.query<BusinessRow>(
      `INSERT INTO businesses AS b (id, user_id, name, contact_email, contact_phone, created_at)
       VALUES ($1, $2, $3, $4, $5, date_trunc('milliseconds', clock_timestamp()))
       ON CONFLICT (user_id) DO UPDATE SET name = excluded.name, contact_email = excluded.contact_email,
         contact_phone = coalesce(excluded.contact_phone, b.contact_phone)
       RETURNING ${BUSINESS}`,
      [id, userId, details.name, details.contactEmail, details.contactPhone],
    );
    return row as BusinessRow;
  }

  async find(userId: string): Promise<BusinessRow | null> {
    const [row] = await this.database.query<BusinessRow>(
      `SELECT ${BUSINESS} FROM businesses WHERE user_id = $1`,
      [userId],
    );
    return row ?? null;
  }

  async idOf(userId: string): Promise<string | null> {
    const [row] = await this.database.query<{ id: string }>('SELECT id FROM businesses WHERE user_id = $1', [
      userId,
    ]);
    return row?.id ?? null;
  }
}
