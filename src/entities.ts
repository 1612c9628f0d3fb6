import { SandboxAccount, SandboxCollection, SandboxPayout } from './contexts/bank/sandbox/sandbox.entity.js';
import {
  WebhookAttempt,
  WebhookDelivery,
  WebhookTest,
} from './contexts/notifications/deliveries/deliveries.entity.js';
import { WebhookEndpoint } from './contexts/notifications/endpoints/endpoints.entity.js';
import { HomeVisit } from './contexts/home/home.entity.js';
import { PushBudget, PushKey, PushSubscription } from './contexts/notices/push/push.entity.js';
import { Notice, NoticeMailBudget, NoticeSetting } from './contexts/notices/notices.entity.js';
import { LowBalanceThreshold } from './contexts/wallet/low-balance/low-balance.entity.js';
import { WalletChange } from './contexts/wallet/controls/controls.entity.js';
import { Business } from './contexts/business/business.entity.js';
import {
  AccountTimeZone,
  PasswordReset,
  RateLimit,
  RequestWindow,
  Session,
  User,
} from './contexts/identity/identity.entity.js';
import { ApprovalVote } from './contexts/payments/approvals/approvals.entity.js';
import { Activity } from './contexts/activity/activity.entity.js';
import { MemberInvitation, TwoFactorDemand } from './contexts/identity/members/members.entity.js';
import { SavedViews } from './contexts/search/search.entity.js';
import { Passkey, PasskeyChallenge } from './contexts/identity/passkeys/passkeys.entity.js';
import { RecoveryCode, TwoFactorSecret } from './contexts/identity/two-factor/two-factor.entity.js';
import { ArchivedBodies, InboundTransfer, VirtualAccount } from './contexts/funding/funding.entity.js';
import { LedgerEntryRow } from './contexts/ledger/ledger.entity.js';
import { OperatorAct, OperatorProposal } from './contexts/operations/acts/acts.entity.js';
import { OperatorCase } from './contexts/operations/operations.entity.js';
import {
  ArchivedFacts,
  BlockedAttemptLimit,
  ReleasedSpend,
  ReturnedPayment,
  TransactionRow,
} from './contexts/payments/payments.entity.js';
import { ShadowFlip, ShadowRules } from './contexts/simulation/shadow.entity.js';
import { ReceiptKey, ReceiptSaltKey } from './contexts/receipts/receipts.entity.js';
import { ArchivedSettlement, SettlementRecord } from './contexts/settlement/settlement.entity.js';
import { ApiKeyPayment, ApiKeyUsage } from './contexts/payments/rules/key-limits/key-limits.entity.js';
import { CoolingOffPayment, PaidAccount } from './contexts/payments/rules/cooling-off/cooling-off.entity.js';
import { PaymentLabels } from './contexts/payments/labels/labels.entity.js';
import { PaymentFile, PaymentFileTotal } from './contexts/payments/files/files.entity.js';
import { PaymentNote } from './contexts/payments/notes/notes.entity.js';
import { LimitWarning } from './contexts/payments/limit-warnings/limit-warnings.entity.js';
import { Statement, StatementChunk, StatementMail } from './contexts/statements/statements.entity.js';
import { RecentPurchase } from './contexts/payments/rules/duplicate-guard/duplicate-guard.entity.js';
import { Payee } from './contexts/wallet/payees/payees.entity.js';
import { ApiKey, Wallet, WalletMerchant } from './contexts/wallet/wallet.entity.js';
import { WalletTransfer, Withdrawal } from './contexts/wallet/withdrawals/withdrawals.entity.js';
import type { EntityClass } from './platform/database/data-source.js';

/** Tables of graphile-worker and TypeORM have none. */
export const ENTITIES: readonly EntityClass[] = [
  Wallet,
  ApiKey,
  ApiKeyUsage,
  ApiKeyPayment,
  WalletMerchant,
  WebhookEndpoint,
  WebhookDelivery,
  WebhookAttempt,
  WebhookTest,
  LowBalanceThreshold,
  HomeVisit,
  Notice,
  NoticeSetting,
  NoticeMailBudget,
  PushKey,
  PushSubscription,
  PushBudget,
  SavedViews,
  User,
  Session,
  PasswordReset,
  TwoFactorSecret,
  RecoveryCode,
  Passkey,
  PasskeyChallenge,
  RateLimit,
  RequestWindow,
  MemberInvitation,
  TwoFactorDemand,
  AccountTimeZone,
  Activity,
  ApprovalVote,
  Business,
  VirtualAccount,
  InboundTransfer,
  SandboxAccount,
  SandboxPayout,
  SandboxCollection,
  OperatorCase,
  OperatorAct,
  OperatorProposal,
  TransactionRow,
  ReleasedSpend,
  ReturnedPayment,
  RecentPurchase,
  LimitWarning,
  PaymentLabels,
  PaymentNote,
  PaymentFile,
  PaymentFileTotal,
  BlockedAttemptLimit,
  ReceiptKey,
  ReceiptSaltKey,
  ShadowRules,
  ShadowFlip,
  SettlementRecord,
  ArchivedSettlement,
  ArchivedBodies,
  ArchivedFacts,
  LedgerEntryRow,
  Statement,
  StatementChunk,
  StatementMail,
  WalletChange,
  Withdrawal,
  WalletTransfer,
  Payee,
  PaidAccount,
  CoolingOffPayment,
];
