import { Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/payments.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { AccountSearchController, SavedViewsController } from './search.controller.js';
import { AccountSearchService } from './search.service.js';
import { SavedViewsStore } from './search.store.js';

@Module({
  imports: [WalletModule, PaymentsModule],
  controllers: [AccountSearchController, SavedViewsController],
  providers: [AccountSearchService, SavedViewsStore],
})
export class SearchModule {}
