import { Injectable } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { isUuid } from '../../kernel/text.js';
import { VirtualAccount } from './funding.entity.js';

@Injectable()
export class VirtualAccountsStore {
  constructor(private readonly database: Database) {}

  async add(accounts: readonly VirtualAccount[], tx: Tx): Promise<void> {
    await tx.repository(VirtualAccount).insert([...accounts]);
  }

  async holderOf({
    bankCode,
    accountNumber,
  }: Pick<VirtualAccount, 'bankCode' | 'accountNumber'>): Promise<string | null> {
    const account = await this.database.repository(VirtualAccount).findOneBy({ bankCode, accountNumber });
    return account?.walletId ?? null;
  }

  of(walletIds: readonly string[]): Promise<VirtualAccount[]> {
    return this.database.repository(VirtualAccount).findBy({ walletId: In([...walletIds]) });
  }

  /** By wallet id, after `after`. */
  after(after: string | null, limit: number): Promise<VirtualAccount[]> {
    return this.database.repository(VirtualAccount).find({
      where: after === null ? {} : { walletId: MoreThan(after) },
      order: { walletId: 'ASC' },
      take: limit,
    });
  }

  count(): Promise<number> {
    return this.database.repository(VirtualAccount).count();
  }

  /** On the path of every credit. */
  async findExistingIds(accountReferences: readonly string[], tx: Tx): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }>(
      'SELECT wallet_id AS id FROM virtual_accounts WHERE wallet_id = ANY ($1)',
      [accountReferences.filter(isUuid)],
    );
    return new Set(rows.map(({ id }) => id));
  }
}
