import { Module } from '@nestjs/common';
import { CasesService } from './operations.service.js';

@Module({ providers: [CasesService] })
export class CasesModule {}
