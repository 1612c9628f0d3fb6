import { Controller, Get, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CSV_FORM, csvDownload } from '../../../platform/http/api/csv.js';
import { Operation } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { encodeCursor } from '../../../platform/http/api/query.js';
import { ActivityLog } from '../../activity/activity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { type SessionUser, Users } from '../../identity/identity.port.js';
import { presentListed, RecentResponse, SEARCH_CSV } from './transactions.dto.js';
import { filterOf, PaymentsByCursorQuery, PaymentsQuery, PaymentTotalsResponse } from './search.dto.js';
import { SearchService, TOTALLED_MAX } from './search.service.js';

@ApiTags('payments')
@Controller('v1')
@Authenticated()
export class SearchController {
  constructor(
    private readonly search: SearchService,
    private readonly activity: ActivityLog,
    private readonly users: Users,
  ) {}

  @Get('transactions')
  @StrictQuery(PaymentsByCursorQuery)
  @Can('wallets.read')
  @Operation({
    id: 'listRecentTransactions',
    summary: 'List and search the attempts to pay over all wallets',
    description:
      'Newest first. Pages are read by cursor and cost the same however many attempts there are: where few match, a page can be short, even empty, and nextCursor leads on.',
    answers: RecentResponse,
    errors: ['WALLET_NOT_FOUND', 'KEY_NOT_FOUND'],
  })
  async list(
    @Query() { limit, cursor, ...query }: PaymentsByCursorQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<RecentResponse> {
    const { rows, next } = await this.search.page(
      accountId,
      filterOf(query),
      cursor && { at: cursor.at, walletId: cursor.id, seq: cursor.seq },
      limit,
    );
    const nextCursor = next && encodeCursor({ at: next.at, id: next.walletId, seq: next.seq });
    return { success: true, data: rows.map(presentListed), nextCursor };
  }

  @Get('transactions/totals')
  @StrictQuery(PaymentsQuery)
  @Can('wallets.read')
  @Operation({
    id: 'totalTransactions',
    summary: 'Total the attempts to pay over all wallets by how they ended',
    description:
      `Of at most ${TOTALLED_MAX.toLocaleString('en')} attempts: of a period with more there are no totals, whatever the ` +
      'other filters. With 50,000 payouts open in the service, `processing` counts as `paid` unless the status filter has ' +
      'one of the two alone.',
    answers: PaymentTotalsResponse,
    errors: ['WALLET_NOT_FOUND', 'KEY_NOT_FOUND'],
  })
  async totals(
    @Query() query: PaymentsQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<PaymentTotalsResponse> {
    return { success: true, data: await this.search.totals(accountId, filterOf(query)) };
  }

  @Get('transactions.csv')
  @StrictQuery(PaymentsQuery)
  @Can('exports.download')
  @Operation({
    id: 'downloadAllTransactions',
    summary: 'Download the attempts to pay over all wallets as CSV',
    description: `All attempts that the filters let through, newest first. ${CSV_FORM}`,
    answers: 'csv',
    errors: ['WALLET_NOT_FOUND', 'KEY_NOT_FOUND'],
  })
  async download(
    @Query() query: PaymentsQuery,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const pages = await this.search.all(session.accountId, filterOf(query));
    await this.activity.recordExport(session, 'payments.csv');
    const timeZone = await this.users.timeZoneOf(session.accountId);
    return csvDownload(reply, 'payments.csv', SEARCH_CSV, pages, timeZone);
  }
}
