import { Injectable } from '@nestjs/common';
import { merchantIdentity } from '../../kernel/text.js';
import { Database } from '../../platform/database/database.js';
import { Users } from '../identity/identity.port.js';
import type { Role } from '../identity/permissions.port.js';
import { type FoundPayment, PaymentSearch } from '../payments/payments.port.js';
import { Wallets } from '../wallet/wallet.port.js';
import {
  type NamedKey,
  type NamedPayee,
  type NamedWallet,
  WalletSearch,
} from '../wallet/wallet-search.port.js';

export interface FoundMember {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
}

export interface Found {
  readonly wallets: readonly NamedWallet[];
  readonly payments: readonly FoundPayment[];
  readonly keys: readonly NamedKey[];
  readonly payees: readonly NamedPayee[];
  readonly members: readonly FoundMember[];
  readonly walletNames: ReadonlyMap<string, string>;
}

@Injectable()
export class AccountSearchService {
  constructor(
    private readonly search: WalletSearch,
    private readonly wallets: Wallets,
    private readonly payments: PaymentSearch,
    private readonly users: Users,
    private readonly database: Database,
  ) {}

  /** `limit`: of each kind. */
  async find(accountId: string, words: string, limit: number): Promise<Found> {
    const sought = { accountId, text: merchantIdentity(words), limit };
    const [wallets, keys, payees, members, payments] = await Promise.all([
      this.search.wallets(sought),
      this.search.keys(sought),
      this.search.payees(sought),
      this.members(accountId, sought.text, limit),
      this.payments.newestNamed(accountId, words, limit),
    ]);
    const walletIds = new Set([...keys, ...payees, ...payments].map(({ walletId }) => walletId));
    const walletNames = await this.wallets.namesOf([...walletIds]);
    return { wallets, keys, payees, members, payments, walletNames };
  }

  private async members(accountId: string, text: string, limit: number): Promise<FoundMember[]> {
    const members = await this.users.membersOf([accountId]);
    const emails = await this.users.emailsOf(
      members.map(({ userId }) => userId),
      this.database.reads,
    );
    return members
      .map(({ userId, role }) => ({ userId, role, email: emails.get(userId) ?? '' }))
      .filter(({ email }) => email.includes(text))
      .slice(0, limit);
  }
}
