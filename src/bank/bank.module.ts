import { Module } from '@nestjs/common';
import { Database } from '../shared/database.js';
import { Bank } from './bank.contract.js';
import { SandboxBank } from './sandbox.js';

@Module({
  providers: [
    {
      provide: Bank,
      inject: [Database],
      useFactory: (database: Database): Bank => new SandboxBank(database),
    },
  ],
  exports: [Bank],
})
export class BankModule {}
