import type { components } from './schema.js';

/* Schemas of the API, from its OpenAPI document. */

type Schemas = components['schemas'];

export type User = Schemas['User'];
export type VirtualAccount = Schemas['VirtualAccount'];
export type Wallet = Omit<Schemas['ListedWallet'], 'virtualAccount' | 'apiKeys'>;
export type WalletDetails = Omit<Schemas['WalletDetails'], 'wallet'> & { wallet: Wallet };
export type WalletName = Schemas['WalletName'];
export type NewWallet = Schemas['CreateWalletRequest'];
export type WalletChangeRequest = Schemas['ChangeWalletRequest'];
export type WalletChange = Schemas['WalletChange'];
export type WalletKey = Schemas['WalletKey'];
export type Payee = Schemas['WalletPayee'];
export type NewPayee = Schemas['RegisterPayeeRequest'];
export type Approval = Schemas['Approval'];
export type Backtest = Schemas['BacktestResult'];
export type ShadowTrial = Schemas['ShadowTrial'];
export type Flip = Schemas['Flip'];
export type ApprovalStatus = Approval['status'];
export type NewKey = Schemas['CreateKeyRequest'];

export interface PayoutAccount {
  bankCode: string;
  accountNumber: string;
}

export type WalletStats = Schemas['WalletStats'];
export type TotalStats = Schemas['TotalStats'];
export type Day = Schemas['DayOfSpending'];
export type Transaction = Schemas['RecentTransaction'];
export type TransactionDetails = Schemas['TransactionDetails'];
export type AuditEvent = Schemas['AuditEvent'];
export type Withdrawal = Schemas['Withdrawal'];
export type LedgerEntry = Schemas['LedgerEntry'];
export type Business = Schemas['Business'];
export type Bank = Schemas['PayableBank'];

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
