import { Controller, Get, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { Operation } from '../../platform/http/api/operation.js';
import { StrictQuery } from '../../platform/http/api/strict-query.js';
import { ChosenWallets, chosenWallets } from '../../platform/http/api/chosen-wallets.js';
import { Paged, pageRequest, paginated } from '../../platform/http/api/pagination.js';
import { wordOf, wordsOf } from '../../platform/http/api/query.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Session } from '../identity/session.guard.js';
import { WALLET_STATUSES } from './wallet.dto.js';
import { presentListedWallet, presentName, WalletNamesResponse, WalletPage } from './wallet-list.dto.js';
import { WalletService } from './wallet.service.js';
import { WALLET_SORTS } from './wallet.store.js';

@ApiTags('wallets')
@Controller('v1/wallets')
@Authenticated()
export class WalletListController {
  constructor(private readonly wallets: WalletService) {}

  @Get()
  @StrictQuery()
  @ChosenWallets()
  @ApiQuery({
    name: 'status',
    required: false,
    description: `Of these statuses alone: some of ${WALLET_STATUSES.join(', ')}, with commas between them.`,
    schema: { type: 'string' },
  })
  @ApiQuery({
    name: 'sort',
    required: false,
    description: 'The order; a minus turns it around.',
    schema: { type: 'string', enum: [...WALLET_SORTS], default: WALLET_SORTS[0] },
  })
  @Paged()
  @Operation({
    id: 'searchWallets',
    summary: 'List and search the wallets of the signed-in user',
    description: 'Newest first unless told otherwise.',
    answers: WalletPage,
    errors: ['VALIDATION_ERROR'],
  })
  async list(
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<WalletPage> {
    const request = pageRequest(query);
    const asked = {
      ...chosenWallets(query),
      statuses: wordsOf(query, 'status', WALLET_STATUSES),
      sort: wordOf(query, 'sort', WALLET_SORTS) ?? WALLET_SORTS[0],
    };
    const { rows, total } = await this.wallets.search(userId, asked, request);
    return paginated(request, { rows: rows.map(presentListedWallet), total });
  }

  @Get('names')
  @StrictQuery()
  @Operation({
    id: 'listWalletNames',
    summary: 'List what the wallets of the signed-in user are called',
    description:
      'All of them by name, with nothing else of them: to choose one, or to name the wallet of a payment.',
    answers: WalletNamesResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async names(@Session() { userId }: SessionUser): Promise<WalletNamesResponse> {
    const labels = await this.wallets.labels(userId);
    return { success: true, data: labels.map(presentName) };
  }
}
