import { Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/payments.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { SettlementModule } from '../settlement/settlement.module.js';
import { FilteredLedgerController } from './filtered-ledger.controller.js';
import { FilteredLedgerService } from './filtered-ledger.service.js';
import { LedgerBooksStore } from './ledger-books.store.js';
import { LedgerController } from './ledger.controller.js';
import { LedgerLinesService } from './ledger-lines.service.js';
import { LedgerPeriodsStore } from './ledger-periods.store.js';
import { LedgerBooks, LedgerPeriods } from './ledger.port.js';
import { LedgerService } from './ledger.service.js';
import { LedgerStore } from './ledger.store.js';

@Module({
  imports: [WalletModule, PaymentsModule, SettlementModule],
  controllers: [LedgerController, FilteredLedgerController],
  providers: [
    LedgerStore,
    LedgerPeriodsStore,
    LedgerService,
    LedgerLinesService,
    FilteredLedgerService,
    { provide: LedgerBooks, useClass: LedgerBooksStore },
    { provide: LedgerPeriods, useExisting: LedgerLinesService },
  ],
  exports: [LedgerBooks, LedgerPeriods],
})
export class LedgerModule {}
