import type { components } from './schema.js';

/* Schemas of the API, from its OpenAPI document. */

type Schemas = components['schemas'];

export type User = Schemas['UserView'];
export type Membership = Schemas['MembershipView'];
/** The signed-in user. */
export type SignedIn = User & { membership: Membership; hasTwoFactor: boolean };
export type Role = Membership['role'];
export type Member = Schemas['MemberView'];
export type Invitation = Schemas['InvitationView'];
export type Activity = Schemas['ActivityView'];
export type VirtualAccount = Schemas['VirtualAccountView'];
export type Wallet = Omit<Schemas['ListedWalletResponse'], 'virtualAccount' | 'apiKeys'>;
export type WalletDetails = Omit<Schemas['WalletDetails'], 'wallet'> & { wallet: Wallet };
export type WalletName = Schemas['WalletName'];
export type NewWallet = Schemas['CreateWalletRequest'];
export type WalletChangeRequest = Schemas['ChangeWalletRequest'];
export type WalletChange = Schemas['WalletChangeView'];
export type WalletKey = Schemas['WalletKey'];
export type Payee = Schemas['WalletPayee'];
export type NewPayee = Schemas['RegisterPayeeRequest'];
export type Approval = Schemas['Approval'];
export type Backtest = Schemas['BacktestResult'];
export type ShadowTrial = Schemas['ShadowTrial'];
export type DecisionChange = Schemas['DecisionChangeView'];
export type NewKey = Schemas['CreateKeyRequest'];

export interface PayoutAccount {
  bankCode: string;
  accountNumber: string;
}

export type WalletStats = Schemas['WalletStatsResponse'];
export type TotalStats = Schemas['TotalStatsView'];
export type Day = Schemas['DayOfSpendingView'];
export type Transaction = Schemas['RecentTransaction'];
export type TransactionDetails = Schemas['TransactionDetails'];
export type AuditEvent = Schemas['AuditEventView'];
export type Withdrawal = Schemas['WithdrawalView'];
export type LedgerEntry = Schemas['LedgerEntry'];
export type LedgerLine = Schemas['LedgerLineView'];
export type LedgerTotals = Schemas['LedgerTotalsView'];
export type Business = Schemas['BusinessView'];
export type Bank = Schemas['PayableBankResponse'];

export interface Page<Row> {
  data: Row[];
  pagination: Schemas['Pagination'];
}

export type Endpoint = Schemas['EndpointView'];
export type ListedEndpoint = Schemas['EndpointWithHealthView'];
export type EndpointSettings = Required<Schemas['CreateEndpointRequest']>;
export type EndpointChange = Schemas['ChangeEndpointRequest'];
export type Delivery = Schemas['DeliveryView'];
export type DeliveryDetails = Schemas['DeliveryDetailView'];
export type DeliveryStatus = Delivery['status'];
export type EventName = Delivery['event'];

export type Notification = Schemas['NoticeView'];
export type NotificationKind = Notification['kind'];
export type HomeNews = Schemas['HomeView'];
