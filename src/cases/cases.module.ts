import { Module } from '@nestjs/common';
import { CasesService } from './cases.service.js';

@Module({ providers: [CasesService] })
export class CasesModule {}
