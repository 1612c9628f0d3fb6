import { ApiProperty, PickType } from '@nestjs/swagger';
import {
  OR_NULL,
  ApiEnumProperty,
  ApiConstantProperty,
  ApiBooleanProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiStringsProperty,
  ApiTimeProperty,
  ApiIntegerProperty,
  Success,
} from '../../platform/http/api/response-properties.js';
import type { Wallet } from './wallet.entity.js';
import type { WalletStatus } from './wallet.events.js';
import { holdsOf } from './wallet.port.js';
import { ShownControls } from './wallet-settings.dto.js';

export const WALLET_STATUSES: readonly WalletStatus[] = ['ACTIVE', 'SUSPENDED', 'CLOSED'];

export const SUSPENDED_ALL_AT_MEANS =
  'When `suspendAllWallets` suspended it, as long as it stays suspended; absent where its owner suspended it alone.';

export class WalletView extends ShownControls {
  @ApiIdProperty('The wallet; `walletId` everywhere else.')
  id: string;

  @ApiTextProperty('What the wallet is for.', 'Shopping agent')
  name: string;

  @ApiIdProperty('Who made it.')
  userId: string;

  @ApiIdProperty("The owner's business; null without one.", OR_NULL)
  businessId: string | null;

  @ApiKoboProperty(
    'The money in the wallet. Where some of it is held, `available` is what can be spent.',
    105_055,
  )
  balance: number;

  @ApiKoboProperty('The most one payment may be.', 50_000, { minimum: 1 })
  spendLimitPerTx: number;

  @ApiKoboProperty('The most that may be spent within the window.', 120_000, { minimum: 1 })
  spendLimitPeriod: number;

  @ApiIntegerProperty('Days of the rolling window.', 30, { minimum: 1, maximum: 3650 })
  periodWindowDays: number;

  @ApiTimeProperty('From then on every payment is blocked.')
  expiry: Date;

  @ApiTimeProperty('Null while the expiry lies ahead, then equal to it.', OR_NULL)
  expiresAt: Date | null;

  @ApiBooleanProperty('Whether only the merchants of the allowlist may be paid.', true)
  useAllowlist: boolean;

  @ApiStringsProperty('As supplied; empty when useAllowlist is false.', ['Shoprite', 'Jumia'])
  merchantAllowlist: readonly string[];

  @ApiEnumProperty(
    WALLET_STATUSES,
    '`ACTIVE` right after creation; payments from a wallet of any other status are blocked. `CLOSED` is final.',
  )
  status: WalletStatus;

  @ApiTimeProperty(SUSPENDED_ALL_AT_MEANS, { required: false })
  suspendedAllAt?: Date;

  @ApiIntegerProperty('Counts the changes of the wallet, but not those of its balance; also the `ETag`.', 1, {
    minimum: 1,
  })
  version: number;

  @ApiKoboProperty('What payments hold that wait for approval; there where they can.', 40_000, {
    required: false,
  })
  held?: number;

  @ApiKoboProperty('The balance less what is held; there together with it.', 65_055, { required: false })
  available?: number;

  @ApiProperty({ type: 'null', description: 'Always null.', example: null })
  apiKeyHash: null;

  @ApiTimeProperty('When the wallet was made.')
  createdAt: Date;

  @ApiTimeProperty('When the wallet or its balance last changed.')
  updatedAt: Date;
}

export class VirtualAccountView {
  @ApiIdProperty('The account on our books.')
  id: string;

  @ApiIdProperty('The wallet that is credited.')
  walletId: string;

  @ApiTextProperty('Where to transfer money to.', '0000000017', { pattern: '^[0-9]{10}$' })
  accountNumber: string;

  @ApiTextProperty('The name that a transfer shows.', 'Shopping agent / ada@example.ng')
  accountName: string;

  @ApiTextProperty('The bank of the account.', 'Wema Bank (sandbox)')
  bankName: string;

  @ApiTextProperty('Its code.', '035', { pattern: '^[0-9]{3}$' })
  bankCode: string;

  @ApiConstantProperty('NGN')
  currency: 'NGN';

  @ApiTextProperty("The bank's own reference.", 'sandbox-1')
  providerRef: string;

  @ApiTimeProperty('When the account was issued.')
  createdAt: Date;
}

export class NewApiKey {
  @ApiIdProperty('The key.')
  id: string;

  @ApiTextProperty('The first 16 characters, safe to display.', 'apw_live_Zm9vYmF')
  keyPrefix: string;

  @ApiTextProperty(
    'The whole key. It is shown here and never again: only its hash is kept.',
    'apw_live_Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OWFiY2RlZmdoaWo',
    { pattern: '^apw_live_[A-Za-z0-9_-]{43}$' },
  )
  fullKey: string;

  @ApiIdProperty('The wallet that the key pays from.')
  walletId: string;

  @ApiTimeProperty('When the key was made.')
  createdAt: Date;
}

export class ApiKeyView extends PickType(NewApiKey, ['id', 'keyPrefix', 'createdAt']) {}

export class Merchant {
  @ApiIdProperty('The merchant, for this wallet.')
  id: string;

  @ApiTextProperty('As first supplied.', 'Shoprite')
  name: string;
}

class WalletDetails {
  @ApiObjectProperty(WalletView, 'The wallet.')
  wallet: WalletView;

  @ApiObjectProperty(VirtualAccountView, 'Its bank account.')
  virtualAccount: VirtualAccountView;

  @ApiListProperty(ApiKeyView, 'Its keys, never in full.')
  apiKeys: readonly ApiKeyView[];

  @ApiListProperty(Merchant, 'The merchants that it has paid.')
  merchants: readonly Merchant[];
}

export class WalletResponse extends Success(WalletDetails) {}

export function presentWallet(wallet: Wallet & { readonly businessId: string | null }): WalletView {
  return {
    id: wallet.id,
    name: wallet.name,
    userId: wallet.madeByUserId ?? wallet.accountId,
    businessId: wallet.businessId,
    balance: wallet.balance,
    spendLimitPerTx: wallet.spendLimitPerTx,
    spendLimitPeriod: wallet.spendLimitPeriod,
    periodWindowDays: wallet.periodWindowDays,
    expiry: wallet.expiry,
    expiresAt: wallet.expired ? wallet.expiry : null,
    useAllowlist: wallet.useAllowlist,
    merchantAllowlist: wallet.merchantAllowlist,
    status: wallet.status,
    ...(wallet.suspendedAllAt && { suspendedAllAt: wallet.suspendedAllAt }),
    version: wallet.version,
    ...wallet.controls,
    ...holdsOf(wallet),
    apiKeyHash: null,
    createdAt: wallet.createdAt,
    updatedAt: wallet.updatedAt,
  };
}

export function presentKey({ id, keyPrefix, createdAt }: ApiKeyView): ApiKeyView {
  return { id, keyPrefix, createdAt };
}
