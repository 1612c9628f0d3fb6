import { type DynamicModule, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { type Masters, sealingMasters } from '../../platform/security/masters.js';
import { SecretBox } from '../../platform/security/secret-box.js';
import { Users } from '../identity/identity.port.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { PaymentLoad } from '../payments/payments.port.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { Wallets } from '../wallet/wallet.port.js';
import { DeliveriesController, EndpointDeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { DeliveryMetrics } from './deliveries/delivery-metrics.service.js';
import { DeliveryStore } from './deliveries/deliveries.store.js';
import { DeliveryQueueStore } from './deliveries/delivery-queue.store.js';
import { Dispatcher } from './deliveries/dispatcher.js';
import { AddressGuard, allowsPrivate } from '../../platform/security/safe-address.js';
import { Sender } from './deliveries/sender.js';
import { EndpointSecrets } from './endpoints/endpoint-secrets.service.js';
import { FailingEndpointsStore } from './endpoints/failing-endpoints.store.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { EndpointsService } from './endpoints/endpoints.service.js';
import { EndpointStore } from './endpoints/endpoints.store.js';
import { Subscriptions } from './endpoints/subscriptions.service.js';
import { WebhookActivityStore } from './deliveries/webhook-activity.store.js';
import { FailingEndpoints, WebhookActivity } from './notifications.port.js';
import { OperatorWebhook } from './operator-webhook.service.js';
import { NotificationsService } from './notifications.service.js';
import { PayingKeys } from './paying-keys.service.js';

const DISPATCHER_CONNECTIONS_MAX = 2;

@Module({})
export class NotificationsModule implements OnApplicationBootstrap {
  constructor(private readonly config: Config) {}

  /** Encrypts secrets with `WEBHOOK_ENCRYPTION_KEY`, else as `sessions` do. */
  static with(config: Config, sessions: Masters): DynamicModule {
    const { WEBHOOK_ENCRYPTION_KEY: own, WEBHOOK_ENCRYPTION_KEY_PREVIOUS: previous } = config;
    const isProduction = config.NODE_ENV === 'production';
    const guard = new AddressGuard(allowsPrivate(config));
    const box = new SecretBox(sealingMasters(own, previous, sessions), 'webhook endpoint secrets, v1');
    return {
      module: NotificationsModule,
      imports: [WalletModule, PaymentsModule],
      controllers: [EndpointsController, EndpointDeliveriesController, DeliveriesController],
      providers: [
        NotificationsService,
        PayingKeys,
        EndpointStore,
        Subscriptions,
        DeliveryStore,
        DeliveryQueueStore,
        DeliveriesService,
        DeliveryMetrics,
        WebhookActivityStore,
        { provide: FailingEndpoints, useClass: FailingEndpointsStore },
        { provide: WebhookActivity, useExisting: WebhookActivityStore },
        {
          provide: OperatorWebhook,
          inject: [Database],
          useFactory: (database: Database) =>
            new OperatorWebhook(new Sender(guard, isProduction), database, config),
        },
        {
          provide: Dispatcher,
          inject: [Database, PaymentLoad, Events, DeliveryMetrics],
          useFactory: (
            database: Database,
            payments: PaymentLoad,
            events: Events,
            metrics: DeliveryMetrics,
          ) => {
            const share = database.share(DISPATCHER_CONNECTIONS_MAX);
            return new Dispatcher(
              new DeliveryQueueStore(share, new EndpointStore(share), events),
              new Sender(guard, isProduction),
              box,
              config.WEBHOOK_RETRY_SECONDS,
              payments,
              (batch) => metrics.recorded(batch),
            );
          },
        },
        {
          provide: EndpointSecrets,
          inject: [EndpointStore, Database, Events, Jobs],
          useFactory: (store: EndpointStore, database: Database, events: Events, jobs: Jobs) =>
            new EndpointSecrets(store, box, database, events, jobs),
        },
        {
          provide: EndpointsService,
          inject: [EndpointStore, DeliveryQueueStore, DeliveryStore, Wallets, Users, Database, Events],
          useFactory: (
            store: EndpointStore,
            deliveries: DeliveryQueueStore,
            history: DeliveryStore,
            wallets: Wallets,
            users: Users,
            database: Database,
            events: Events,
          ) =>
            new EndpointsService(
              store,
              deliveries,
              history,
              wallets,
              users,
              database,
              guard,
              box,
              events,
              isProduction,
            ),
        },
      ],
      exports: [WebhookActivity, FailingEndpoints],
    };
  }

  onApplicationBootstrap(): void {
    if (!allowsPrivate(this.config)) return;
    new Logger('webhooks').warn(
      'WEBHOOK_ALLOW_PRIVATE: webhooks may be sent to loopback and private addresses',
    );
  }
}
