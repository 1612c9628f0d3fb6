/* What the API answers, as far as the dashboard reads it. */

export interface User {
  id: string;
  email: string;
  accountType: 'developer' | 'business';
  businessId: string | null;
  createdAt: string;
}

export interface VirtualAccount {
  accountNumber: string;
  accountName: string;
  bankName: string;
  bankCode: string;
}

export interface ApiKey {
  id: string;
  keyPrefix: string;
  createdAt: string;
}

export interface Wallet {
  id: string;
  name: string;
  balance: number;
  spendLimitPerTx: number;
  spendLimitPeriod: number;
  periodWindowDays: number;
  expiry: string;
  useAllowlist: boolean;
  merchantAllowlist: string[];
  status: string;
  createdAt: string;
}

export interface WalletDetails {
  wallet: Wallet;
  virtualAccount: VirtualAccount | null;
  apiKeys: ApiKey[];
  merchants: { id: string; name: string }[];
}

export interface NewWallet {
  name: string;
  userId: string;
  spendLimitPerTx: number;
  spendLimitPeriod: number;
  periodWindowDays: number;
  expiry: string;
  useAllowlist: boolean;
  merchantAllowlist: string[];
}

export interface Stats {
  walletId: string;
  balance: number;
  spendLimitPerTx: number;
  spendLimitPeriod: number;
  spentThisPeriod: number;
  remainingAllowance: number;
}

export interface Day {
  day: string;
  spent: number;
  approved: number;
  blocked: number;
}

export type Decision = 'approved' | 'blocked';

export interface Transaction {
  id: string;
  walletId: string;
  amount: number;
  merchant: string;
  merchantName: string;
  recipientAccountNo: string;
  recipientBankCode: string;
  decision: Decision;
  reason: string | null;
  blockReason: string | null;
  createdAt: string;
}

export interface AuditEvent {
  type: string;
  at: string;
  detail: Record<string, string | number>;
}

export interface TransactionDetails extends Transaction {
  auditEvents: AuditEvent[];
  settlement: { reference: string; status: string } | null;
}

export interface LedgerEntry {
  id: string;
  walletId: string;
  type: 'topup' | 'debit' | 'refund';
  amount: number;
  balanceAfter: number;
  transactionId: string | null;
  reference: string | null;
  narration: string | null;
  createdAt: string;
}

export interface Page<Row> {
  data: Row[];
  pagination: { page: number; pageSize: number; totalCount: number; totalPages: number };
}

export interface Business {
  businessId: string;
  name: string;
  contactEmail: string;
  contactPhone: string | null;
  createdAt: string;
}

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
