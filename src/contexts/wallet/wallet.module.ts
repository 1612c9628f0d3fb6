import { Module } from '@nestjs/common';
import { BusinessModule } from '../business/business.module.js';
import { FundingModule } from '../funding/funding.module.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { SpendableWallets, Wallets } from './wallet.port.js';
import { WalletBalanceService } from './wallet-balance.service.js';
import { WalletController } from './wallet.controller.js';
import { WalletService } from './wallet.service.js';
import { WalletSpendingStore } from './wallet-spending.store.js';
import { WalletStore } from './wallet.store.js';

@Module({
  imports: [BusinessModule, FundingModule],
  controllers: [WalletController],
  providers: [
    WalletStore,
    WalletSpendingStore,
    WalletService,
    WalletBalanceService,
    ApiKeyGuard,
    { provide: Wallets, useExisting: WalletStore },
    { provide: SpendableWallets, useExisting: WalletSpendingStore },
  ],
  exports: [Wallets, SpendableWallets, ApiKeyGuard],
})
export class WalletModule {}
