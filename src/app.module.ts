import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { BankModule } from './bank/bank.module.js';
import { BusinessModule } from './business/business.module.js';
import { CasesModule } from './cases/cases.module.js';
import { Config } from './config.js';
import { FundingModule } from './funding/funding.module.js';
import { HealthController } from './http/health.controller.js';
import { IdentityModule } from './identity/identity.module.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { PaymentsModule } from './payments/payments.module.js';
import { SettlementModule } from './settlement/settlement.module.js';
import { Database } from './shared/database.js';
import { Events } from './shared/events.js';
import { WalletModule } from './wallet/wallet.module.js';

const ISSUER = 'agent-payment-wallet';

/** What every context stands on. */
@Global()
@Module({})
class PlatformModule {}

@Module({})
export class AppModule {
  /** The whole service on one database; `jwtSecret` signs the session tokens. */
  static with(config: Config, database: Database, jwtSecret: string): DynamicModule {
    const platform: DynamicModule = {
      module: PlatformModule,
      imports: [
        DiscoveryModule,
        JwtModule.register({
          secret: jwtSecret,
          signOptions: { issuer: ISSUER },
          verifyOptions: { issuer: ISSUER },
        }),
      ],
      providers: [{ provide: Config, useValue: config }, { provide: Database, useValue: database }, Events],
      exports: [Config, Database, Events, JwtModule],
    };
    return {
      module: AppModule,
      imports: [
        platform,
        BankModule.with(config),
        CasesModule,
        BusinessModule,
        IdentityModule,
        FundingModule,
        WalletModule,
        SettlementModule,
        PaymentsModule,
        LedgerModule,
        NotificationsModule.with(config, jwtSecret),
      ],
      controllers: [HealthController],
    };
  }
}
