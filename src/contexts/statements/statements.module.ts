import { type DynamicModule, Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { BookkeepingController } from './bookkeeping.controller.js';
import { BookkeepingService } from './bookkeeping.service.js';
import { StatementMailsStore } from './statement-mails.store.js';
import { StatementMails } from './statement-mails.service.js';
import { StatementMaker } from './statement-maker.service.js';
import { StatementMailController, StatementsController } from './statements.controller.js';
import { StatementsService } from './statements.service.js';
import { StatementsStore } from './statements.store.js';

@Module({})
export class StatementsModule {
  static with(receipts: DynamicModule): DynamicModule {
    return {
      module: StatementsModule,
      imports: [LedgerModule, WalletModule, receipts],
      controllers: [StatementsController, StatementMailController, BookkeepingController],
      providers: [
        BookkeepingService,
        StatementsStore,
        StatementMailsStore,
        StatementMaker,
        StatementsService,
        StatementMails,
      ],
    };
  }
}
