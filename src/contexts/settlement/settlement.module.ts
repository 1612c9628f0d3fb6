import { Module } from '@nestjs/common';
import { Settlements } from './settlement.port.js';
import { PayoutWebhookController } from './settlement.controller.js';
import { SettlementEnds } from './settlement-ends.store.js';
import { SettlementOutcomes } from './settlement-outcomes.service.js';
import { SettlementReconciliation } from './settlement.reconcile.js';
import { SettlementService } from './settlement.service.js';
import { SettlementStore } from './settlement.store.js';

@Module({
  controllers: [PayoutWebhookController],
  providers: [
    SettlementStore,
    SettlementEnds,
    SettlementOutcomes,
    SettlementService,
    SettlementReconciliation,
    { provide: Settlements, useExisting: SettlementStore },
  ],
  exports: [Settlements],
})
export class SettlementModule {}
