import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Res,
  type StreamableFile,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CSV_TYPE, fileDownload } from '../../platform/http/api/csv.js';
import { IdParam, Operation } from '../../platform/http/api/operation.js';
import { PageQuery, paginated } from '../../platform/http/api/pagination.js';
import { StrictQuery } from '../../platform/http/api/strict-query.js';
import { ActivityLog } from '../activity/activity.port.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import { StatementMails } from './statement-mails.service.js';
import type { StatementFormat } from './statements.domain.js';
import {
  presentStatement,
  StatementMailRequest,
  StatementMailResponse,
  StatementRequest,
  StatementResponse,
  StatementsResponse,
} from './statements.dto.js';
import { StatementsService } from './statements.service.js';

const StatementIdParam = () => IdParam('statementId', 'The id of a statement.');

@ApiTags('statements')
@Controller('v1/statements')
@Authenticated()
export class StatementsController {
  constructor(
    private readonly service: StatementsService,
    private readonly activity: ActivityLog,
  ) {}

  @Get()
  @StrictQuery(PageQuery)
  @Can('statements.make')
  @Operation({
    id: 'listStatements',
    summary: 'List the statements that were asked for',
    description: 'The newest month first.',
    answers: StatementsResponse,
  })
  async list(
    @Query() request: PageQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<StatementsResponse> {
    const { rows, total } = await this.service.list(accountId, request);
    return paginated(request, { rows: rows.map(presentStatement), total });
  }

  @Post()
  @HttpCode(202)
  @Can('statements.make')
  @Operation({
    id: 'makeStatement',
    summary: 'Ask for the statement of a wallet, or of all wallets, and month',
    description:
      'It is made in the background: ask for it again until it is done. A month that is over has one statement a wallet ' +
      'and time zone, which is answered again. Of a month that is not over, each request makes one so far, without a ' +
      'signature, that replaces the one before.',
    status: 202,
    answers: StatementResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND', 'RATE_LIMITED'],
  })
  async make(
    @Body() { month, walletId = null }: StatementRequest,
    @Session() { accountId }: SessionUser,
  ): Promise<StatementResponse> {
    const statement = await this.service.request(accountId, walletId, month);
    return { success: true, data: presentStatement(statement) };
  }

  @Get(':statementId')
  @StatementIdParam()
  @Can('statements.make')
  @Operation({
    id: 'getStatement',
    summary: 'Read a statement: how far it is, its figures and its signature',
    description:
      'Anyone can check the files without asking the service: ' +
      '`node scripts/verify-statement.mjs statement.pdf signature.jws jwks.json`.',
    answers: StatementResponse,
    errors: ['STATEMENT_NOT_FOUND'],
  })
  async get(
    @Param('statementId') id: string,
    @Session() { accountId }: SessionUser,
  ): Promise<StatementResponse> {
    return { success: true, data: presentStatement(await this.service.get(id, accountId)) };
  }

  @Get(':statementId/pdf')
  @StatementIdParam()
  @Can('statements.make')
  @Operation({
    id: 'downloadStatementPdf',
    summary: 'Download a statement as PDF',
    answers: 'pdf',
    errors: ['STATEMENT_NOT_FOUND'],
  })
  pdf(
    @Param('statementId') id: string,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.download(id, 'pdf', 'application/pdf', session, reply);
  }

  @Get(':statementId/csv')
  @StatementIdParam()
  @Can('statements.make')
  @Operation({
    id: 'downloadStatementCsv',
    summary: 'Download a statement as CSV',
    description:
      'In UTF-8 with a byte order mark; times are in the zone that the first name says. Account numbers, bank codes and ' +
      'other digits that are no amount are written as `="044"`.',
    answers: 'csv',
    errors: ['STATEMENT_NOT_FOUND'],
  })
  csv(
    @Param('statementId') id: string,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.download(id, 'csv', CSV_TYPE, session, reply);
  }

  private async download(
    id: string,
    format: StatementFormat,
    type: string,
    session: SessionUser,
    reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { name, pieces } = await this.service.file(id, session.accountId, format);
    await this.activity.recordExport(session, name);
    return fileDownload(reply, { name, type }, pieces, (parts) => Buffer.concat(parts));
  }
}

@ApiTags('statements')
@Controller('v1/statement-mail')
@Authenticated()
export class StatementMailController {
  constructor(private readonly mails: StatementMails) {}

  @Get()
  @StrictQuery()
  @Can('statements.make')
  @Operation({
    id: 'getStatementMail',
    summary: 'Read whether the statement of the last month is mailed to the signed-in user on the first',
    answers: StatementMailResponse,
  })
  async get(@Session() session: SessionUser): Promise<StatementMailResponse> {
    return this.present(await this.mails.wants(session));
  }

  @Put()
  @Can('statements.make')
  @Operation({
    id: 'setStatementMail',
    summary: 'Choose whether the statement of the last month is mailed to the signed-in user on the first',
    answers: StatementMailResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async set(
    @Body() { mail }: StatementMailRequest,
    @Session() session: SessionUser,
  ): Promise<StatementMailResponse> {
    await this.mails.choose(session, mail);
    return this.present(mail);
  }

  private present(mail: boolean): StatementMailResponse {
    return { success: true, data: { mail, mailAvailable: this.mails.isAvailable } };
  }
}
