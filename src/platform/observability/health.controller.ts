import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { ApiTags } from '@nestjs/swagger';
import { Database } from '../database/database.js';
import { databaseUnavailable } from '../database/unavailable.js';
import { Operation } from '../http/api/operation.js';
import { ApiConstantProperty } from '../http/api/response-properties.js';

/** How long the database may take to answer, in milliseconds. */
const DATABASE_MS_MAX = 5_000;
/** How long its answer holds, in milliseconds: however many requests come, the database is asked a few times a second. */
const ANSWER_HOLDS_MS = 250;

class Health {
  @ApiConstantProperty('ok')
  status: 'ok';
}

/** Health for load balancers and container runtimes; needs no authentication. */
@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
  ) {}

  @Get('live')
  @HealthCheck({ swaggerDocumentation: false })
  @Operation({ id: 'isLive', summary: 'Whether the process runs', answers: Health })
  async live(): Promise<Health> {
    await this.health.check([]);
    return { status: 'ok' };
  }

  /** 200 once migrations ran (the server listens only then) and while the database answers and can be written. */
  @Get('ready')
  @HealthCheck({ swaggerDocumentation: false })
  @Operation({
    id: 'isReady',
    summary: 'Whether the service can do its work',
    description: '200 once migrations ran and while the database answers and takes changes, else 503.',
    answers: Health,
    errors: ['DATABASE_UNAVAILABLE'],
  })
  async ready(): Promise<Health> {
    const database = () =>
      this.indicators
        .check('database')
        .attempt(async () => ({ readOnly: await this.database.whyReadOnly() }))
        .withTimeout(DATABASE_MS_MAX)
        .cacheFor(ANSWER_HOLDS_MS);
    // Terminus' own answer tells of the inside; ours has the envelope of every other refusal.
    const { details } = await this.health.check([database]).catch(() => {
      throw databaseUnavailable('The database does not answer.');
    });
    const readOnly = details.database.readOnly as string | null;
    if (readOnly) throw databaseUnavailable(`The database takes no changes: ${readOnly}.`);
    return { status: 'ok' };
  }
}
