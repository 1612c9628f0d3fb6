import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { violates } from '../../../platform/database/failures.js';
import { RowStatement } from '../../../platform/database/row-statement.js';
import type { Kobo } from '../../../kernel/money.js';
import type { Collection, Payout } from '../bank.port.js';
import { SandboxAccount, SandboxCollection } from './sandbox.entity.js';

const addPayouts = (onConflict: string) =>
  new RowStatement<Omit<Payout, 'narration' | 'sendBefore' | 'requestId' | 'traceParent'>>(
    'sandbox_payouts',
    { reference: 'uuid', amount: 'bigint', bankCode: 'text', accountNumber: 'text' },
    (rows) => `INSERT INTO sandbox_payouts (reference, amount, bank_code, account_number, accepted_at)
     SELECT r.reference, r.amount, r.bankCode, r.accountNumber, clock_timestamp() FROM ${rows} ${onConflict}`,
  );
const ADD_NEW_PAYOUTS = addPayouts('');
const ADD_MISSING_PAYOUTS = addPayouts('ON CONFLICT DO NOTHING');

@Injectable()
export class SandboxStore {
  constructor(private readonly database: Database) {}

  async addAccount(accountReference: string, accountName: string): Promise<void> {
    const accounts = this.database.repository(SandboxAccount).createQueryBuilder();
    await accounts.insert().values({ accountReference, accountName }).orIgnore().execute();
  }

  findAccount(by: { accountReference: string } | { serial: number }): Promise<SandboxAccount | null> {
    return this.database.repository(SandboxAccount).findOneBy(by);
  }

  /** Repeats are rare, and refused by the primary key. */
  async addPayouts(payouts: readonly Payout[]): Promise<void> {
    try {
      await this.database.writeRows(ADD_NEW_PAYOUTS, payouts);
    } catch (error) {
      if (!violates(error, 'sandbox_payouts_pkey')) throw error;
      await this.database.writeRows(ADD_MISSING_PAYOUTS, payouts);
    }
  }

  /** Age by the database's clock. */
  async findPayout(reference: string): Promise<{ accountNumber: string; ageMs: number } | undefined> {
    const [payout] = await this.database.query<{ accountNumber: string; ageMs: number }>(
      `SELECT account_number AS "accountNumber", (extract(epoch FROM clock_timestamp() - accepted_at) * 1000)::bigint AS "ageMs"
         FROM sandbox_payouts WHERE reference = $1`,
      [reference],
    );
    return payout;
  }

  async addCollection(reference: string, accountNumber: string, amount: Kobo): Promise<void> {
    await this.database
      .repository(SandboxCollection)
      .createQueryBuilder()
      .insert()
      .values({
        reference,
        accountNumber,
        amount,
        narration: 'Sandbox transfer',
        at: () => `date_trunc('milliseconds', clock_timestamp())`,
      })
      .execute();
  }

  findCollection(reference: string): Promise<Collection | undefined> {
    return this.collections().where('c.reference = :reference', { reference }).getRawOne<Collection>();
  }

  /** After the reference `after`. */
  collectionsPage(
    page: { accountNumber: string; from: Date; to: Date; after: string },
    limit: number,
  ): Promise<Collection[]> {
    return this.collections()
      .where('c.accountNumber = :accountNumber AND c.at >= :from AND c.at < :to', page)
      .andWhere('c.reference > :after', page)
      .orderBy('c.reference')
      .limit(limit)
      .getRawMany<Collection>();
  }

  private collections() {
    return this.database
      .repository(SandboxCollection)
      .createQueryBuilder('c')
      .innerJoin(SandboxAccount, 'a', 'a.serial = left(c.accountNumber, 9)::bigint')
      .select('c.reference', 'reference')
      .addSelect('a.accountReference', 'accountReference')
      .addSelect('c.amount', 'amount')
      .addSelect(`'NGN'`, 'currency')
      .addSelect('c.narration', 'narration')
      .addSelect('c.at', 'at');
  }
}
