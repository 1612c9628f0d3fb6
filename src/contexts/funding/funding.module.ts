import { Module } from '@nestjs/common';
import { VirtualAccounts } from './funding.port.js';
import { FundingController } from './funding.controller.js';
import { FundingReconciliation } from './funding.reconcile.js';
import { FundingService } from './funding.service.js';
import { FundingStore } from './funding.store.js';
import { VirtualAccountsService } from './virtual-accounts.service.js';
import { VirtualAccountsStore } from './virtual-accounts.store.js';

@Module({
  controllers: [FundingController],
  providers: [
    FundingStore,
    VirtualAccountsStore,
    VirtualAccountsService,
    FundingService,
    FundingReconciliation,
    { provide: VirtualAccounts, useExisting: VirtualAccountsService },
  ],
  exports: [VirtualAccounts],
})
export class FundingModule {}
