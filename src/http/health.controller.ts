import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database } from '../shared/database.js';

/** Health for load balancers and container runtimes; needs no authentication. */
@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(private readonly database: Database) {}

  @Get('live')
  @ApiOperation({ summary: 'Whether the process runs' })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 once migrations ran (the server listens only then) and while the database answers, else 503. */
  @Get('ready')
  @ApiOperation({ summary: 'Whether the service can do its work' })
  async ready(): Promise<{ status: 'ok' }> {
    await this.database.query('SELECT 1');
    return { status: 'ok' };
  }
}
