import { Module } from '@nestjs/common';
import { CaseMetrics } from './case-metrics.service.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { SettlementModule } from '../settlement/settlement.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { InvariantsService } from './invariants/invariants.service.js';
import { CasesService } from './operations.service.js';

@Module({
  imports: [WalletModule, LedgerModule, PaymentsModule, SettlementModule],
  providers: [CasesService, CaseMetrics, InvariantsService],
})
export class CasesModule {}
