import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { pageRequest, paginated } from '../http/pagination.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import type { SessionUser } from '../identity/identity.contract.js';
import { Wallets } from '../wallet/wallet.contract.js';
import { LedgerStore } from './ledger.store.js';

@ApiTags('ledger')
@Controller('api')
@NeedsSession()
export class LedgerController {
  constructor(
    private readonly ledger: LedgerStore,
    private readonly wallets: Wallets,
  ) {}

  @Get('wallets/:walletId/ledgers')
  @ApiOperation({ summary: 'List the ledger entries of a wallet' })
  async ofWallet(
    @Param('walletId') walletId: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<object> {
    const request = pageRequest(query);
    const { id } = await this.wallets.requireOwned(walletId, userId);
    return paginated(request, await this.ledger.page(id, request));
  }

  @Get('ledger')
  @ApiOperation({ summary: 'List the ledger entries of all wallets of the signed-in user' })
  async ofUser(@Query() query: Record<string, unknown>, @Session() session: SessionUser): Promise<object> {
    const request = pageRequest(query);
    const walletIds = await this.wallets.idsOwnedBy(session.isOperator ? null : session.userId);
    return paginated(request, await this.ledger.pageOfMany(walletIds, request));
  }
}
