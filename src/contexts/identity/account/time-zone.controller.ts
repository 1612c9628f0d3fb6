import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import type { SessionUser } from '../identity.port.js';
import { Authenticated, Can, Session } from '../session.guard.js';
import { TimeZoneRequest, TimeZoneResponse } from './time-zone.dto.js';
import { TimeZoneService } from './time-zone.service.js';

@ApiTags('account')
@Controller('v1/time-zone')
@Authenticated()
export class TimeZoneController {
  constructor(private readonly service: TimeZoneService) {}

  @Get()
  @StrictQuery()
  @Can('wallets.read')
  @Operation({
    id: 'getTimeZone',
    summary: 'Read in which time zone the months of the account begin',
    answers: TimeZoneResponse,
  })
  async get(@Session() { accountId }: SessionUser): Promise<TimeZoneResponse> {
    return { success: true, data: { timeZone: await this.service.of(accountId) } };
  }

  @Put()
  @Can('business.change')
  @Operation({
    id: 'setTimeZone',
    summary: 'Choose in which time zone the months of the account begin',
    description: 'Statements made before keep theirs.',
    answers: TimeZoneResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async set(
    @Body() { timeZone }: TimeZoneRequest,
    @Session() session: SessionUser,
  ): Promise<TimeZoneResponse> {
    await this.service.change(session, timeZone);
    return { success: true, data: { timeZone } };
  }
}
