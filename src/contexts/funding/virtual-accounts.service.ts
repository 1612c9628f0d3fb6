import { Injectable, Logger } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import { AppError } from '../../kernel/errors.js';
import { Database } from '../../platform/database/database.js';
import { violates } from '../../platform/database/failures.js';
import type { Tx } from '../../platform/database/tx.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { Bank } from '../bank/bank.port.js';
import { CaseOpened } from '../operations/operations.events.js';
import { WalletCreated } from '../wallet/wallet.events.js';
import {
  type IssuedVirtualAccount,
  type NewAccount,
  type WalletVirtualAccount,
  VirtualAccounts,
} from './funding.port.js';
import { VirtualAccountsStore } from './virtual-accounts.store.js';

const ACCOUNT_NAME_MAX = 100;

@Injectable()
export class VirtualAccountsService implements VirtualAccounts {
  private readonly log = new Logger(VirtualAccountsService.name);

  constructor(
    private readonly store: VirtualAccountsStore,
    private readonly bank: Bank,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  async issue({ id, name, ownerEmail, businessName }: NewAccount): Promise<IssuedVirtualAccount> {
    const holder = businessName === null ? name : `${businessName} / ${name}`;
    const account = await this.bank.issueVirtualAccount({
      accountReference: id,
      accountName: Array.from(holder).slice(0, ACCOUNT_NAME_MAX).join(''),
      customer: { name: businessName ?? name, email: ownerEmail },
    });
    return { id: newId(), walletId: id, currency: 'NGN', ...account };
  }

  async refusalOf(error: unknown, issued: IssuedVirtualAccount): Promise<unknown> {
    if (!violates(error, 'virtual_accounts_bank_code_account_number_key')) return error;
    try {
      await this.openIssuedTwice(issued);
    } catch (failure) {
      this.log.error(
        { err: failure, providerRef: issued.providerRef },
        'the bank issued an account number twice, and the case of it was not opened',
      );
    }
    return new AppError(
      'BANK_UNAVAILABLE',
      'The bank issued an account number that is in use already. No wallet was made: try again later.',
    );
  }

  private async openIssuedTwice(issued: IssuedVirtualAccount): Promise<void> {
    const { accountNumber, bankCode, providerRef } = issued;
    const opened = new CaseOpened({
      kind: 'account-issued-twice',
      subject: `${bankCode} ${accountNumber}`,
      walletId: await this.store.holderOf(issued),
      description: `the bank issued it again, as ${providerRef}; the wallet that has it keeps it, no other was made`,
      reopens: true,
    });
    await this.database.transaction((tx) => this.events.publish([opened], tx));
  }

  of(walletIds: readonly string[]): Promise<readonly WalletVirtualAccount[]> {
    return this.store.of(walletIds);
  }

  /** A failure here undoes the wallet's creation. */
  @InTransaction(WalletCreated)
  async open(wallets: readonly WalletCreated[], tx: Tx): Promise<void> {
    await this.store.add(
      wallets.map(({ virtualAccount }) => virtualAccount),
      tx,
    );
  }
}
