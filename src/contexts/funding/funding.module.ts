import { Module } from '@nestjs/common';
import { VirtualAccounts } from './funding.port.js';
import { FundingController } from './funding.controller.js';
import { FundingReconciliation } from './funding.reconcile.js';
import { FundingService } from './funding.service.js';
import { FundingStore } from './funding.store.js';
import { InboundTransfers } from './inbound-transfers.port.js';
import { InboundTransfersService } from './inbound-transfers.service.js';
import { InboundTransfersStore } from './inbound-transfers.store.js';
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
    InboundTransfersStore,
    { provide: InboundTransfers, useClass: InboundTransfersService },
    { provide: VirtualAccounts, useExisting: VirtualAccountsService },
  ],
  exports: [VirtualAccounts, InboundTransfers],
})
export class FundingModule {}
