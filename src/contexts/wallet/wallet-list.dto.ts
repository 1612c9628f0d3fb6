import { OmitType } from '@nestjs/swagger';
import type { PageRequest } from '../../kernel/page.js';
import { ChosenWalletsQuery } from '../../platform/http/api/chosen-wallets.js';
import { PAGE_SIZE_DEFAULT, PageNumber, PageOf, PageSize } from '../../platform/http/api/pagination.js';
import { Parameter, WordParameter, wordsOf } from '../../platform/http/api/query.js';
import {
  ApiEnumProperty,
  ApiIdProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  ListOf,
} from '../../platform/http/api/response-properties.js';
import {
  ApiKeyView,
  presentKey,
  presentWallet,
  SUSPENDED_ALL_AT_MEANS,
  VirtualAccountView,
  WalletView,
  WALLET_STATUSES,
} from './wallet.dto.js';
import type { WalletStatus } from './wallet.events.js';
import type { Wallet } from './wallet.entity.js';
import { WALLET_SORTS } from './wallet.store.js';

export class WalletListQuery extends ChosenWalletsQuery implements PageRequest {
  @Parameter((query, field) => wordsOf(query, field, WALLET_STATUSES), {
    description: `Of these statuses alone: some of ${WALLET_STATUSES.join(', ')}, with commas between them.`,
    type: 'string',
  })
  readonly status: ReadonlySet<WalletStatus> | null = null;

  @WordParameter(WALLET_SORTS, 'The order; a minus turns it around.', WALLET_SORTS[0])
  readonly sort: (typeof WALLET_SORTS)[number] = WALLET_SORTS[0];

  @PageNumber()
  readonly page: number = 1;

  @PageSize()
  readonly pageSize: number = PAGE_SIZE_DEFAULT;
}

export class ListedWalletResponse extends OmitType(WalletView, ['expiresAt', 'apiKeyHash']) {
  @ApiObjectProperty(VirtualAccountView, 'Its bank account.')
  virtualAccount: VirtualAccountView;

  @ApiListProperty(ApiKeyView, 'Its keys, never in full.')
  apiKeys: readonly ApiKeyView[];
}

export class WalletsResponse extends PageOf(ListedWalletResponse) {}

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

export class WalletNamesResponse extends ListOf(WalletName, 'Of each wallet, by name.') {}

export function presentListedWallet(each: {
  readonly wallet: Wallet & { readonly businessId: string | null };
  readonly virtualAccount: VirtualAccountView;
  readonly apiKeys: readonly ApiKeyView[];
}): ListedWalletResponse {
  const { expiresAt: _, apiKeyHash: __, ...wallet } = presentWallet(each.wallet);
  return { ...wallet, virtualAccount: each.virtualAccount, apiKeys: each.apiKeys.map(presentKey) };
}

export function presentName({
  id,
  name,
  status,
  suspendedAllAt,
}: Pick<Wallet, 'id' | 'name' | 'status' | 'suspendedAllAt'>): WalletName {
  return { id, name, status, ...(suspendedAllAt && { suspendedAllAt }) };
}
