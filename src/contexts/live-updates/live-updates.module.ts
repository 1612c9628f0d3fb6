import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../../platform/config.js';
import { Sessions } from '../identity/identity.port.js';
import { WebhookActivity } from '../notifications/notifications.port.js';
import { Payments } from '../payments/payments.port.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { Settlements } from '../settlement/settlement.port.js';
import { SettlementModule } from '../settlement/settlement.module.js';
import { Wallets } from '../wallet/wallet.port.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { LiveUpdatesController } from './live-updates.controller.js';
import { LiveUpdatesService } from './live-updates.service.js';

@Module({})
export class LiveUpdatesModule {
  /** `notifications` is the one module of the outbound webhooks, as it was configured. */
  static with(config: Config, notifications: DynamicModule): DynamicModule {
    return {
      module: LiveUpdatesModule,
      imports: [WalletModule, PaymentsModule, SettlementModule, notifications],
      controllers: [LiveUpdatesController],
      providers: [
        {
          provide: LiveUpdatesService,
          inject: [Wallets, Payments, Settlements, WebhookActivity, Sessions],
          useFactory: (
            wallets: Wallets,
            payments: Payments,
            settlements: Settlements,
            webhooks: WebhookActivity,
            sessions: Sessions,
          ) =>
            new LiveUpdatesService(
              wallets,
              payments,
              settlements,
              webhooks,
              sessions,
              config.EVENT_STREAMS_MAX,
            ),
        },
      ],
    };
  }
}
