import { Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/payments.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { LedgerBooksStore } from './ledger-books.store.js';
import { LedgerController } from './ledger.controller.js';
import { LedgerBooks } from './ledger.port.js';
import { LedgerService } from './ledger.service.js';
import { LedgerStore } from './ledger.store.js';

@Module({
  imports: [WalletModule, PaymentsModule],
  controllers: [LedgerController],
  providers: [LedgerStore, LedgerService, { provide: LedgerBooks, useClass: LedgerBooksStore }],
  exports: [LedgerBooks],
})
export class LedgerModule {}
