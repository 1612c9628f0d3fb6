import { Module } from '@nestjs/common';
import { SettlementModule } from '../settlement/settlement.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { ApprovalsService } from './approvals/approvals.service.js';
import { ApprovalsStore } from './approvals/approvals.store.js';
import { HoldsReconciliation } from './approvals/holds.reconcile.js';
import { PaymentIntentController } from './authorize/authorize.controller.js';
import { AuthorizeService } from './authorize/authorize.service.js';
import { PaymentMetrics } from './authorize/payment-metrics.service.js';
import { PaymentReadings } from './authorize/payment-readings.service.js';
import { BlockedAttemptsStore } from './authorize/blocked-attempts.store.js';
import { AdviceService } from './authorize/advice.service.js';
import { WindowReleaseStore } from './authorize/window-release.store.js';
import { TransactionsController } from './transactions/transactions.controller.js';
import { TransactionsService } from './transactions/transactions.service.js';
import { TransactionsStore } from './transactions/transactions.store.js';
import { OwnWalletController } from './transactions/own-wallet.controller.js';
import { SearchController } from './transactions/search.controller.js';
import { SearchService } from './transactions/search.service.js';
import { SearchStore } from './transactions/search.store.js';
import { TotalsStore } from './transactions/totals.store.js';
import { SpendingController } from './transactions/spending.controller.js';
import { LabelsController } from './labels/labels.controller.js';
import { LabelsService } from './labels/labels.service.js';
import { LabelsStore } from './labels/labels.store.js';
import { FilesController } from './files/files.controller.js';
import { FilesService } from './files/files.service.js';
import { FilesStore } from './files/files.store.js';
import { NotesController } from './notes/notes.controller.js';
import { NotesService } from './notes/notes.service.js';
import { SpendController } from './spend/spend.controller.js';
import { SpendService } from './spend/spend.service.js';
import { SpendStore } from './spend/spend.store.js';
import { OverviewService } from './overview/overview.service.js';
import { OverviewStore } from './overview/overview.store.js';
import { PaymentsOverview } from './overview.port.js';
import { PayeesController } from './rules/payees/payees.controller.js';
import {
  Decisions,
  PaymentLoad,
  Payments,
  PaymentSearch,
  RecordedAttempts,
  Transactions,
} from './payments.port.js';
import { PaymentBooks } from './payment-books.port.js';
import { PaymentBooksStore } from './transactions/payment-books.store.js';
import { firstFailed } from './checks/decide.domain.js';
import { RecordedAttemptsStore } from './transactions/recorded-attempts.store.js';
import { LimitWarningsStore } from './limit-warnings/limit-warnings.store.js';
import { PaymentsStore } from './payments.store.js';
import { PaymentRulesModule } from './rules/rules.module.js';

@Module({
  imports: [WalletModule, SettlementModule, PaymentRulesModule],
  controllers: [
    PaymentIntentController,
    TransactionsController,
    SearchController,
    SpendingController,
    SpendController,
    LabelsController,
    NotesController,
    FilesController,
    OwnWalletController,
    ApprovalsController,
    PayeesController,
  ],
  providers: [
    PaymentsStore,
    BlockedAttemptsStore,
    LimitWarningsStore,
    PaymentReadings,
    PaymentMetrics,
    AuthorizeService,
    ApprovalsStore,
    ApprovalsService,
    HoldsReconciliation,
    WindowReleaseStore,
    AdviceService,
    TransactionsStore,
    TransactionsService,
    SearchStore,
    TotalsStore,
    SearchService,
    SpendStore,
    LabelsStore,
    LabelsService,
    NotesService,
    FilesStore,
    FilesService,
    SpendService,
    OverviewStore,
    { provide: Payments, useExisting: TransactionsStore },
    { provide: PaymentSearch, useExisting: SearchService },
    { provide: PaymentLoad, useExisting: AuthorizeService },
    { provide: PaymentsOverview, useClass: OverviewService },
    { provide: PaymentBooks, useClass: PaymentBooksStore },
    { provide: RecordedAttempts, useClass: RecordedAttemptsStore },
    { provide: Transactions, useExisting: TransactionsService },
    { provide: Decisions, useValue: { firstFailed } satisfies Decisions },
  ],
  exports: [
    PaymentBooks,
    PaymentsOverview,
    Payments,
    PaymentSearch,
    PaymentLoad,
    RecordedAttempts,
    Transactions,
    Decisions,
  ],
})
export class PaymentsModule {}
