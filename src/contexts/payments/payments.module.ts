import { Module } from '@nestjs/common';
import { SettlementModule } from '../settlement/settlement.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { PaymentIntentController, WalletPaymentsController } from './payments.controller.js';
import { PayeesController } from './payees.controller.js';
import { PaymentsService } from './payments.service.js';
import { PaymentsStore } from './payments.store.js';

@Module({
  imports: [WalletModule, SettlementModule],
  controllers: [PaymentIntentController, WalletPaymentsController, PayeesController],
  providers: [PaymentsStore, PaymentsService],
})
export class PaymentsModule {}
