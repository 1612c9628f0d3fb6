import { Controller, Get, Param, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CSV_FORM, csvDownload } from '../../../platform/http/api/csv.js';
import { Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { paginated, RowCount } from '../../../platform/http/api/pagination.js';
import { ActivityLog } from '../../activity/activity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { judgements } from '../authorize/advice.domain.js';
import { compactReason } from '../checks/decide.domain.js';
import { decisionOf } from '../payments.domain.js';
import { TransactionIdParam } from '../payments.dto.js';
import { AttemptsQuery } from './attempt-filters.dto.js';
import { ExplainedResponse } from './explained.dto.js';
import {
  CompactTransactionResponse,
  TRANSACTIONS_CSV,
  presentDetails,
  presentEntry,
  TransactionsResponse,
  TransactionResponse,
} from './transactions.dto.js';
import { TransactionsService } from './transactions.service.js';

const COMPACT_LIMIT_DEFAULT = 20;

class CompactQuery {
  @RowCount('How many', COMPACT_LIMIT_DEFAULT)
  readonly limit: number = COMPACT_LIMIT_DEFAULT;
}

@ApiTags('payments')
@Controller()
@Authenticated()
export class TransactionsController {
  constructor(
    private readonly service: TransactionsService,
    private readonly activity: ActivityLog,
  ) {}

  @Get('api/wallets/:walletId/transactions')
  @WalletIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'listTransactions',
    summary: 'List the attempts to pay from a wallet, with their checks and settlement',
    description: 'Approved and blocked attempts, newest first.',
    answers: TransactionsResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async history(
    @Param('walletId') walletId: string,
    @Query() query: AttemptsQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<TransactionsResponse> {
    const { rows, total } = await this.service.history(walletId, accountId, query, query);
    return paginated(query, { rows: rows.map(presentEntry), total });
  }

  @Get('api/wallets/:walletId/transactions.csv')
  @WalletIdParam()
  @Can('exports.download')
  @Operation({
    id: 'downloadTransactions',
    summary: 'Download the attempts to pay from a wallet as CSV',
    description: `All attempts, newest first. ${CSV_FORM}`,
    answers: 'csv',
    errors: ['WALLET_NOT_FOUND'],
  })
  async download(
    @Param('walletId') walletId: string,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const name = `transactions-${walletId}.csv`;
    const pages = await this.service.exportTransactions(walletId, session.accountId);
    await this.activity.recordExport(session, name);
    return csvDownload(reply, name, TRANSACTIONS_CSV, pages);
  }

  @Get('api/wallets/:walletId/transactions/:transactionId')
  @WalletIdParam()
  @TransactionIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'explainTransaction',
    summary: 'Explain why an attempt to pay was decided as it was',
    description: 'All checks with the numbers that they compared, and the stored facts that these come from.',
    answers: ExplainedResponse,
    errors: ['WALLET_NOT_FOUND', 'TRANSACTION_NOT_FOUND'],
  })
  async explain(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Session() { accountId }: SessionUser,
  ): Promise<ExplainedResponse> {
    const entry = await this.service.attempt(walletId, accountId, transactionId);
    const { facts } = entry.transaction;
    return {
      success: true,
      data: { ...presentDetails(entry), checks: judgements(facts, entry.transaction), facts },
    };
  }

  @Get('v1/wallets/:walletId/transactions/:transactionId')
  @WalletIdParam()
  @TransactionIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'getTransaction',
    summary: 'Read one attempt to pay, with its checks and settlement',
    answers: TransactionResponse,
    errors: ['WALLET_NOT_FOUND', 'TRANSACTION_NOT_FOUND'],
  })
  async attempt(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Session() { accountId }: SessionUser,
  ): Promise<TransactionResponse> {
    const entry = await this.service.attempt(walletId, accountId, transactionId);
    return { success: true, data: presentDetails(entry) };
  }

  @Get('v1/wallets/:walletId/transactions')
  @WalletIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'listCompactTransactions',
    summary: 'List the newest attempts to pay, compactly',
    description: 'Approved and blocked attempts, newest first, as a bare array.',
    answers: [CompactTransactionResponse],
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  async compact(
    @Param('walletId') walletId: string,
    @Query() { limit: pageSize }: CompactQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<CompactTransactionResponse[]> {
    const { rows } = await this.service.list(walletId, accountId, { page: 1, pageSize });
    return rows.map((transaction) => {
      const { amount, merchant, blockReason, reason, createdAt } = transaction;
      return {
        amount,
        merchant,
        decision: decisionOf(transaction),
        reason: blockReason ? compactReason(blockReason) : reason,
        createdAt,
      };
    });
  }
}
