import { Controller, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { type Column, CSV_FORM, csvDownload } from '../../platform/http/api/csv.js';
import { Answers } from '../../platform/http/api/answers.js';
import { Operation, WalletIdParam } from '../../platform/http/api/operation.js';
import { INVALID_PAGE, Paged, pageRequest, paginated } from '../../platform/http/api/pagination.js';
import { DOWNLOAD_PAGE_SIZE } from '../../platform/batching/pages.js';
import { Authenticated, Session } from '../identity/session.guard.js';
import type { SessionUser } from '../identity/identity.port.js';
import { validationError } from '../../kernel/errors.js';
import { nairaFromKobo } from '../../kernel/money.js';
import { isUuid } from '../../kernel/text.js';
import { Wallets } from '../wallet/wallet.port.js';
import { wordOf } from '../../platform/http/api/query.js';
import type { Page } from '../../kernel/page.js';
import { LedgerPage, presentLedgerEntry } from './ledger.dto.js';
import { LedgerService } from './ledger.service.js';
import { type LedgerEntry, LedgerStore, type ReadEntry } from './ledger.store.js';

const CSV: readonly Column<LedgerEntry>[] = [
  { name: 'id', of: ({ id }) => id },
  { name: 'created_at (UTC)', of: ({ createdAt }) => createdAt },
  { name: 'type', of: ({ type }) => type },
  { name: 'amount_ngn', of: ({ amount }) => nairaFromKobo(amount) },
  { name: 'amount_kobo', of: ({ amount }) => amount },
  { name: 'balance_after_ngn', of: ({ balanceAfter }) => nairaFromKobo(balanceAfter) },
  { name: 'balance_after_kobo', of: ({ balanceAfter }) => balanceAfter },
  { name: 'transaction_id', of: ({ transactionId }) => transactionId },
  { name: 'reference', of: ({ reference }) => reference },
  { name: 'narration', of: ({ narration }) => narration },
];

const EXPANDED = ['counterparty'] as const;

const Expandable = () =>
  ApiQuery({
    name: 'expand',
    required: false,
    description: 'Includes the counterparty of each entry.',
    schema: { type: 'string', enum: [...EXPANDED] },
  });

@ApiTags('ledger')
@Controller('api')
@Answers({ invalidField: INVALID_PAGE })
@Authenticated()
export class LedgerController {
  constructor(
    private readonly ledger: LedgerStore,
    private readonly service: LedgerService,
    private readonly wallets: Wallets,
  ) {}

  @Get('wallets/:walletId/ledgers')
  @ApiQuery({
    name: 'transactionId',
    required: false,
    description: 'Only the entries of this transaction.',
    schema: { type: 'string', format: 'uuid' },
  })
  @WalletIdParam()
  @Expandable()
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
    const { transactionId } = query;
    if (transactionId !== undefined && !isUuid(transactionId)) {
      throw validationError({ field: 'transactionId', message: 'must be a UUID' });
    }
    const { id } = await this.wallets.requireOwned(walletId, userId);
    if (transactionId === undefined) return this.presented(query, await this.ledger.page(id, request));
    const rows = await this.ledger.ofTransaction(id, transactionId);
    const from = (request.page - 1) * request.pageSize;
    return this.presented(query, { rows: rows.slice(from, from + request.pageSize), total: rows.length });
  }

  @Get('wallets/:walletId/ledgers.csv')
  @WalletIdParam()
  @Operation({
    id: 'downloadLedger',
    summary: 'Download the ledger of a wallet as CSV',
    description: `All entries, newest first. ${CSV_FORM}`,
    answers: 'csv',
    errors: ['WALLET_NOT_FOUND'],
  })
  download(@Param('walletId') walletId: string, @Session() { userId }: SessionUser): Promise<StreamableFile> {
    return csvDownload(`ledger-${walletId}.csv`, CSV, this.pages(walletId, userId));
  }

  private async *pages(walletId: string, userId: string): AsyncGenerator<readonly LedgerEntry[], void> {
    const { id } = await this.wallets.requireOwned(walletId, userId);
    yield* this.ledger.all(id, DOWNLOAD_PAGE_SIZE);
  }

  @Get('ledger')
  @Expandable()
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
    return this.presented(query, await this.ledger.pageOfMany(walletIds, request));
  }

  private async presented(
    query: Record<string, unknown>,
    { rows, total }: Page<ReadEntry>,
  ): Promise<LedgerPage> {
    const request = pageRequest(query);
    if (wordOf(query, 'expand', EXPANDED) === null) {
      return paginated(request, { rows: rows.map(presentLedgerEntry), total });
    }
    const counterparties = await this.service.counterpartiesOf(rows);
    const expanded = rows.map((each) => ({
      ...presentLedgerEntry(each),
      counterparty: counterparties.get(each.id) ?? null,
    }));
    return paginated(request, { rows: expanded, total });
  }
}
