import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../../platform/config.js';
import { Metrics } from '../../platform/observability/metrics.js';
import { Sessions } from '../identity/identity.port.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { SettlementModule } from '../settlement/settlement.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { FeedReader } from './feed-reader.service.js';
import { LiveUpdatesController } from './live-updates.controller.js';
import { LiveUpdatesService } from './live-updates.service.js';

@Module({})
export class LiveUpdatesModule {
  static with(config: Config, notifications: DynamicModule): DynamicModule {
    return {
      module: LiveUpdatesModule,
      imports: [WalletModule, PaymentsModule, SettlementModule, notifications],
      controllers: [LiveUpdatesController],
      providers: [
        FeedReader,
        {
          provide: LiveUpdatesService,
          inject: [FeedReader, Sessions, Metrics],
          useFactory: (reader: FeedReader, sessions: Sessions, metrics: Metrics) => {
            const updates = new LiveUpdatesService(reader, sessions, config.EVENT_STREAMS_MAX);
            metrics.gauge('apw_event_streams', 'Open streams of server-sent events', () => updates.openCount);
            metrics.gauge('apw_event_streams_max', 'EVENT_STREAMS_MAX', () => config.EVENT_STREAMS_MAX);
            return updates;
          },
        },
      ],
    };
  }
}
