import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Database } from '../database/database.js';
import { Operation } from '../http/operation.js';
import { ApiConstantProperty } from '../http/shown.js';

class Health {
  @ApiConstantProperty('ok')
  status: 'ok';
}

/** Health for load balancers and container runtimes; needs no authentication. */
@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(private readonly database: Database) {}

  @Get('live')
  @Operation({ id: 'isLive', summary: 'Whether the process runs', answers: Health })
  live(): Health {
    return { status: 'ok' };
  }

  /** 200 once migrations ran (the server listens only then) and while the database answers, else 503. */
  @Get('ready')
  @Operation({
    id: 'isReady',
    summary: 'Whether the service can do its work',
    description: '200 once migrations ran and while the database answers, else 503.',
    answers: Health,
    errors: ['DATABASE_UNAVAILABLE'],
  })
  async ready(): Promise<Health> {
    await this.database.query('SELECT 1');
    return { status: 'ok' };
  }
}
