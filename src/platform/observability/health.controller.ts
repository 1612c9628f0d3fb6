import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { ApiTags } from '@nestjs/swagger';
import { Database } from '../database/database.js';
import { databaseUnavailable } from '../database/unavailable.js';
import { Operation } from '../http/api/operation.js';
import { ApiConstantProperty } from '../http/api/response-properties.js';
import { Config } from '../config.js';
import { type Release, releaseOf } from './release.js';
import { ReleaseResponse } from './version.controller.js';

const DATABASE_MS_MAX = 5_000;
/** Milliseconds: bounds the queries however many requests come. */
const ANSWER_HOLDS_MS = 250;

class HealthResponse {
  @ApiConstantProperty('ok')
  status: 'ok';
}

class LivenessResponse extends ReleaseResponse {
  @ApiConstantProperty('ok')
  status: 'ok';
}

@ApiTags('health')
@Controller('health')
export class HealthController {
  private readonly release: Release;

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
    config: Config,
  ) {
    this.release = releaseOf(config);
  }

  @Get('live')
  @HealthCheck({ swaggerDocumentation: false })
  @Operation({ id: 'isLive', summary: 'Whether the process runs', answers: LivenessResponse })
  async live(): Promise<LivenessResponse> {
    await this.health.check([]);
    return { status: 'ok', ...this.release };
  }

  /** 200 while the database answers and takes writes. */
  @Get('ready')
  @HealthCheck({ swaggerDocumentation: false })
  @Operation({
    id: 'isReady',
    summary: 'Whether the service can do its work',
    description: '200 once migrations ran and while the database answers and takes changes, else 503.',
    answers: HealthResponse,
    errors: ['DATABASE_UNAVAILABLE'],
  })
  async ready(): Promise<HealthResponse> {
    const database = () =>
      this.indicators
        .check('database')
        .attempt(async () => ({ readOnly: await this.database.whyReadOnly() }))
        .withTimeout(DATABASE_MS_MAX)
        .cacheFor(ANSWER_HOLDS_MS);
    // Our envelope instead of Terminus' own.
    const { details } = await this.health.check([database]).catch(() => {
      throw databaseUnavailable('The database does not answer.');
    });
    const readOnly = details.database.readOnly as string | null;
    if (readOnly) throw databaseUnavailable(`The database takes no changes: ${readOnly}.`);
    return { status: 'ok' };
  }
}
