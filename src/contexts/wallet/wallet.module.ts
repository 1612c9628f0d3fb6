import { Module } from '@nestjs/common';
import { FundingModule } from '../funding/funding.module.js';
import { PaymentRulesModule } from '../payments/rules/rules.module.js';
import { SettlementModule } from '../settlement/settlement.module.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { ApprovalRules } from './approval-rules.port.js';
import { ApprovalRulesStore } from './approval-rules.store.js';
import { ControlsController } from './controls/controls.controller.js';
import { ControlsService } from './controls/controls.service.js';
import { OperatedWalletsService } from './controls/operated-wallets.service.js';
import { ControlsStore } from './controls/controls.store.js';
import { KeyReadersStore } from './keys/key-readers.store.js';
import { KeyUsageStore } from './keys/key-usage.store.js';
import { KeysController } from './keys/keys.controller.js';
import { KeysService } from './keys/keys.service.js';
import { KeysStore } from './keys/keys.store.js';
import { WalletPayeesController } from './payees/payees.controller.js';
import { WalletPayeesService } from './payees/payees.service.js';
import { PayeesStore } from './payees/payees.store.js';
import { LowBalanceController } from './low-balance/low-balance.controller.js';
import { LowBalanceThresholds } from './low-balance/low-balance.port.js';
import { LowBalanceService } from './low-balance/low-balance.service.js';
import { LowBalanceStore } from './low-balance/low-balance.store.js';
import { WithdrawalsController } from './withdrawals/withdrawals.controller.js';
import { ReturnedWithdrawals } from './withdrawals/withdrawals.port.js';
import { WithdrawalsService } from './withdrawals/withdrawals.service.js';
import { WithdrawalsStore } from './withdrawals/withdrawals.store.js';
import { OperatedWallets } from './operated-wallets.port.js';
import { SpendableWallets, Wallets } from './wallet.port.js';
import { WalletActivity } from './wallet-activity.port.js';
import { WalletActivityStore } from './wallet-activity.store.js';
import { WalletBalanceService } from './wallet-balance.service.js';
import { WalletController } from './wallet.controller.js';
import { WalletListController } from './wallet-list.controller.js';
import { WalletSearch } from './wallet-search.port.js';
import { WalletSearchStore } from './wallet-search.store.js';
import { WalletService } from './wallet.service.js';
import { WalletHolds } from './wallet-holds.port.js';
import { WalletHoldsStore } from './wallet-holds.store.js';
import { WalletSpendingStore } from './wallet-spending.store.js';
import { WalletStore } from './wallet.store.js';

@Module({
  imports: [FundingModule, SettlementModule, PaymentRulesModule],
  controllers: [
    KeysController,
    WalletPayeesController,
    ControlsController,
    LowBalanceController,
    WithdrawalsController,
    WalletController,
    WalletListController,
  ],
  providers: [
    WalletStore,
    WalletSpendingStore,
    WalletHoldsStore,
    WalletService,
    WalletBalanceService,
    KeyReadersStore,
    KeyUsageStore,
    KeysStore,
    KeysService,
    ControlsStore,
    ControlsService,
    LowBalanceStore,
    LowBalanceService,
    WithdrawalsStore,
    WithdrawalsService,
    PayeesStore,
    WalletPayeesService,
    ApiKeyGuard,
    { provide: Wallets, useExisting: WalletStore },
    { provide: SpendableWallets, useExisting: WalletSpendingStore },
    WalletActivityStore,
    { provide: WalletActivity, useExisting: WalletActivityStore },
    { provide: LowBalanceThresholds, useExisting: LowBalanceStore },
    { provide: ReturnedWithdrawals, useExisting: WithdrawalsService },
    { provide: WalletHolds, useExisting: WalletHoldsStore },
    { provide: WalletSearch, useClass: WalletSearchStore },
    { provide: ApprovalRules, useClass: ApprovalRulesStore },
    { provide: OperatedWallets, useClass: OperatedWalletsService },
  ],
  exports: [
    Wallets,
    SpendableWallets,
    OperatedWallets,
    WalletActivity,
    WalletHolds,
    WalletSearch,
    ApprovalRules,
    LowBalanceThresholds,
    ReturnedWithdrawals,
    ApiKeyGuard,
  ],
})
export class WalletModule {}
