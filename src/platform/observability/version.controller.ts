import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Config } from '../config.js';
import { Operation } from '../http/api/operation.js';
import { ApiTextProperty } from '../http/api/response-properties.js';
import { type Release, releaseOf } from './release.js';

export class ReleaseResponse {
  @ApiTextProperty('The version of the service.', '0.2.0')
  version: string;

  @ApiTextProperty('The commit it was built from; `unknown` when the build did not know it.', '40e8496c1d2f')
  commit: string;
}

@ApiTags('health')
@Controller('version')
export class VersionController {
  private readonly release: Release;

  constructor(config: Config) {
    this.release = releaseOf(config);
  }

  @Get()
  @Operation({ id: 'getVersion', summary: 'The release that answers', answers: ReleaseResponse })
  version(): ReleaseResponse {
    return this.release;
  }
}
