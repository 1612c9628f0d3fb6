import { type DynamicModule, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { Wallets } from '../wallet/wallet.port.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { Dispatcher } from './dispatcher.js';
import {
  LowBalanceController,
  WebhookDeliveriesController,
  WebhookEndpointsController,
} from './notifications.controller.js';
import { NotificationsService } from './notifications.service.js';
import { NotificationsStore } from './notifications.store.js';
import { AddressGuard } from './safe-address.js';
import { SecretBox } from '../../platform/security/secret-box.js';
import { Sender } from './sender.js';

/** The dispatcher's share of the connections: one claims, one records. */
const ASIDE = Symbol('connections of the dispatcher');

@Module({})
export class NotificationsModule implements OnApplicationBootstrap {
  constructor(private readonly config: Config) {}

  /** Secrets are encrypted under `WEBHOOK_ENCRYPTION_KEY`, or under `fallbackKey` when that is not set. */
  static with(config: Config, fallbackKey: string): DynamicModule {
    const httpsOnly = config.NODE_ENV === 'production';
    const guard = new AddressGuard(allowsPrivate(config));
    const box = new SecretBox(config.WEBHOOK_ENCRYPTION_KEY ?? fallbackKey, 'webhook endpoint secrets, v1');
    return {
      module: NotificationsModule,
      imports: [WalletModule],
      controllers: [WebhookEndpointsController, WebhookDeliveriesController, LowBalanceController],
      providers: [
        NotificationsStore,
        { provide: ASIDE, inject: [Database], useFactory: (database: Database) => database.share(2) },
        {
          provide: Dispatcher,
          inject: [ASIDE],
          useFactory: (database: Database) =>
            new Dispatcher(
              new NotificationsStore(database),
              new Sender(guard, httpsOnly),
              box,
              config.WEBHOOK_RETRY_SECONDS,
            ),
        },
        {
          provide: NotificationsService,
          inject: [NotificationsStore, Dispatcher, Wallets, Database],
          useFactory: (
            store: NotificationsStore,
            dispatcher: Dispatcher,
            wallets: Wallets,
            database: Database,
          ) => new NotificationsService(store, dispatcher, wallets, database, guard, box, httpsOnly),
        },
      ],
    };
  }

  onApplicationBootstrap(): void {
    if (!allowsPrivate(this.config)) return;
    new Logger('webhooks').warn(
      'WEBHOOK_ALLOW_PRIVATE: webhooks may be sent to loopback and private addresses',
    );
  }
}

function allowsPrivate({ WEBHOOK_ALLOW_PRIVATE: allowed, NODE_ENV }: Config): boolean {
  return allowed ? allowed === 'true' : NODE_ENV !== 'production';
}
