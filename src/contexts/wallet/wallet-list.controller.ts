import { Controller, Get, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { Operation } from '../../platform/http/operation.js';
import { Paged, pageRequest, paginated } from '../../platform/http/pagination.js';
import { textOf, wordOf, wordsOf } from '../../platform/http/query.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Session } from '../identity/session.guard.js';
import { presentListedWallet, WalletPage } from './wallet-list.dto.js';
import type { WalletStatus } from './wallet.events.js';
import { WalletService } from './wallet.service.js';
import { WALLET_SORTS } from './wallet.store.js';

const NAME_MAX = 100;
const STATUSES: readonly WalletStatus[] = ['ACTIVE', 'SUSPENDED', 'CLOSED'];

@ApiTags('wallets')
@Controller('v1/wallets')
@Authenticated()
export class WalletListController {
  constructor(private readonly wallets: WalletService) {}

  @Get()
  @ApiQuery({
    name: 'status',
    required: false,
    description: `Of these statuses alone: some of ${STATUSES.join(', ')}, with commas between them.`,
    schema: { type: 'string' },
  })
  @ApiQuery({
    name: 'sort',
    required: false,
    description: 'The order; a minus turns it around.',
    schema: { type: 'string', enum: [...WALLET_SORTS], default: WALLET_SORTS[0] },
  })
  @ApiQuery({
    name: 'search',
    required: false,
    description: 'Part of the name, regardless of case.',
    schema: { type: 'string', minLength: 1, maxLength: NAME_MAX },
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
      text: textOf(query, 'search', NAME_MAX)?.toLowerCase() ?? null,
      statuses: wordsOf(query, 'status', STATUSES),
      sort: wordOf(query, 'sort', WALLET_SORTS) ?? WALLET_SORTS[0],
    };
    const { rows, total } = await this.wallets.search(userId, asked, request);
    return paginated(request, { rows: rows.map(presentListedWallet), total });
  }
}
