import { type DynamicModule, Module } from '@nestjs/common';
import { FundingModule } from '../funding/funding.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { SettlementModule } from '../settlement/settlement.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { OperatorActsController } from './acts/acts.controller.js';
import { ActsService } from './acts/acts.service.js';
import { ActsStore } from './acts/acts.store.js';
import { OperatorGrants } from './acts/grants.service.js';
import { OperatorNames } from './acts/operator-names.service.js';
import { ActTargets } from './acts/targets.service.js';
import { CaseMail } from './cases/case-mail.service.js';
import { CasePages } from './cases/case-page.service.js';
import { OperatorController } from './cases/cases.controller.js';
import { CasesStore } from './cases/cases.store.js';
import { CaseMetrics } from './case-metrics.service.js';
import { InvariantsService } from './invariants/invariants.service.js';
import { CasesService } from './operations.service.js';

@Module({})
export class CasesModule {
  static with(notifications: DynamicModule): DynamicModule {
    return {
      module: CasesModule,
      imports: [WalletModule, LedgerModule, PaymentsModule, SettlementModule, FundingModule, notifications],
      controllers: [OperatorController, OperatorActsController],
      providers: [
        CasesService,
        CasesStore,
        CaseMail,
        CaseMetrics,
        CasePages,
        ActsStore,
        OperatorNames,
        ActTargets,
        ActsService,
        OperatorGrants,
        InvariantsService,
      ],
    };
  }
}
