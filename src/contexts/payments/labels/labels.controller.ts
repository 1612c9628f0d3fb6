import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { TransactionIdParam } from '../payments.dto.js';
import { presentDetails, TransactionResponse } from '../transactions/transactions.dto.js';
import { TransactionsService } from '../transactions/transactions.service.js';
import { LabelsRequest, UsedLabelsResponse } from './labels.dto.js';
import { LabelsService } from './labels.service.js';

@ApiTags('payments')
@Controller('v1')
@Authenticated()
export class LabelsController {
  constructor(
    private readonly labels: LabelsService,
    private readonly history: TransactionsService,
  ) {}

  @Patch('wallets/:walletId/transactions/:transactionId')
  @WalletIdParam()
  @TransactionIdParam()
  @Can('payments.annotate')
  @Operation({
    id: 'labelTransaction',
    summary: 'Set the memo, category and cost centre of an attempt to pay',
    description: 'At any time, also long after it was decided. Absent members stay; `null` removes one.',
    answers: TransactionResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND', 'TRANSACTION_NOT_FOUND'],
  })
  async label(
    @Param('walletId') walletId: string,
    @Param('transactionId') transactionId: string,
    @Body() body: LabelsRequest,
    @Session() session: SessionUser,
  ): Promise<TransactionResponse> {
    await this.labels.change(walletId, transactionId, session, body);
    const entry = await this.history.attempt(walletId, session.accountId, transactionId);
    return { success: true, data: presentDetails(entry) };
  }

  @Get('payment-labels')
  @StrictQuery()
  @Can('wallets.read')
  @Operation({
    id: 'listPaymentLabels',
    summary: 'List the categories and cost centres in use',
    description: 'Those of the 1,000 payments that were labelled last.',
    answers: UsedLabelsResponse,
  })
  async used(@Session() { accountId }: SessionUser): Promise<UsedLabelsResponse> {
    return { success: true, data: await this.labels.used(accountId) };
  }
}
