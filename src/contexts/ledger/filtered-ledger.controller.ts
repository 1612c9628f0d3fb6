import { Controller, Get, Param, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CSV_FORM, csvDownload } from '../../platform/http/api/csv.js';
import { Operation, WalletIdParam } from '../../platform/http/api/operation.js';
import { StrictQuery } from '../../platform/http/api/strict-query.js';
import { ActivityLog } from '../activity/activity.port.js';
import { type SessionUser, Users } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import { Wallets } from '../wallet/wallet.port.js';
import {
  LEDGER_LINES_CSV,
  LedgerByDaysQuery,
  LedgerByDaysResponse,
  ledgerFilterOf,
  LedgerFilterQuery,
  presentFiltered,
} from './filtered-ledger.dto.js';
import { FilteredLedgerService } from './filtered-ledger.service.js';

@ApiTags('ledger')
@Controller('v1/wallets/:walletId')
@Authenticated()
export class FilteredLedgerController {
  constructor(
    private readonly service: FilteredLedgerService,
    private readonly wallets: Wallets,
    private readonly users: Users,
    private readonly activity: ActivityLog,
  ) {}

  @Get('ledger')
  @WalletIdParam()
  @StrictQuery(LedgerByDaysQuery)
  @Can('wallets.read')
  @Operation({
    id: 'listLedgerByDays',
    summary: 'List the ledger entries of a wallet by days and types, with what they sum up to',
    description:
      'Newest first, each with whom it paid, why, by which key and under which reference. Sums are of at most 200,000 ' +
      'entries: of more there are only the balances, and types can not be chosen.',
    answers: LedgerByDaysResponse,
    errors: ['WALLET_NOT_FOUND'],
  })
  async list(
    @Param('walletId') walletId: string,
    @Query() query: LedgerByDaysQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<LedgerByDaysResponse> {
    const filter = ledgerFilterOf(query);
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    return presentFiltered(query, await this.service.page(id, accountId, filter, query));
  }

  @Get('ledger.csv')
  @WalletIdParam()
  @StrictQuery(LedgerFilterQuery)
  @Can('exports.download')
  @Operation({
    id: 'downloadLedgerByDays',
    summary: 'Download the ledger entries of a wallet by days and types as CSV',
    description: `All that the filters let through, newest first. ${CSV_FORM}`,
    answers: 'csv',
    errors: ['WALLET_NOT_FOUND'],
  })
  async download(
    @Param('walletId') walletId: string,
    @Query() query: LedgerFilterQuery,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const filter = ledgerFilterOf(query);
    const { id } = await this.wallets.requireOwned(walletId, session.accountId);
    const timeZone = await this.users.timeZoneOf(session.accountId);
    const days = [filter.from, filter.to].map((day) => (day === null ? '' : `-${day}`)).join('');
    const name = `ledger-${id}${days}.csv`;
    await this.activity.recordExport(session, name);
    return csvDownload(reply, name, LEDGER_LINES_CSV, this.service.all(id, filter, timeZone), timeZone);
  }
}
