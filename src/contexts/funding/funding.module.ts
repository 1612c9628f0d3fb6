import { Module } from '@nestjs/common';
import { VirtualAccounts } from './funding.port.js';
import { FundingController } from './funding.controller.js';
import { FundingReconciliation } from './funding.reconcile.js';
import { FundingService } from './funding.service.js';
import { FundingStore } from './funding.store.js';

@Module({
  controllers: [FundingController],
  providers: [
    FundingStore,
    FundingService,
    FundingReconciliation,
    { provide: VirtualAccounts, useExisting: FundingService },
  ],
  exports: [VirtualAccounts],
})
export class FundingModule {}
