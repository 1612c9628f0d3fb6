import { type DynamicModule, Module } from '@nestjs/common';
import { Config, dashboardUrl } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import type { Masters } from '../../platform/security/masters.js';
import { AddressGuard, allowsPrivate } from '../../platform/security/safe-address.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { AccountNews } from './account-news.service.js';
import { NoticesController, NoticeSettingsController } from './notices.controller.js';
import { NoticesService } from './notices.service.js';
import { NoticesStore } from './notices.store.js';
import { NoticeOutcomes } from './outcomes.service.js';
import { PaymentNews } from './payment-news.service.js';
import { PushController } from './push/push.controller.js';
import { PushDelivery } from './push/push-delivery.service.js';
import { PushKeys } from './push/push-keys.service.js';
import { PushSender } from './push/push-sender.js';
import { PushStore } from './push/push.store.js';
import { PushSubscriptions } from './push/push-subscriptions.service.js';
import { WalletWatch } from './wallet-watch.service.js';

@Module({})
export class NoticesModule {
  static with(config: Config, masters: Masters): DynamicModule {
    const guard = new AddressGuard(allowsPrivate(config));
    return {
      module: NoticesModule,
      imports: [WalletModule, PaymentsModule],
      controllers: [NoticesController, NoticeSettingsController, PushController],
      providers: [
        NoticesStore,
        NoticesService,
        PaymentNews,
        AccountNews,
        WalletWatch,
        NoticeOutcomes,
        PushStore,
        PushSubscriptions,
        PushDelivery,
        { provide: AddressGuard, useValue: guard },
        { provide: PushSender, useFactory: () => new PushSender(guard, contactOf(config)) },
        {
          provide: PushKeys,
          inject: [PushStore, Database, Events, Jobs],
          useFactory: (store: PushStore, database: Database, events: Events, jobs: Jobs) =>
            new PushKeys(store, database, events, jobs, masters),
        },
      ],
    };
  }
}

function contactOf(config: Config): string {
  if (config.OPERATOR_EMAIL !== undefined) return `mailto:${config.OPERATOR_EMAIL}`;
  const url = dashboardUrl(config);
  return url.startsWith('https:') ? url : 'mailto:operator@example.com';
}
