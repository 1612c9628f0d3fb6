import { Controller, Get, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CSV_FORM, csvDownload } from '../../../platform/http/api/csv.js';
import { Operation } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { SPEND_CSV, SpendQuery, spendQuestionOf, SpendResponse, SpendTableQuery } from './spend.dto.js';
import { SpendService } from './spend.service.js';

@ApiTags('payments')
@Controller('v1')
@Authenticated()
export class SpendController {
  constructor(private readonly service: SpendService) {}

  @Get('spend')
  @StrictQuery(SpendQuery)
  @Can('wallets.read')
  @Operation({
    id: 'getSpend',
    summary:
      'Total what was spent in a period by merchant, wallet, key, purpose, run, category, cost centre or block reason',
    description:
      'Spent is what was approved and not refunded, at the time of its request; payments that wait for approval do ' +
      'not count. A refund lowers the day of its payment.',
    answers: SpendResponse,
    errors: ['WALLET_NOT_FOUND', 'KEY_NOT_FOUND'],
  })
  async spend(@Query() query: SpendQuery, @Session() { accountId }: SessionUser): Promise<SpendResponse> {
    const { by, limit, timeZone } = query;
    const spend = await this.service.spend(accountId, spendQuestionOf(query), limit, timeZone);
    return { success: true, data: { by, ...spend } };
  }

  @Get('spend.csv')
  @StrictQuery(SpendTableQuery)
  @Can('exports.download')
  @Operation({
    id: 'downloadSpend',
    summary: 'Download the totals of a period as CSV',
    description: `The 10,000 largest groups, and the others as one row. ${CSV_FORM}`,
    answers: 'csv',
    errors: ['WALLET_NOT_FOUND', 'KEY_NOT_FOUND'],
  })
  async download(
    @Query() query: SpendTableQuery,
    @Session() { accountId }: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const pages = await this.service.table(accountId, spendQuestionOf(query));
    return csvDownload(reply, `spend-by-${query.by}.csv`, SPEND_CSV, pages);
  }
}
