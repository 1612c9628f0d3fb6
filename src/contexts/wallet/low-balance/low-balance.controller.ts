import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { ThresholdRequest, ThresholdResponse } from './low-balance.dto.js';
import { LowBalanceService } from './low-balance.service.js';

@ApiTags('outbound webhooks')
@WalletIdParam()
@Controller('v1/wallets/:walletId/low-balance-threshold')
@Authenticated()
export class LowBalanceController {
  constructor(private readonly thresholds: LowBalanceService) {}

  @Get()
  @Can('wallets.read')
  @Operation({
    id: 'getLowBalanceThreshold',
    summary: 'Read the balance below which wallet.low_balance is sent',
    answers: ThresholdResponse,
    errors: ['WALLET_NOT_FOUND'],
  })
  async get(@Param('walletId') walletId: string, @Session() { accountId }: SessionUser): Promise<object> {
    return { success: true, data: await this.thresholds.get(walletId, accountId) };
  }

  @Put()
  @Can('wallets.change')
  @Operation({
    id: 'setLowBalanceThreshold',
    summary: 'Set the balance below which wallet.low_balance is sent, or null for none',
    answers: ThresholdResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND', 'WALLET_CLOSED'],
  })
  async set(
    @Param('walletId') walletId: string,
    @Body() { threshold }: ThresholdRequest,
    @Session() session: SessionUser,
  ): Promise<object> {
    return { success: true, data: await this.thresholds.set(walletId, session, threshold) };
  }
}
