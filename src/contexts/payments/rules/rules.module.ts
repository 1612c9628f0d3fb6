import { Module } from '@nestjs/common';
import { KeyUsages } from '../../wallet/keys/key-usages.port.js';
import { CoolingOffStore } from './cooling-off/cooling-off.store.js';
import { RecentPurchasesStore } from './duplicate-guard/recent-purchases.store.js';
import { KeyLimitsStore } from './key-limits/key-limits.store.js';
import { PayeeRecords } from './payees/payee-records.service.js';
import { PayeeRecordsStore } from './payees/payee-records.store.js';
import { RuleRecordsService } from './rule-records.service.js';

@Module({
  providers: [
    KeyLimitsStore,
    PayeeRecordsStore,
    PayeeRecords,
    CoolingOffStore,
    RecentPurchasesStore,
    RuleRecordsService,
    { provide: KeyUsages, useExisting: KeyLimitsStore },
  ],
  exports: [
    KeyLimitsStore,
    PayeeRecordsStore,
    CoolingOffStore,
    RecentPurchasesStore,
    RuleRecordsService,
    KeyUsages,
  ],
})
export class PaymentRulesModule {}
