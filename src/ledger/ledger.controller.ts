import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../http/operation.js';
import { Paged, pageRequest, paginated } from '../http/pagination.js';
import { NeedsSession, Session } from '../http/session.guard.js';
import type { SessionUser } from '../identity/identity.contract.js';
import { Wallets } from '../wallet/wallet.contract.js';
import { LedgerPage } from './ledger.api.js';
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
  @WalletIdParam()
  @Paged()
  @Operation({
    id: 'listWalletLedger',
    summary: 'List the ledger entries of a wallet',
    description: 'Every change of the balance, newest first.',
    answers: LedgerPage,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async ofWallet(
    @Param('walletId') walletId: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<LedgerPage> {
    const request = pageRequest(query);
    const { id } = await this.wallets.requireOwned(walletId, userId);
    return paginated(request, await this.ledger.page(id, request));
  }

  @Get('ledger')
  @Paged()
  @Operation({
    id: 'listLedger',
    summary: 'List the ledger entries of all wallets of the signed-in user',
    description:
      'The entries of every wallet the user owns, newest first; an operator sees those of every wallet.',
    answers: LedgerPage,
    errors: ['VALIDATION_ERROR'],
  })
  async ofUser(
    @Query() query: Record<string, unknown>,
    @Session() session: SessionUser,
  ): Promise<LedgerPage> {
    const request = pageRequest(query);
    const walletIds = await this.wallets.idsOwnedBy(session.isOperator ? null : session.userId);
    return paginated(request, await this.ledger.pageOfMany(walletIds, request));
  }
}
