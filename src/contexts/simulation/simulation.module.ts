import { Module } from '@nestjs/common';
import { PaymentsModule } from '../payments/payments.module.js';
import { SettlementModule } from '../settlement/settlement.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { BacktestController } from './backtest.controller.js';
import { ReplayService } from './replay.service.js';
import { ShadowController } from './shadow.controller.js';
import { ShadowService } from './shadow.service.js';
import { ShadowStore } from './shadow.store.js';

@Module({
  imports: [PaymentsModule, SettlementModule, WalletModule],
  controllers: [BacktestController, ShadowController],
  providers: [ReplayService, ShadowStore, ShadowService],
})
export class SimulationModule {}
