import { type DynamicModule, Module } from '@nestjs/common';
import { Config } from '../../platform/config.js';
import { Metrics } from '../../platform/observability/metrics.js';
import { Bank } from './bank.port.js';
import { BankController } from './bank.controller.js';
import { BankNameEnquiry } from './name-enquiry.service.js';
import { NameEnquiry } from './name-enquiry.port.js';
import { KoraBank } from './kora/kora.js';
import { LoggedBank } from './logged-bank.js';
import { SandboxTransfers } from './sandbox/sandbox.port.js';
import type { OnCall } from './kora/kora-http.js';
import { SandboxBank } from './sandbox/sandbox.service.js';
import { SandboxReports } from './sandbox/sandbox-reports.js';
import { SandboxStore } from './sandbox/sandbox.store.js';

const NAME_ENQUIRY = { provide: NameEnquiry, useClass: BankNameEnquiry };

@Module({})
export class BankModule {
  /** Chooses the adapter; global. */
  static with(config: Config): DynamicModule {
    return config.BANK_PROVIDER === 'kora' ? kora(config) : sandbox(config);
  }
}

function sandbox(config: Config): DynamicModule {
  return {
    module: BankModule,
    global: true,
    controllers: [BankController],
    providers: [
      SandboxStore,
      SandboxReports,
      {
        provide: SandboxBank,
        inject: [SandboxStore, SandboxReports],
        useFactory: (store: SandboxStore, reports: SandboxReports) =>
          new SandboxBank(store, reports, webhookSecrets(config)),
      },
      {
        provide: Bank,
        inject: [SandboxBank],
        useFactory: (bank: SandboxBank) => new LoggedBank(bank, config.LOG_APPROVED_SAMPLE),
      },
      { provide: SandboxTransfers, useExisting: SandboxBank },
      NAME_ENQUIRY,
    ],
    exports: [Bank, NameEnquiry, SandboxTransfers],
  };
}

function kora(config: Config): DynamicModule {
  const make = (metrics: Metrics) =>
    new KoraBank({
      secretKey: config.KORA_SECRET_KEY ?? '',
      baseUrl: config.KORA_BASE_URL,
      bvn: config.KORA_BVN ?? '',
      payoutEmail: config.KORA_PAYOUT_EMAIL ?? '',
      timeoutMs: config.BANK_TIMEOUT_MS,
      webhookSecrets: webhookSecrets(config),
      issuingBankCode: config.KORA_ISSUING_BANK_CODE ?? '',
      notificationUrl: config.PAYOUT_WEBHOOK_URL,
      onCall: bankCalls(metrics),
    });
  return {
    module: BankModule,
    global: true,
    controllers: [BankController],
    providers: [
      {
        provide: Bank,
        inject: [Metrics],
        useFactory: (metrics: Metrics) => new LoggedBank(make(metrics), config.LOG_APPROVED_SAMPLE),
      },
      NAME_ENQUIRY,
    ],
    exports: [Bank, NameEnquiry],
  };
}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

function bankCalls(metrics: Metrics): OnCall {
  const seconds = metrics.histogram('apw_bank_call_seconds', 'Duration of a call to the bank', SECONDS);
  return (operation, outcome, each) => seconds.record(each, { operation, outcome });
}

function webhookSecrets({ WEBHOOK_SECRET, WEBHOOK_SECRET_PREVIOUS }: Config): readonly string[] {
  return WEBHOOK_SECRET === undefined ? [] : [WEBHOOK_SECRET, ...WEBHOOK_SECRET_PREVIOUS];
}
