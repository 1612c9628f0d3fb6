import { Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/payments.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { AccountNews } from './account-news.service.js';
import { NoticesController, NoticeSettingsController } from './notices.controller.js';
import { NoticesService } from './notices.service.js';
import { NoticesStore } from './notices.store.js';
import { PaymentNews } from './payment-news.service.js';
import { WalletWatch } from './wallet-watch.service.js';

@Module({
  imports: [WalletModule, PaymentsModule],
  controllers: [NoticesController, NoticeSettingsController],
  providers: [NoticesStore, NoticesService, PaymentNews, AccountNews, WalletWatch],
})
export class NoticesModule {}
