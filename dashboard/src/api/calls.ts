import { ZONE } from '../time.js';
import { answerOf, api, ApiError, request } from './request.js';
import type {
  Decision,
  Delivery,
  DeliveryDetails,
  DeliveryStatus,
  Endpoint,
  EndpointSettings,
  NewWallet,
  Page,
  User,
} from './types.js';

/** Every call the dashboard makes, one function each. */

interface Data<T> {
  data: T;
}

async function data<T>(answer: Promise<Data<T>>): Promise<T> {
  return (await answer).data;
}

// --- session ---

/** The session is wanted as a cookie, which no script can read. */
const COOKIE = { header: { 'X-Session': 'cookie' } } as const;

export async function whoIsSignedIn(): Promise<User | null> {
  try {
    return (await answerOf(api.GET('/v1/auth/session'))).data.user;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export async function signUp(body: {
  email: string;
  password: string;
  accountType: User['accountType'];
}): Promise<User> {
  return (await answerOf(api.POST('/v1/auth/signup', { params: COOKIE, body }))).data.user;
}

export async function signIn(body: { email: string; password: string }): Promise<User> {
  return (await answerOf(api.POST('/v1/auth/login', { params: COOKIE, body }))).data.user;
}

export const signOut = () => answerOf(api.POST('/v1/auth/logout'));

// --- business ---

export const business = () => data(answerOf(api.GET('/v1/business')));

export const saveBusiness = (body: {
  businessName: string;
  contactEmail: string;
  contactPhone: string | null;
}) => data(answerOf(api.POST('/v1/onboarding', { body })));

// --- wallets ---

export const wallets = (userId: string) =>
  answerOf(api.GET('/api/wallets/user/{userId}', { params: { path: { userId } } }));

export const wallet = (walletId: string) =>
  data(answerOf(api.GET('/api/wallets/{walletId}', { params: { path: { walletId } } })));

export const createWallet = (body: NewWallet) => data(answerOf(api.POST('/api/wallets', { body })));

export const allStats = () => data(answerOf(api.GET('/v1/stats')));

export const stats = (walletId: string) =>
  answerOf(api.GET('/v1/wallets/{walletId}/stats', { params: { path: { walletId } } }));

export function spendByDay(walletId: string | null, days: number) {
  const query = { days, timeZone: ZONE };
  return data(
    walletId === null
      ? answerOf(api.GET('/v1/spend-by-day', { params: { query } }))
      : answerOf(api.GET('/v1/wallets/{walletId}/spend-by-day', { params: { path: { walletId }, query } })),
  );
}

export const recentTransactions = (limit: number) =>
  data(answerOf(api.GET('/v1/transactions', { params: { query: { limit } } })));

const PAGE_SIZE = 10;

export function transactions(walletId: string, page: number, decision?: Decision) {
  const query = { page, pageSize: PAGE_SIZE, ...(decision && { decision }) };
  return answerOf(api.GET('/api/wallets/{walletId}/transactions', { params: { path: { walletId }, query } }));
}

export const transaction = (walletId: string, transactionId: string) =>
  data(
    answerOf(
      api.GET('/v1/wallets/{walletId}/transactions/{transactionId}', {
        params: { path: { walletId, transactionId } },
      }),
    ),
  );

export const ledger = (walletId: string, page: number) =>
  answerOf(
    api.GET('/api/wallets/{walletId}/ledgers', {
      params: { path: { walletId }, query: { page, pageSize: PAGE_SIZE } },
    }),
  );

export const ledgerOf = (walletId: string, transactionId: string) =>
  answerOf(
    api.GET('/api/wallets/{walletId}/ledgers', { params: { path: { walletId }, query: { transactionId } } }),
  );

export const csvOf = (walletId: string, what: 'transactions' | 'ledgers') =>
  `/api/wallets/${walletId}/${what}.csv`;

// --- the sandbox bank ---

/** Whether a sandbox plays the bank: then the address of its transfers exists, and only does not read. */
export async function isSandbox(): Promise<boolean> {
  const answer = await request('/v1/sandbox/transfers').catch((error: unknown) => error);
  return answer instanceof ApiError && answer.status === 405;
}

export const sendMoney = (body: { accountNumber: string; amount: number }) =>
  answerOf(api.POST('/v1/sandbox/transfers', { body }));

export interface Payment {
  amount: number;
  merchantName: string;
  recipientAccountNo: string;
  recipientBankCode: string;
  reason: string | null;
}

export const pay = (key: string, body: Payment) =>
  data(
    answerOf(
      api.POST('/api/payment-intent', {
        params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
        headers: { 'x-api-key': key },
        body,
      }),
    ),
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
