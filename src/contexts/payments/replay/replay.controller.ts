import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { merchantIdentity } from '../../../kernel/text.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Session } from '../../identity/session.guard.js';
import { judgements } from '../authorize/advice.domain.js';
import { presentDetails } from '../transactions/transactions.dto.js';
import { HistoryService } from '../transactions/transactions.service.js';
import type { OtherRules } from './backtest.domain.js';
import { BacktestRequest, BacktestResponse, ExplainedResponse } from './replay.dto.js';
import { ReplayService } from './replay.service.js';

/** Why attempts were decided as they were, and what other rules would have made of them. */
@ApiTags('payments')
@WalletIdParam()
@Controller('api/wallets/:walletId')
@Authenticated()
export class ReplayController {
  constructor(
    private readonly replay: ReplayService,
    private readonly history: HistoryService,
  ) {}

  @Get('transactions/:transactionId')
  @ApiParam({
    name: 'transactionId',
    description: 'The id of the attempt.',
    schema: { type: 'string', format: 'uuid' },
  })
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
    @Session() { userId }: SessionUser,
  ): Promise<ExplainedResponse> {
    const entry = await this.history.attempt(walletId, userId, transactionId);
    const { facts } = entry.transaction;
    return {
      success: true,
      data: { ...presentDetails(entry), checks: judgements(facts, entry.transaction), facts },
    };
  }

  @Post('backtest')
  @HttpCode(200)
  @Operation({
    id: 'backtestWallet',
    summary: 'See what other rules would have made of the recorded attempts',
    description:
      'Replays the attempts in their order on the facts that they were decided on, corrected by what the other rules ' +
      'would have spent or kept before; rules that are absent stay as they were then. Limits of keys count as they ' +
      'were; payees, repetitions and decisions of people stay as recorded. Nothing is stored.',
    answers: BacktestResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND', 'RATE_LIMITED', 'OVERLOADED'],
  })
  async backtest(
    @Param('walletId') walletId: string,
    @Body() { days, ...rules }: BacktestRequest,
    @Session() { userId }: SessionUser,
  ): Promise<BacktestResponse> {
    const { flips, ...report } = await this.replay.backtest(walletId, userId, otherRules(rules), days);
    return {
      success: true,
      data: {
        ...report,
        flips: flips.map(
          ({ transaction: { id, createdAt, amount, merchantName }, recorded, underRules }) => ({
            transactionId: id,
            createdAt,
            amount,
            merchantName,
            recorded,
            underRules,
          }),
        ),
      },
    };
  }
}

/** Null is the same as absent; a list alone means that it is used. */
function otherRules({ merchantAllowlist, ...rules }: Omit<BacktestRequest, 'days'>): OtherRules {
  const given = Object.fromEntries(Object.entries(rules).filter(([, value]) => value != null));
  if (!merchantAllowlist) return given;
  return { useAllowlist: true, ...given, allowedMerchants: new Set(merchantAllowlist.map(merchantIdentity)) };
}
