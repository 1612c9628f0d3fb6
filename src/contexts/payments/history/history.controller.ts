import { Controller, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { type Column, csvDownload } from '../../../platform/http/csv.js';
import { Operation, WalletIdParam } from '../../../platform/http/operation.js';
import { Paged, pageRequest, paginated, positiveInteger } from '../../../platform/http/pagination.js';
import { Authenticated, Session } from '../../identity/session.guard.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { kobo, nairaFromKobo } from '../../../kernel/money.js';
import { PAGE_SIZE_MAX } from '../../../kernel/page.js';
import { compactReason } from '../payments.domain.js';
import { decisionOf, presentAttempt } from '../payments.dto.js';
import { decisionAsked, FilteredByDecision } from './attempt-filters.dto.js';
import {
  CompactTransaction,
  presentEntry,
  RecentResponse,
  TransactionPage,
  TransactionResponse,
} from './history.dto.js';
import { type HistoryEntry, HistoryService } from './history.service.js';

const COMPACT_LIMIT_DEFAULT = 20;
const RECENT_LIMIT_DEFAULT = 10;

const CSV: readonly Column<HistoryEntry>[] = [
  { name: 'id', of: ({ transaction }) => transaction.id },
  { name: 'created_at', of: ({ transaction }) => transaction.createdAt },
  { name: 'decision', of: ({ transaction }) => decisionOf(transaction.blockReason) },
  { name: 'block_reason', of: ({ transaction }) => transaction.blockReason },
  { name: 'amount_ngn', of: ({ transaction }) => nairaFromKobo(kobo(transaction.amount)) },
  { name: 'amount_kobo', of: ({ transaction }) => transaction.amount },
  { name: 'merchant_name', of: ({ transaction }) => transaction.merchantName },
  { name: 'recipient_account_no', of: ({ transaction }) => transaction.recipientAccountNo },
  { name: 'recipient_bank_code', of: ({ transaction }) => transaction.recipientBankCode },
  { name: 'reason', of: ({ transaction }) => transaction.reason },
  { name: 'settlement_status', of: ({ settlement }) => settlement?.status ?? null },
  { name: 'settlement_reference', of: ({ settlement }) => settlement?.reference ?? null },
];

@ApiTags('payments')
@Controller()
@Authenticated()
export class HistoryController {
  constructor(private readonly service: HistoryService) {}

  @Get('api/wallets/:walletId/transactions')
  @FilteredByDecision()
  @WalletIdParam()
  @Paged()
  @Operation({
    id: 'listTransactions',
    summary: 'List the attempts to pay from a wallet, with their checks and settlement',
    description: 'Approved and blocked attempts, newest first.',
    answers: TransactionPage,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async history(
    @Param('walletId') walletId: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<TransactionPage> {
    const request = pageRequest(query);
    const { rows, total } = await this.service.history(walletId, userId, request, {
      decision: decisionAsked(query),
    });
    return paginated(request, { rows: rows.map(presentEntry), total });
  }

  @Get('api/wallets/:walletId/transactions.csv')
  @WalletIdParam()
  @Operation({
    id: 'downloadTransactions',
    summary: 'Download the attempts to pay from a wallet as CSV',
    description: 'All attempts, newest first. Text that a spreadsheet would run gets an apostrophe in front.',
    answers: 'csv',
    errors: ['WALLET_NOT_FOUND'],
  })
  download(@Param('walletId') walletId: string, @Session() { userId }: SessionUser): Promise<StreamableFile> {
    return csvDownload(`transactions-${walletId}.csv`, CSV, this.service.exportHistory(walletId, userId));
  }

  @Get('v1/wallets/:walletId/transactions/:transactionId')
  @WalletIdParam()
  @ApiParam({
    name: 'transactionId',
    description: 'The id of the attempt.',
    schema: { type: 'string', format: 'uuid' },
  })
  @Operation({
    id: 'getTransaction',
    summary: 'Read one attempt to pay, with its checks and settlement',
    answers: TransactionResponse,
    errors: ['WALLET_NOT_FOUND', 'TRANSACTION_NOT_FOUND'],
  })
  async attempt(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Session() { userId }: SessionUser,
  ): Promise<TransactionResponse> {
    return {
      success: true,
      data: presentEntry(await this.service.attempt(walletId, userId, transactionId)),
    };
  }

  @Get('v1/transactions')
  @ApiQuery({
    name: 'limit',
    required: false,
    description: `How many; more than ${PAGE_SIZE_MAX} counts as ${PAGE_SIZE_MAX}.`,
    schema: { type: 'integer', minimum: 1, default: RECENT_LIMIT_DEFAULT },
  })
  @Operation({
    id: 'listRecentTransactions',
    summary: 'List the newest attempts to pay over all wallets',
    answers: RecentResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async recent(
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<RecentResponse> {
    const limit = Math.min(positiveInteger(query, 'limit', RECENT_LIMIT_DEFAULT), PAGE_SIZE_MAX);
    const rows = await this.service.recent(userId, limit);
    return {
      success: true,
      data: rows.map(({ transaction, settlement }) => ({
        ...presentAttempt(transaction),
        merchant: transaction.merchant,
        settlement,
      })),
    };
  }

  @Get('v1/wallets/:walletId/transactions')
  @WalletIdParam()
  @ApiQuery({
    name: 'limit',
    required: false,
    description: `How many; more than ${PAGE_SIZE_MAX} counts as ${PAGE_SIZE_MAX}.`,
    schema: { type: 'integer', minimum: 1, default: COMPACT_LIMIT_DEFAULT },
  })
  @Operation({
    id: 'listCompactTransactions',
    summary: 'List the newest attempts to pay, compactly',
    description: 'Approved and blocked attempts, newest first, as a bare array.',
    answers: [CompactTransaction],
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async compact(
    @Param('walletId') walletId: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<CompactTransaction[]> {
    const pageSize = Math.min(positiveInteger(query, 'limit', COMPACT_LIMIT_DEFAULT), PAGE_SIZE_MAX);
    const { rows } = await this.service.list(walletId, userId, { page: 1, pageSize });
    return rows.map(({ amount, merchant, blockReason, reason, createdAt }) => ({
      amount,
      merchant,
      decision: decisionOf(blockReason),
      reason: blockReason ? compactReason(blockReason) : reason,
      createdAt,
    }));
  }
}
