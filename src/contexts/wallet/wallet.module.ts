import { Module } from '@nestjs/common';
import { BusinessModule } from '../business/business.module.js';
import { FundingModule } from '../funding/funding.module.js';
import { Wallets } from './wallet.port.js';
import { WalletController } from './wallet.controller.js';
import { WalletService } from './wallet.service.js';
import { WalletStore } from './wallet.store.js';

@Module({
  imports: [BusinessModule, FundingModule],
  controllers: [WalletController],
  providers: [WalletStore, WalletService, { provide: Wallets, useExisting: WalletStore }],
  exports: [Wallets],
})
export class WalletModule {}
