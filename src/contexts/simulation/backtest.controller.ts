import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../../platform/http/api/operation.js';
import { merchantIdentity } from '../../kernel/text.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import type { OtherRules } from './backtest.domain.js';
import { BacktestRequest, BacktestResponse } from './backtest.dto.js';
import { ReplayService } from './replay.service.js';

@ApiTags('payments')
@WalletIdParam()
@Controller('api/wallets/:walletId')
@Authenticated()
export class BacktestController {
  constructor(private readonly replay: ReplayService) {}

  @Post('backtest')
  @HttpCode(200)
  @Can('rules.try')
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
    @Session() { accountId }: SessionUser,
  ): Promise<BacktestResponse> {
    const { flips, ...report } = await this.replay.backtest(walletId, accountId, otherRules(rules), days);
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

function otherRules({ merchantAllowlist, ...rules }: Omit<BacktestRequest, 'days'>): OtherRules {
  const given = Object.fromEntries(Object.entries(rules).filter(([, value]) => value != null));
  if (!merchantAllowlist) return given;
  return { useAllowlist: true, ...given, allowedMerchants: new Set(merchantAllowlist.map(merchantIdentity)) };
}
