import { Controller, Get, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { validationError } from '../../kernel/errors.js';
import { CSV_TYPE, fileDownload } from '../../platform/http/api/csv.js';
import { Operation } from '../../platform/http/api/operation.js';
import { monthOf, Parameter, uuidOf } from '../../platform/http/api/query.js';
import { StrictQuery } from '../../platform/http/api/strict-query.js';
import { plainCsvLines } from '../../platform/csv-lines.js';
import { ActivityLog } from '../activity/activity.port.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import { BOOKKEEPING_NAMES, bookkeepingRow } from './bookkeeping.domain.js';
import { BookkeepingService } from './bookkeeping.service.js';

class BookkeepingQuery {
  @Parameter(monthOf, { description: 'The month.', type: 'string', required: true, example: '2026-11' })
  readonly month: string | null = null;

  @Parameter(uuidOf, {
    description: 'Only the entries of this wallet; without it those of all.',
    type: 'string',
    format: 'uuid',
  })
  readonly walletId: string | null = null;
}

@ApiTags('statements')
@Controller('v1')
@Authenticated()
export class BookkeepingController {
  constructor(
    private readonly service: BookkeepingService,
    private readonly activity: ActivityLog,
  ) {}

  @Get('bookkeeping.csv')
  @StrictQuery(BookkeepingQuery)
  @Can('exports.download')
  @Operation({
    id: 'downloadBookkeeping',
    summary: 'Download a month as bank transactions for QuickBooks, Xero and Sage',
    description:
      `One line an entry of the ledger: ${BOOKKEEPING_NAMES.join(', ')}. Days are DD/MM/YYYY in the account’s time zone; ` +
      'the amount is in naira, negative for money out, and all together are what the balance changed by. In UTF-8 ' +
      'without a byte order mark, which importers take for a part of the first name.',
    answers: 'csv',
    errors: ['WALLET_NOT_FOUND'],
  })
  async download(
    @Query() { month, walletId }: BookkeepingQuery,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    if (month === null) throw validationError({ field: 'month', message: 'must be a month such as 2026-11' });
    const { local, pages } = await this.service.month(session.accountId, walletId, month);
    const name = `bookkeeping-${month}${walletId === null ? '' : `-${walletId}`}.csv`;
    await this.activity.recordExport(session, name);
    return fileDownload(
      reply,
      { name, type: CSV_TYPE },
      pages,
      (lines) =>
        plainCsvLines(
          lines.map((line) => {
            const { date, description, amount, payee, reference } = bookkeepingRow(line, local);
            return [date, { text: description }, amount, { text: payee }, { text: reference }];
          }),
        ),
      plainCsvLines([BOOKKEEPING_NAMES]),
    );
  }
}
