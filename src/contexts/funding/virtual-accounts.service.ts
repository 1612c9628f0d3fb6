import { Injectable } from '@nestjs/common';
import { newId } from '../../kernel/ids.js';
import type { Tx } from '../../platform/database/tx.js';
import { InTransaction } from '../../platform/events/events.js';
import { Bank } from '../bank/bank.port.js';
import { WalletCreated } from '../wallet/wallet.events.js';
import { type IssuedVirtualAccount, type VirtualAccount, VirtualAccounts } from './funding.port.js';
import { VirtualAccountsStore } from './virtual-accounts.store.js';

@Injectable()
export class VirtualAccountsService extends VirtualAccounts {
  constructor(
    private readonly store: VirtualAccountsStore,
    private readonly bank: Bank,
  ) {
    super();
  }

  async issue(wallet: { id: string; name: string; ownerEmail: string }): Promise<IssuedVirtualAccount> {
    const account = await this.bank.issueVirtualAccount({
      accountReference: wallet.id,
      accountName: wallet.name,
      customer: { name: wallet.name, email: wallet.ownerEmail },
    });
    return { id: newId(), walletId: wallet.id, currency: 'NGN', ...account };
  }

  of(walletIds: readonly string[]): Promise<readonly VirtualAccount[]> {
    return this.store.of(walletIds);
  }

  /** A wallet that can't be funded is none: what fails here undoes its creation. */
  @InTransaction(WalletCreated)
  async open(wallets: readonly WalletCreated[], tx: Tx): Promise<void> {
    await this.store.add(
      wallets.map(({ virtualAccount }) => virtualAccount),
      tx,
    );
  }
}
