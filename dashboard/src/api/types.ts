import type { components } from './schema.js';

/* What the API answers, from its OpenAPI document. */

type Schemas = components['schemas'];

export type User = Schemas['User'];
export type VirtualAccount = Schemas['VirtualAccount'];
export type Wallet = Omit<Schemas['ListedWallet'], 'virtualAccount' | 'apiKeys'>;
export type WalletDetails = Omit<Schemas['WalletDetails'], 'wallet'> & { wallet: Wallet };
export type NewWallet = Schemas['CreateWalletBody'];
export type Stats = Schemas['StatsOfWallet'];
export type Day = Schemas['DayOfSpending'];
export type Transaction = Schemas['RecentTransaction'];
export type TransactionDetails = Schemas['Transaction'];
export type AuditEvent = Schemas['AuditEvent'];
export type LedgerEntry = Schemas['LedgerEntry'];
export type Business = Schemas['Business'];
export type Decision = Transaction['decision'];

export interface Page<Row> {
  data: Row[];
  pagination: Schemas['Pagination'];
}

/* Webhooks, by hand until the document describes them. */

export const EVENT_NAMES = [
  'wallet.funded',
  'payment.approved',
  'payment.blocked',
  'payment.settled',
  'payment.refunded',
  'wallet.low_balance',
] as const;

export interface EndpointSettings {
  url: string;
  events: string[];
  walletIds: string[] | null;
  description: string | null;
}

export interface Endpoint extends EndpointSettings {
  id: string;
  status: 'enabled' | 'disabled';
  disabledReason: string | null;
  disabledAt: string | null;
  createdAt: string;
}

export type DeliveryStatus = 'pending' | 'succeeded' | 'failed';

export interface Delivery {
  id: string;
  endpointId: string;
  webhookId: string;
  event: string;
  isTest: boolean;
  status: DeliveryStatus;
  attemptCount: number;
  nextAttemptAt: string | null;
  failureReason: string | null;
  createdAt: string;
}

export interface DeliveryDetails extends Delivery {
  body: object;
  attempts: {
    at: string;
    statusCode: number | null;
    durationMs: number | null;
    response: string | null;
    error: string | null;
  }[];
}
