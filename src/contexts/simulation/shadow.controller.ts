import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../../platform/http/api/operation.js';
import { KOBO_MAX } from '../../kernel/money.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import { ShadowRulesRequest, ShadowRulesResponse } from './shadow.dto.js';
import { ShadowService, type Trial } from './shadow.service.js';

@ApiTags('payments')
@WalletIdParam()
@Controller('api/wallets/:walletId/shadow-rules')
@Authenticated()
export class ShadowController {
  constructor(private readonly shadow: ShadowService) {}

  @Get()
  @Can('wallets.read')
  @Operation({
    id: 'getShadowRules',
    summary: 'See what the rules on trial would have decided otherwise',
    answers: ShadowRulesResponse,
    errors: ['WALLET_NOT_FOUND'],
  })
  async read(
    @Param('walletId') walletId: string,
    @Session() { accountId }: SessionUser,
  ): Promise<ShadowRulesResponse> {
    return present(await this.shadow.read(walletId, accountId));
  }

  @Patch()
  @Can('rules.try')
  @Operation({
    id: 'changeShadowRules',
    summary: 'Try rules on live payments without applying them',
    description:
      'From now on each attempt is also judged by these rules, on what it was really decided on; nothing is applied. ' +
      'A member that is absent stays, null takes it away, and with the last one the trial ends. Every change begins ' +
      'the count anew.',
    answers: ShadowRulesResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND', 'WALLET_CLOSED'],
  })
  async change(
    @Param('walletId') walletId: string,
    @Body() { expiry, ...body }: ShadowRulesRequest,
    @Session() session: SessionUser,
  ): Promise<ShadowRulesResponse> {
    const given = Object.fromEntries(
      Object.entries<unknown>(body).filter(([, value]) => value !== undefined),
    );
    const change = { ...given, ...(expiry !== undefined && { expiry: expiry?.toISOString() ?? null }) };
    return present(await this.shadow.change(walletId, session, change));
  }
}

function present(trial: Trial | null): ShadowRulesResponse {
  if (!trial) return { success: true, data: { shadow: null } };
  const { record, flips } = trial;
  const sum = (kobo: string) => Math.min(Number(kobo), KOBO_MAX);
  return {
    success: true,
    data: {
      shadow: {
        rules: record.rules,
        since: record.since,
        judged: record.judgedCount,
        toApproved: { count: record.toApprovedCount, kobo: sum(record.toApprovedSum) },
        toBlocked: { count: record.toBlockedCount, kobo: sum(record.toBlockedSum) },
        flips: flips.map(({ id, createdAt, amount, merchantName, blockReason, underRules }) => ({
          transactionId: id,
          createdAt,
          amount,
          merchantName,
          recorded: blockReason,
          underRules,
        })),
      },
    },
  };
}
