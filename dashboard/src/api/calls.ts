import { ZONE } from '../time.js';
import { ApiError, request } from './request.js';
import type {
  Business,
  Day,
  Decision,
  Delivery,
  DeliveryDetails,
  DeliveryStatus,
  Endpoint,
  EndpointSettings,
  LedgerEntry,
  NewWallet,
  Page,
  Stats,
  Transaction,
  TransactionDetails,
  User,
  VirtualAccount,
  Wallet,
  WalletDetails,
  ApiKey,
} from './types.js';

/** Every call the dashboard makes, one function each. */

interface Data<T> {
  data: T;
}

const COOKIE = { 'x-session': 'cookie' };

async function data<T>(answer: Promise<Data<T>>): Promise<T> {
  return (await answer).data;
}

// --- session ---

export async function whoIsSignedIn(): Promise<User | null> {
  try {
    return (await data(request<Data<{ user: User }>>('/v1/auth/session'))).user;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export async function signUp(body: { email: string; password: string; accountType: string }): Promise<User> {
  const options = { method: 'POST', body, headers: COOKIE } as const;
  return (await data(request<Data<{ user: User }>>('/v1/auth/signup', options))).user;
}

export async function signIn(body: { email: string; password: string }): Promise<User> {
  const options = { method: 'POST', body, headers: COOKIE } as const;
  return (await data(request<Data<{ user: User }>>('/v1/auth/login', options))).user;
}

export const signOut = () => request<unknown>('/v1/auth/logout', { method: 'POST' });

// --- business ---

export const business = () => data(request<Data<Business | null>>('/v1/business'));

export const saveBusiness = (body: {
  businessName: string;
  contactEmail: string;
  contactPhone: string | null;
}) => data(request<Data<Business>>('/v1/onboarding', { method: 'POST', body }));

// --- wallets ---

export const wallets = (userId: string) => request<Wallet[]>(`/api/wallets/user/${userId}`);

export const wallet = (id: string) => data(request<Data<WalletDetails>>(`/api/wallets/${id}`));

export const createWallet = (body: NewWallet) =>
  data(
    request<Data<{ wallet: Wallet; virtualAccount: VirtualAccount; apiKey: ApiKey & { fullKey: string } }>>(
      '/api/wallets',
      { method: 'POST', body },
    ),
  );

export const allStats = () => data(request<Data<Stats[]>>('/v1/stats'));

export const stats = (walletId: string) => request<Omit<Stats, 'walletId'>>(`/v1/wallets/${walletId}/stats`);

export const spendByDay = (walletId: string | null, days: number) =>
  data(
    request<Data<Day[]>>(walletId ? `/v1/wallets/${walletId}/spend-by-day` : '/v1/spend-by-day', {
      query: { days, timeZone: ZONE },
    }),
  );

export const recentTransactions = (limit: number) =>
  data(request<Data<Transaction[]>>('/v1/transactions', { query: { limit } }));

export const transactions = (walletId: string, page: number, decision?: Decision) =>
  request<Page<TransactionDetails>>(`/api/wallets/${walletId}/transactions`, {
    query: { page, pageSize: 10, decision },
  });

export const transaction = (walletId: string, id: string) =>
  data(request<Data<TransactionDetails>>(`/v1/wallets/${walletId}/transactions/${id}`));

export const ledger = (walletId: string, page: number) =>
  request<Page<LedgerEntry>>(`/api/wallets/${walletId}/ledgers`, { query: { page, pageSize: 10 } });

export const ledgerOf = (walletId: string, transactionId: string) =>
  request<Page<LedgerEntry>>(`/api/wallets/${walletId}/ledgers`, { query: { transactionId } });

export const csvOf = (walletId: string, what: 'transactions' | 'ledgers') =>
  `/api/wallets/${walletId}/${what}.csv`;

// --- the sandbox bank ---

/** Whether a sandbox plays the bank: then the address of its transfers exists, and only does not read. */
export async function isSandbox(): Promise<boolean> {
  const answer = await request('/v1/sandbox/transfers').catch((error: unknown) => error);
  return answer instanceof ApiError && answer.status === 405;
}

export const sendMoney = (body: { accountNumber: string; amount: number }) =>
  request<unknown>('/v1/sandbox/transfers', { method: 'POST', body });

export interface Payment {
  amount: number;
  merchantName: string;
  recipientAccountNo: string;
  recipientBankCode: string;
  reason: string | null;
}

export const pay = (key: string, body: Payment) =>
  data(
    request<Data<{ transaction: Transaction }>>('/api/payment-intent', {
      method: 'POST',
      body,
      headers: { 'x-api-key': key, 'idempotency-key': crypto.randomUUID() },
    }),
  );

// --- webhooks ---

const ENDPOINTS = '/v1/webhook-endpoints';

export const endpoints = (page: number) =>
  request<Page<Endpoint>>(ENDPOINTS, { query: { page, pageSize: 20 } });

export const endpoint = (id: string) => data(request<Data<Endpoint>>(`${ENDPOINTS}/${id}`));

export const createEndpoint = (body: EndpointSettings) =>
  data(request<Data<Endpoint & { secret: string }>>(ENDPOINTS, { method: 'POST', body }));

export const changeEndpoint = (id: string, body: Partial<EndpointSettings & { status: string }>) =>
  data(request<Data<Endpoint>>(`${ENDPOINTS}/${id}`, { method: 'PATCH', body }));

export const deleteEndpoint = (id: string) => request<undefined>(`${ENDPOINTS}/${id}`, { method: 'DELETE' });

export const rotateSecret = (id: string, dropOld: boolean) =>
  data(
    request<Data<{ secret: string }>>(`${ENDPOINTS}/${id}/rotate-secret`, {
      method: 'POST',
      body: { dropOld },
    }),
  );

export const sendTest = (id: string, event: string) =>
  data(request<Data<Delivery>>(`${ENDPOINTS}/${id}/test`, { method: 'POST', body: { event } }));

export const deliveries = (id: string, page: number, status?: DeliveryStatus, event?: string) =>
  request<Page<Delivery>>(`${ENDPOINTS}/${id}/deliveries`, { query: { page, pageSize: 10, status, event } });

export const recover = (id: string, since: string) =>
  data(
    request<Data<{ recovered: number }>>(`${ENDPOINTS}/${id}/recover`, { method: 'POST', body: { since } }),
  );

export const delivery = (id: string) => data(request<Data<DeliveryDetails>>(`/v1/webhook-deliveries/${id}`));

export const replay = (id: string) =>
  data(request<Data<Delivery>>(`/v1/webhook-deliveries/${id}/replay`, { method: 'POST' }));
