import { OmitType } from '@nestjs/swagger';
import { PageOf } from '../../platform/http/api/pagination.js';
import {
  ApiEnumProperty,
  ApiConstantProperty,
  ApiIdProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
} from '../../platform/http/api/response-properties.js';
import {
  ApiKey,
  presentKey,
  presentWallet,
  SUSPENDED_ALL_AT_MEANS,
  VirtualAccount,
  Wallet,
  WALLET_STATUSES,
} from './wallet.dto.js';
import type { WalletStatus } from './wallet.events.js';
import type { Wallet as StoredWallet } from './wallet.entity.js';

export class ListedWallet extends OmitType(Wallet, ['expiresAt', 'apiKeyHash']) {
  @ApiObjectProperty(VirtualAccount, 'Its bank account.')
  virtualAccount: VirtualAccount;

  @ApiListProperty(ApiKey, 'Its keys, never in full.')
  apiKeys: readonly ApiKey[];
}

export class WalletPage extends PageOf(ListedWallet) {}

export class WalletName {
  @ApiIdProperty('The wallet.')
  id: string;

  @ApiTextProperty('What it is called.', 'Groceries agent')
  name: string;

  @ApiEnumProperty(WALLET_STATUSES, 'Whether it pays.')
  status: WalletStatus;

  @ApiTimeProperty(SUSPENDED_ALL_AT_MEANS, { required: false })
  suspendedAllAt?: Date;
}

export class WalletNamesResponse {
  @ApiConstantProperty(true)
  success: true;

  @ApiListProperty(WalletName, 'Of each wallet, by name.')
  data: readonly WalletName[];
}

export function presentListedWallet(each: {
  readonly wallet: StoredWallet & { readonly businessId: string | null };
  readonly virtualAccount: VirtualAccount;
  readonly apiKeys: readonly ApiKey[];
}): ListedWallet {
  const { expiresAt: _, apiKeyHash: __, ...wallet } = presentWallet(each.wallet);
  return { ...wallet, virtualAccount: each.virtualAccount, apiKeys: each.apiKeys.map(presentKey) };
}

export function presentName({
  id,
  name,
  status,
  suspendedAllAt,
}: Pick<StoredWallet, 'id' | 'name' | 'status' | 'suspendedAllAt'>): WalletName {
  return { id, name, status, ...(suspendedAllAt && { suspendedAllAt }) };
}
