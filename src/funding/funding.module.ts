import { Module } from '@nestjs/common';
import { VirtualAccounts } from './funding.contract.js';
import { FundingController } from './funding.controller.js';
import { FundingService } from './funding.service.js';
import { FundingStore } from './funding.store.js';

@Module({
  controllers: [FundingController],
  providers: [FundingStore, FundingService, { provide: VirtualAccounts, useExisting: FundingService }],
  exports: [VirtualAccounts],
})
export class FundingModule {}
