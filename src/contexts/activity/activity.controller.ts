import { Controller, Get, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CSV_FORM, csvDownload } from '../../platform/http/api/csv.js';
import { Operation } from '../../platform/http/api/operation.js';
import { paginated } from '../../platform/http/api/pagination.js';
import { StrictQuery } from '../../platform/http/api/strict-query.js';
import { type SessionUser, Users } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import {
  ACTIVITY_CSV,
  ActivityFilterQuery,
  ActivityQuery,
  ActivityResponse,
  presentActivity,
} from './activity.dto.js';
import { ActivityService } from './activity.service.js';

@ApiTags('members')
@Controller('v1')
@Authenticated()
export class ActivityController {
  constructor(
    private readonly activity: ActivityService,
    private readonly users: Users,
  ) {}

  @Get('activity')
  @StrictQuery(ActivityQuery)
  @Can('activity.read')
  @Operation({
    id: 'listActivity',
    summary: 'List what the members did',
    description:
      'Sign-ins, members, keys, rules, payees, approvals, webhook endpoints, downloads and the like, each with who did it ' +
      'from which address, newest first.',
    answers: ActivityResponse,
  })
  async list(
    @Query() query: ActivityQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<ActivityResponse> {
    const { rows, total } = await this.activity.list(accountId, query, query);
    return paginated(query, { rows: rows.map(presentActivity), total });
  }

  @Get('activity.csv')
  @StrictQuery(ActivityFilterQuery)
  @Can('activity.read')
  @Operation({
    id: 'downloadActivity',
    summary: 'Download what the members did as CSV',
    description: `All that the filters let through, newest first. ${CSV_FORM}`,
    answers: 'csv',
  })
  async download(
    @Query() query: ActivityFilterQuery,
    @Session() session: SessionUser,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const pages = this.activity.all(session.accountId, query);
    await this.activity.recordExport(session, 'activity.csv');
    const timeZone = await this.users.timeZoneOf(session.accountId);
    return csvDownload(reply, 'activity.csv', ACTIVITY_CSV, pages, timeZone);
  }
}
