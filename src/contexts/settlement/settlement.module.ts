import { Module } from '@nestjs/common';
import { Payouts } from './payouts.port.js';
import { PayoutsService } from './payouts.service.js';
import { SessionIds, Settlements } from './settlement.port.js';
import { PayoutWebhookController } from './settlement.controller.js';
import { SettlementLookups } from './settlement-lookups.store.js';
import { SettlementResults } from './settlement-results.store.js';
import { SettlementOutcomes } from './settlement-outcomes.service.js';
import { SettlementReconciliation } from './settlement.reconcile.js';
import { SettlementMetrics } from './settlement-metrics.service.js';
import { ReturnedPayouts } from './settlement-returns.service.js';
import { SettlementService } from './settlement.service.js';
import { SettlementStore } from './settlement.store.js';

@Module({
  controllers: [PayoutWebhookController],
  providers: [
    SettlementStore,
    SettlementResults,
    SettlementLookups,
    SettlementOutcomes,
    SettlementMetrics,
    SettlementService,
    SettlementReconciliation,
    ReturnedPayouts,
    { provide: Settlements, useExisting: SettlementStore },
    { provide: SessionIds, useExisting: SettlementLookups },
    { provide: Payouts, useClass: PayoutsService },
  ],
  exports: [Settlements, SessionIds, Payouts],
})
export class SettlementModule {}
