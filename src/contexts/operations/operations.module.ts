import { Module } from '@nestjs/common';
import { CaseMetrics } from './case-metrics.service.js';
import { CasesService } from './operations.service.js';

@Module({ providers: [CasesService, CaseMetrics] })
export class CasesModule {}
