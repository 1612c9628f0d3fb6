import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../platform/http/api/operation.js';
import { StrictQuery } from '../../platform/http/api/strict-query.js';
import { chosenWallets } from '../../platform/http/api/chosen-wallets.js';
import { paginated } from '../../platform/http/api/pagination.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import {
  presentListedWallet,
  presentName,
  WalletNamesResponse,
  WalletsResponse,
  WalletListQuery,
} from './wallet-list.dto.js';
import { WalletService } from './wallet.service.js';

@ApiTags('wallets')
@Controller('v1/wallets')
@Authenticated()
export class WalletListController {
  constructor(private readonly wallets: WalletService) {}

  @Get()
  @StrictQuery(WalletListQuery)
  @Can('wallets.read')
  @Operation({
    id: 'searchWallets',
    summary: 'List and search the wallets of the account',
    description: 'Newest first unless told otherwise.',
    answers: WalletsResponse,
  })
  async list(
    @Query() query: WalletListQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<WalletsResponse> {
    const asked = { ...chosenWallets(query), statuses: query.status, sort: query.sort };
    const { rows, total } = await this.wallets.search(accountId, asked, query);
    return paginated(query, { rows: rows.map(presentListedWallet), total });
  }

  @Get('names')
  @StrictQuery()
  @Can('wallets.read')
  @Operation({
    id: 'listWalletNames',
    summary: 'List the names of the wallets of the account',
    description:
      'All of them by name, with nothing else of them: to choose one, or to name the wallet of a payment.',
    answers: WalletNamesResponse,
  })
  async names(@Session() { accountId }: SessionUser): Promise<WalletNamesResponse> {
    const labels = await this.wallets.labels(accountId);
    return { success: true, data: labels.map(presentName) };
  }
}
