import { Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/payments.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { AccountSearchController } from './search.controller.js';
import { AccountSearchService } from './search.service.js';

@Module({
  imports: [WalletModule, PaymentsModule],
  controllers: [AccountSearchController],
  providers: [AccountSearchService],
})
export class SearchModule {}
