import { ApiProperty, OmitType, PickType } from '@nestjs/swagger';
import { About, Amount, Flag, Instant, Optional, Text, TextList, Uuid, Whole } from '../http/fields.js';
import {
  OR_NULL,
  ShownConstant,
  ShownFlag,
  ShownId,
  ShownKobo,
  ShownList,
  ShownObject,
  ShownText,
  ShownTexts,
  ShownTime,
  ShownWhole,
  Success,
} from '../http/shown.js';
import type { Kobo } from '../shared/money.js';

export const WINDOW_DAYS_DEFAULT = 30;
const ALLOWLIST_ENTRIES_MAX = 1_000;

export class CreateWalletBody {
  @About('What the wallet is for.', 'Shopping agent')
  @Text(1, 100)
  name: string;

  @About('The signed-in user.', '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f')
  @Uuid()
  userId: string;

  @About('The most one payment may be, in kobo; at most spendLimitPeriod.', 50_000)
  @Amount()
  spendLimitPerTx: Kobo;

  @About('The most that may be spent within the window, in kobo.', 120_000)
  @Amount()
  spendLimitPeriod: Kobo;

  @Optional()
  @About('Days of the rolling window, 24 hours each.', 30, { default: WINDOW_DAYS_DEFAULT })
  @Whole(1, 3650)
  periodWindowDays?: number | null;

  @About(
    'ISO 8601, in the future; without a zone it is UTC. From then on every payment is blocked.',
    '2027-03-01T00:00:00Z',
  )
  @Instant()
  expiry: Date;

  @Optional()
  @About('Whether only the merchants of the allowlist may be paid.', true, { default: false })
  @Flag()
  useAllowlist?: boolean | null;

  @Optional()
  @About(
    'At least one entry when useAllowlist is true. Compared regardless of case and of spaces around and between words.',
    ['Shoprite', 'Jumia'],
  )
  @TextList(1, 200, ALLOWLIST_ENTRIES_MAX)
  merchantAllowlist?: string[] | null;
}

export class Wallet {
  @ShownId('The wallet; `walletId` everywhere else.')
  id: string;

  @ShownText('What the wallet is for.', 'Shopping agent')
  name: string;

  @ShownId('The owner.')
  userId: string;

  @ShownId("The owner's business; null without one.", OR_NULL)
  businessId: string | null;

  @ShownKobo('What can be spent.', 105_055)
  balance: number;

  @ShownKobo('The most one payment may be.', 50_000, { minimum: 1 })
  spendLimitPerTx: number;

  @ShownKobo('The most that may be spent within the window.', 120_000, { minimum: 1 })
  spendLimitPeriod: number;

  @ShownWhole('Days of the rolling window.', 30, { minimum: 1, maximum: 3650 })
  periodWindowDays: number;

  @ShownTime('From then on every payment is blocked.')
  expiry: Date;

  @ShownTime('Null while the expiry lies ahead, then equal to it.', OR_NULL)
  expiresAt: Date | null;

  @ShownFlag('Whether only the merchants of the allowlist may be paid.', true)
  useAllowlist: boolean;

  @ShownTexts('As supplied; empty when useAllowlist is false.', ['Shoprite', 'Jumia'])
  merchantAllowlist: readonly string[];

  @ShownText(
    '`ACTIVE` right after creation; payments from a wallet of any other status are blocked.',
    'ACTIVE',
  )
  status: string;

  @ApiProperty({ type: 'null', description: 'Always null.', example: null })
  apiKeyHash: null;

  @ShownTime('When the wallet was made.')
  createdAt: Date;

  @ShownTime('When the wallet or its balance last changed.')
  updatedAt: Date;
}

export class VirtualAccount {
  @ShownId('The account on our books.')
  id: string;

  @ShownId('The wallet that is credited.')
  walletId: string;

  @ShownText('Where to transfer money to.', '0000000017', { pattern: '^[0-9]{10}$' })
  accountNumber: string;

  @ShownText('The name that a transfer shows.', 'Shopping agent / ada@example.ng')
  accountName: string;

  @ShownText('The bank of the account.', 'Wema Bank (sandbox)')
  bankName: string;

  @ShownText('Its code.', '035', { pattern: '^[0-9]{3}$' })
  bankCode: string;

  @ShownConstant('NGN')
  currency: 'NGN';

  @ShownText("The bank's own reference.", 'sandbox-1')
  providerRef: string;

  @ShownTime('When the account was issued.')
  createdAt: Date;
}

export class NewApiKey {
  @ShownId('The key.')
  id: string;

  @ShownText('The first 16 characters, safe to display.', 'apw_live_Zm9vYmF')
  keyPrefix: string;

  @ShownText(
    'The whole key. It is shown here and never again: only its hash is kept.',
    'apw_live_Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OWFiY2RlZmdoaWo',
    { pattern: '^apw_live_[A-Za-z0-9_-]{43}$' },
  )
  fullKey: string;

  @ShownId('The wallet that the key pays from.')
  walletId: string;

  @ShownTime('When the key was made.')
  createdAt: Date;
}

export class ApiKey extends PickType(NewApiKey, ['id', 'keyPrefix', 'createdAt']) {}

export class Merchant {
  @ShownId('The merchant, for this wallet.')
  id: string;

  @ShownText('As first supplied.', 'Shoprite')
  name: string;
}

export class CreatedWallet {
  @ShownObject(Wallet, 'The new wallet; its balance is 0.')
  wallet: Wallet;

  @ShownObject(VirtualAccount, 'Money that is transferred here is credited to the wallet.')
  virtualAccount: VirtualAccount;

  @ShownObject(NewApiKey, 'The key of the agent.')
  apiKey: NewApiKey;
}

export class CreatedWalletAnswer extends Success(CreatedWallet) {}

export class WalletDetails {
  @ShownObject(Wallet, 'The wallet.')
  wallet: Wallet;

  @ShownObject(VirtualAccount, 'Its bank account.')
  virtualAccount: VirtualAccount;

  @ShownList(ApiKey, 'Its keys, never in full.')
  apiKeys: readonly ApiKey[];

  @ShownList(Merchant, 'Whom it has paid.')
  merchants: readonly Merchant[];
}

export class WalletAnswer extends Success(WalletDetails) {}

export class ListedWallet extends OmitType(Wallet, ['expiresAt', 'apiKeyHash']) {
  @ShownObject(VirtualAccount, 'Its bank account.')
  virtualAccount: VirtualAccount;

  @ShownList(ApiKey, 'Its keys, never in full.')
  apiKeys: readonly ApiKey[];
}
