import { type DynamicModule, Module } from '@nestjs/common';
import { Jobs } from '../../platform/jobs/jobs.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { Transactions } from '../payments/payments.port.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { ReceiptsController } from './receipts.controller.js';
import { ReceiptsService } from './receipts.service.js';
import { ReceiptsStore } from './receipts.store.js';

@Module({})
export class ReceiptsModule {
  /** `master` seals the signing keys and derives salts. */
  static with(master: string): DynamicModule {
    return {
      module: ReceiptsModule,
      imports: [PaymentsModule, WalletModule],
      controllers: [ReceiptsController],
      providers: [
        ReceiptsStore,
        {
          provide: ReceiptsService,
          inject: [ReceiptsStore, Transactions, Jobs],
          useFactory: (store: ReceiptsStore, transactions: Transactions, jobs: Jobs) =>
            new ReceiptsService(store, transactions, jobs, master),
        },
      ],
    };
  }
}
