import { type DynamicModule, Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/payments.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { HomeController } from './home.controller.js';
import { HomeService } from './home.service.js';
import { HomeStore } from './home.store.js';

@Module({})
export class HomeModule {
  static with(notifications: DynamicModule): DynamicModule {
    return {
      module: HomeModule,
      imports: [WalletModule, PaymentsModule, notifications],
      controllers: [HomeController],
      providers: [HomeStore, HomeService],
    };
  }
}
