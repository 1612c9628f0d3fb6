import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TerminusModule } from '@nestjs/terminus';
import { ActivityModule } from './contexts/activity/activity.module.js';
import { AgentsModule } from './contexts/agents/agents.module.js';
import { BankModule } from './contexts/bank/bank.module.js';
import { BusinessModule } from './contexts/business/business.module.js';
import { CasesModule } from './contexts/operations/operations.module.js';
import { Config } from './platform/config.js';
import { FundingModule } from './contexts/funding/funding.module.js';
import { SandboxTransfersModule } from './contexts/funding/sandbox-transfers/sandbox-transfers.module.js';
import { HealthController } from './platform/observability/health.controller.js';
import { VersionController } from './platform/observability/version.controller.js';
import { DatabaseGauges } from './platform/observability/database-gauges.js';
import { Metrics } from './platform/observability/metrics.js';
import { ProcessMetrics } from './platform/observability/process-metrics.js';
import { stopTracing } from './platform/observability/tracing.js';
import { IdentityModule } from './contexts/identity/identity.module.js';
import { HomeModule } from './contexts/home/home.module.js';
import { LiveUpdatesModule } from './contexts/live-updates/live-updates.module.js';
import { LedgerModule } from './contexts/ledger/ledger.module.js';
import { NoticesModule } from './contexts/notices/notices.module.js';
import { NotificationsModule } from './contexts/notifications/notifications.module.js';
import { PaymentsModule } from './contexts/payments/payments.module.js';
import { ReceiptsModule } from './contexts/receipts/receipts.module.js';
import { SearchModule } from './contexts/search/search.module.js';
import { StatementsModule } from './contexts/statements/statements.module.js';
import { SimulationModule } from './contexts/simulation/simulation.module.js';
import { SettlementModule } from './contexts/settlement/settlement.module.js';
import { Database } from './platform/database/database.js';
import { Events } from './platform/events/events.js';
import { FailedJobs } from './platform/jobs/failed-jobs.js';
import { JobMetrics } from './platform/jobs/job-metrics.js';
import { Jobs } from './platform/jobs/jobs.js';
import { Mail } from './platform/mail/mail.js';
import { mailFor } from './platform/mail/mailers.js';
import { sessionMasters } from './platform/security/masters.js';
import { WalletModule } from './contexts/wallet/wallet.module.js';

@Global()
@Module({})
class PlatformModule implements OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.metrics.stop(), stopTracing()]);
    await this.database.close();
  }
}

@Module({})
export class AppModule {
  static with(config: Config, database: Database, jwtSecret: string, metrics = new Metrics()): DynamicModule {
    const platform: DynamicModule = {
      module: PlatformModule,
      imports: [EventEmitterModule.forRoot()],
      providers: [
        { provide: Config, useValue: config },
        { provide: Database, useValue: database },
        { provide: Metrics, useValue: metrics },
        { provide: Mail, useFactory: () => mailFor(config) },
        Events,
        Jobs,
        JobMetrics,
        FailedJobs,
        DatabaseGauges,
        ProcessMetrics,
      ],
      exports: [Config, Database, Events, Jobs, FailedJobs, Mail, Metrics, DatabaseGauges],
    };
    const sessions = sessionMasters(jwtSecret, config);
    const notifications = NotificationsModule.with(config, sessions);
    const receipts = ReceiptsModule.with(sessions);
    return {
      module: AppModule,
      imports: [
        platform,
        // The outage is logged already.
        TerminusModule.forRoot({ logger: false, errorLogStyle: 'json' }),
        BankModule.with(config),
        CasesModule.with(notifications),
        ActivityModule,
        BusinessModule,
        IdentityModule.with(config, sessions),
        FundingModule,
        ...(config.BANK_PROVIDER === 'sandbox' ? [SandboxTransfersModule] : []),
        WalletModule,
        SettlementModule,
        PaymentsModule,
        SearchModule,
        SimulationModule,
        receipts,
        LedgerModule,
        StatementsModule.with(receipts),
        notifications,
        NoticesModule.with(config, sessions),
        HomeModule.with(notifications),
        LiveUpdatesModule.with(config, notifications),
        AgentsModule,
      ],
      controllers: [HealthController, VersionController],
    };
  }
}
