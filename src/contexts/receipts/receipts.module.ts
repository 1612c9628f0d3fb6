import { type DynamicModule, Module } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import type { Masters } from '../../platform/security/masters.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { ReceiptKeys } from './receipt-keys.service.js';
import { Signatures } from './receipts.port.js';
import { ReceiptsController } from './receipts.controller.js';
import { ReceiptsService } from './receipts.service.js';
import { ReceiptsStore } from './receipts.store.js';

@Module({})
export class ReceiptsModule {
  /** `masters` seal the keys. */
  static with(masters: Masters): DynamicModule {
    return {
      module: ReceiptsModule,
      imports: [PaymentsModule, WalletModule],
      controllers: [ReceiptsController],
      providers: [
        ReceiptsStore,
        {
          provide: ReceiptKeys,
          inject: [ReceiptsStore, Database, Events, Jobs],
          useFactory: (store: ReceiptsStore, database: Database, events: Events, jobs: Jobs) =>
            new ReceiptKeys(store, database, events, jobs, masters),
        },
        ReceiptsService,
        { provide: Signatures, useExisting: ReceiptsService },
      ],
      exports: [Signatures],
    };
  }
}
