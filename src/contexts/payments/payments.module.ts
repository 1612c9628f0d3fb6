import { Module } from '@nestjs/common';
import { SettlementModule } from '../settlement/settlement.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { ApprovalsService } from './approvals/approvals.service.js';
import { ApprovalsStore } from './approvals/approvals.store.js';
import { HoldsReconciliation } from './approvals/holds.reconcile.js';
import { PaymentIntentController } from './authorize/authorize.controller.js';
import { AuthorizeService } from './authorize/authorize.service.js';
import { BlockedAttemptsStore } from './authorize/blocked-attempts.store.js';
import { Recipients } from './authorize/recipients.js';
import { AdviceService } from './authorize/advice.service.js';
import { WindowReleaseStore } from './authorize/window-release.store.js';
import { HistoryController } from './transactions/transactions.controller.js';
import { HistoryService } from './transactions/transactions.service.js';
import { HistoryStore } from './transactions/transactions.store.js';
import { OwnWalletController } from './transactions/own-wallet.controller.js';
import { SearchController } from './transactions/search.controller.js';
import { SearchService } from './transactions/search.service.js';
import { SearchStore } from './transactions/search.store.js';
import { SpendingController } from './transactions/spending.controller.js';
import { PayeesController } from './rules/payees/payees.controller.js';
import { PaymentLoad, Payments } from './payments.port.js';
import { PaymentsStore } from './payments.store.js';
import { RecentPurchasesStore } from './rules/duplicate-guard/recent-purchases.store.js';
import { ReplayController } from './replay/replay.controller.js';
import { ReplayService } from './replay/replay.service.js';
import { ReplayStore } from './replay/replay.store.js';
import { ShadowController } from './replay/shadow.controller.js';
import { ShadowService } from './replay/shadow.service.js';
import { ShadowStore } from './replay/shadow.store.js';

@Module({
  imports: [WalletModule, SettlementModule],
  controllers: [
    PaymentIntentController,
    HistoryController,
    SearchController,
    SpendingController,
    OwnWalletController,
    ApprovalsController,
    PayeesController,
    ReplayController,
    ShadowController,
  ],
  providers: [
    PaymentsStore,
    RecentPurchasesStore,
    BlockedAttemptsStore,
    AuthorizeService,
    ApprovalsStore,
    ApprovalsService,
    HoldsReconciliation,
    Recipients,
    WindowReleaseStore,
    AdviceService,
    HistoryStore,
    HistoryService,
    SearchStore,
    SearchService,
    ReplayStore,
    ReplayService,
    ShadowStore,
    ShadowService,
    { provide: Payments, useExisting: HistoryStore },
    { provide: PaymentLoad, useExisting: AuthorizeService },
  ],
  exports: [Payments, PaymentLoad, HistoryService],
})
export class PaymentsModule {}
