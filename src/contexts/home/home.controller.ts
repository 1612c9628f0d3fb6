import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../platform/http/api/operation.js';
import { StrictQuery } from '../../platform/http/api/strict-query.js';
import type { SessionUser } from '../identity/identity.port.js';
import { Authenticated, Can, Session } from '../identity/session.guard.js';
import { HomeQuery, HomeResponse } from './home.dto.js';
import { HomeService } from './home.service.js';
import { presentHome } from './presented-home.dto.js';

@ApiTags('payments')
@Controller('v1/home')
@Authenticated()
export class HomeController {
  constructor(private readonly home: HomeService) {}

  @Get()
  @StrictQuery(HomeQuery)
  @Can('wallets.read')
  @Operation({
    id: 'getHome',
    summary: 'Read what needs somebody, and what happened since the last visit',
    description:
      'A visit ends after four hours without a call. At most 31 days and 50,000 attempts; of more, the last ones.',
    answers: HomeResponse,
  })
  async read(@Query() { days }: HomeQuery, @Session() session: SessionUser): Promise<HomeResponse> {
    return { success: true, data: presentHome(await this.home.read(session, days ?? null)) };
  }
}
