import { Module } from '@nestjs/common';
import { Bank } from '../bank/bank.contract.js';
import { BankModule } from '../bank/bank.module.js';
import { Database } from '../shared/database.js';
import { Events } from '../shared/events.js';
import { Settlements } from './settlement.contract.js';
import { SettlementService } from './settlement.service.js';
import { SettlementStore } from './settlement.store.js';

const POLL_SECONDS = 15;

@Module({
  imports: [BankModule],
  providers: [
    SettlementStore,
    {
      provide: SettlementService,
      inject: [SettlementStore, Bank, Database, Events],
      useFactory: (store: SettlementStore, bank: Bank, database: Database, events: Events) =>
        new SettlementService(store, bank, database, events, POLL_SECONDS),
    },
    { provide: Settlements, useExisting: SettlementStore },
  ],
  exports: [Settlements],
})
export class SettlementModule {}
