import { Controller, Get, Param, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Column, CSV_FORM, csvDownload } from '../../platform/http/api/csv.js';
import { Operation, WalletIdParam } from '../../platform/http/api/operation.js';
import { paginated } from '../../platform/http/api/pagination.js';
import { DOWNLOAD_PAGE_SIZE } from '../../platform/batching/pages.js';
import { ActivityLog } from '../activity/activity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import type { SessionUser } from '../identity/identity.port.js';
import { nairaFromKobo } from '../../kernel/money.js';
import { Wallets } from '../wallet/wallet.port.js';
import type { Page } from '../../kernel/page.js';
import { LedgerResponse, LedgerQuery, presentLedgerEntry, WalletLedgerQuery } from './ledger.dto.js';
import { LedgerService } from './ledger.service.js';
import { type LedgerEntry, LedgerStore, type ReadEntry } from './ledger.store.js';

const CSV: readonly Column<LedgerEntry>[] = [
  { name: 'id', of: ({ id }) => id },
  { name: 'created_at', isTime: true, of: ({ createdAt }) => createdAt },
  { name: 'type', of: ({ type }) => type },
  { name: 'amount_ngn', of: ({ amount }) => nairaFromKobo(amount) },
  { name: 'amount_kobo', of: ({ amount }) => amount },
  { name: 'balance_after_ngn', of: ({ balanceAfter }) => nairaFromKobo(balanceAfter) },
  { name: 'balance_after_kobo', of: ({ balanceAfter }) => balanceAfter },
  { name: 'transaction_id', of: ({ transactionId }) => transactionId },
  { name: 'reference', of: ({ reference }) => reference },
  { name: 'narration', of: ({ narration }) => narration },
];

@ApiTags('ledger')
@Controller('api')
@Authenticated()
export class LedgerController {
  constructor(
    private readonly ledger: LedgerStore,
    private readonly service: LedgerService,
    private readonly wallets: Wallets,
    private readonly activity: ActivityLog,
  ) {}

  @Get('wallets/:walletId/ledgers')
  @WalletIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'listWalletLedger',
    summary: 'List the ledger entries of a wallet',
    description: 'Every change of the balance, newest first.',
    answers: LedgerResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async ofWallet(
    @Param('walletId') walletId: string,
    @Query() query: WalletLedgerQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<LedgerResponse> {
    const { page, pageSize, transactionId } = query;
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    if (transactionId === null) return this.presented(query, await this.ledger.page(id, query));
    const rows = await this.ledger.ofTransaction(id, transactionId);
    const from = (page - 1) * pageSize;
    return this.presented(query, { rows: rows.slice(from, from + pageSize), total: rows.length });
  }

  @Get('wallets/:walletId/ledgers.csv')
  @WalletIdParam()
  @Can('exports.download')
  @Operation({
    id: 'downloadLedger',
    summary: 'Download the ledger of a wallet as CSV',
    description: `All entries, newest first. ${CSV_FORM}`,
    answers: 'csv',
    errors: ['WALLET_NOT_FOUND'],
  })
  async download(
    @Param('walletId') walletId: string,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const name = `ledger-${walletId}.csv`;
    const { id } = await this.wallets.requireOwned(walletId, session.accountId);
    await this.activity.recordExport(session, name);
    return csvDownload(reply, name, CSV, this.ledger.all(id, DOWNLOAD_PAGE_SIZE));
  }

  @Get('ledger')
  @Can('wallets.read')
  @Operation({
    id: 'listLedger',
    summary: 'List the ledger entries of all wallets of the account',
    description: 'Newest first; an operator sees those of every wallet.',
    answers: LedgerResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async ofUser(@Query() query: LedgerQuery, @Session() session: SessionUser): Promise<LedgerResponse> {
    const walletIds = await this.wallets.idsOwnedBy(session.isOperator ? null : session.accountId);
    return this.presented(query, await this.ledger.pageOfMany(walletIds, query));
  }

  private async presented(query: LedgerQuery, { rows, total }: Page<ReadEntry>): Promise<LedgerResponse> {
    if (query.expand === null) return paginated(query, { rows: rows.map(presentLedgerEntry), total });
    const counterparties = await this.service.counterpartiesOf(rows);
    const expanded = rows.map((each) => ({
      ...presentLedgerEntry(each),
      counterparty: counterparties.get(each.id) ?? null,
    }));
    return paginated(query, { rows: expanded, total });
  }
}
