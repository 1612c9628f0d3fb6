import type { PaymentQuery } from '../payments/payment-filters.js';
import { zone } from '../text/time.js';
import { pageOrLast } from './pages.js';
import { answerOf, api, ApiError, data } from './request.js';
import type {
  LedgerLine,
  NewWallet,
  PayoutAccount,
  SignedIn,
  Transaction,
  User,
  WalletChangeRequest,
} from './types.js';

/* The calls about sessions, wallets, payments, the ledger and the bank, one function each. */

const PAGE_SIZE = 10;

// --- session ---

/** The session is wanted as a cookie, which no script can read. */
const COOKIE = { header: { 'X-Session': 'cookie' } } as const;

export async function whoIsSignedIn(): Promise<SignedIn | null> {
  try {
    const { user, ...more } = (await answerOf(api.GET('/v1/auth/session'))).data;
    return { ...user, ...more };
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

export async function signIn(body: {
  email: string;
  password: string;
  totpCode: string | null;
  passkey: string | null;
}): Promise<SignedIn | null> {
  await answerOf(api.POST('/v1/auth/login', { params: COOKIE, body }));
  return whoIsSignedIn();
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

export const wallet = (walletId: string) =>
  data(answerOf(api.GET('/api/wallets/{walletId}', { params: { path: { walletId } } })));

export const createWallet = (body: NewWallet) => data(answerOf(api.POST('/api/wallets', { body })));

export const stats = (walletId: string) =>
  answerOf(api.GET('/v1/wallets/{walletId}/stats', { params: { path: { walletId } } }));

/** What of all wallets is on its way to the bank, or there. */
export const atBank = () => data(answerOf(api.GET('/v1/stats/at-bank')));

export function spendByDay(walletId: string | null, days: number) {
  const query = { days, timeZone: zone() };
  return data(
    walletId === null
      ? answerOf(api.GET('/v1/spend-by-day', { params: { query } }))
      : answerOf(api.GET('/v1/wallets/{walletId}/spend-by-day', { params: { path: { walletId }, query } })),
  );
}

export const recentTransactions = (limit: number) =>
  data(answerOf(api.GET('/v1/transactions', { params: { query: { limit } } })));

export const SEARCH_PAGE_SIZE = 20;
/** Where few match, the API answers with short pages: this many are read for one of the screen. */
const SEARCH_PAGES_MAX = 5;

/** A page of the payments of all wallets, newest first, and where the next one begins; null at the end. */
export async function searchPayments(
  filters: PaymentQuery,
  after: string | null,
): Promise<{ data: Transaction[]; nextCursor: string | null }> {
  const found: Transaction[] = [];
  let cursor = after;
  for (let read = 0; read < SEARCH_PAGES_MAX; read += 1) {
    const query = { ...filters, limit: SEARCH_PAGE_SIZE - found.length, ...(cursor !== null && { cursor }) };
    const page = await answerOf(api.GET('/v1/transactions', { params: { query } }));
    found.push(...page.data);
    cursor = page.nextCursor;
    if (cursor === null || found.length === SEARCH_PAGE_SIZE) break;
  }
  return { data: found, nextCursor: cursor };
}

/** Null: too many to total. */
export const paymentTotals = (filters: PaymentQuery) =>
  data(answerOf(api.GET('/v1/transactions/totals', { params: { query: { ...filters } } })));

export function searchPaymentsCsv(filters: PaymentQuery): string {
  const query = new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)]));
  return `/v1/transactions.csv${query.size > 0 ? `?${query.toString()}` : ''}`;
}

/** The newest changes of the balances of all wallets. */
export const recentLedger = (pageSize: number) =>
  data(
    answerOf(api.GET('/api/ledger', { params: { query: { page: 1, pageSize, expand: 'counterparty' } } })),
  );

const THRESHOLD = '/v1/wallets/{walletId}/low-balance-threshold';

/** The balance below which `wallet.low_balance` is sent; null for none. */
export const lowBalanceThreshold = async (walletId: string) =>
  (await data(answerOf(api.GET(THRESHOLD, { params: { path: { walletId } } })))).threshold;

export const setLowBalanceThreshold = async (walletId: string, threshold: number | null) =>
  (await data(answerOf(api.PUT(THRESHOLD, { params: { path: { walletId } }, body: { threshold } }))))
    .threshold;

export const transaction = (walletId: string, transactionId: string) =>
  data(
    answerOf(
      api.GET('/v1/wallets/{walletId}/transactions/{transactionId}', {
        params: { path: { walletId, transactionId } },
      }),
    ),
  );

/** Days are those of the account's zone. */
export interface LedgerQuery {
  from?: string;
  to?: string;
  type?: LedgerLine['type'];
}

export const ledger = (walletId: string, filter: LedgerQuery, asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(
      api.GET('/v1/wallets/{walletId}/ledger', {
        params: { path: { walletId }, query: { ...filter, page, pageSize: PAGE_SIZE } },
      }),
    ),
  );

export const ledgerOf = (walletId: string, transactionId: string) =>
  answerOf(
    api.GET('/api/wallets/{walletId}/ledgers', { params: { path: { walletId }, query: { transactionId } } }),
  );

export function ledgerCsv(walletId: string, filter: LedgerQuery): string {
  const query = new URLSearchParams({ ...filter });
  return `/v1/wallets/${walletId}/ledger.csv${query.size > 0 ? `?${query.toString()}` : ''}`;
}

// --- controls ---

const ofWallet = (walletId: string) => ({ params: { path: { walletId } } });
const once = (walletId: string, key: string) => ({
  params: { path: { walletId }, header: { 'Idempotency-Key': key } },
});

/** With a `version` in the change, a change that was made elsewhere in between is not overwritten. */
export const changeWallet = (walletId: string, body: WalletChangeRequest) =>
  data(answerOf(api.PATCH('/api/wallets/{walletId}', { ...ofWallet(walletId), body })));

export const suspendWallet = (walletId: string) =>
  answerOf(api.POST('/api/wallets/{walletId}/suspend', ofWallet(walletId)));

export const resumeWallet = (walletId: string) =>
  answerOf(api.POST('/api/wallets/{walletId}/resume', ofWallet(walletId)));

export const suspendAll = () => data(answerOf(api.POST('/v1/wallets/suspend-all')));

export const resumeWallets = (walletIds: readonly string[]) =>
  data(answerOf(api.POST('/v1/wallets/resume', { body: { walletIds: [...walletIds] } })));

export const closeWallet = (walletId: string, payoutTo: PayoutAccount | null) =>
  data(answerOf(api.POST('/api/wallets/{walletId}/close', { ...ofWallet(walletId), body: { payoutTo } })));

export const withdraw = (
  walletId: string,
  key: string,
  body: PayoutAccount & { amount: number | 'all'; narration: string | null },
) => data(answerOf(api.POST('/api/wallets/{walletId}/withdrawals', { ...once(walletId, key), body })));

export const moveMoney = (
  walletId: string,
  key: string,
  body: { toWalletId: string; amount: number; narration: string | null },
) => data(answerOf(api.POST('/api/wallets/{walletId}/transfers', { ...once(walletId, key), body })));

export const changes = (walletId: string, asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(
      api.GET('/api/wallets/{walletId}/changes', {
        params: { path: { walletId }, query: { page, pageSize: PAGE_SIZE } },
      }),
    ),
  );

// --- banks ---

export const banks = () => answerOf(api.GET('/v1/banks'));

/** The name of the holder of an account. Throws `ACCOUNT_NOT_FOUND`. */
export const accountHolder = (bankCode: string, accountNumber: string) =>
  answerOf(api.POST('/v1/accounts/resolve', { body: { bankCode, accountNumber } }));

// --- the sandbox bank ---

export const isSandbox = async () => (await data(answerOf(api.GET('/v1/bank')))).provider === 'sandbox';

export const sendMoney = (body: { accountNumber: string; amount: number }) =>
  answerOf(api.POST('/v1/sandbox/transfers', { body }));

export interface Payment {
  amount: number;
  merchantName: string;
  recipientAccountNo: string;
  recipientBankCode: string;
  reason: string | null;
}

/** Paid, or waiting for the owner: the decision says which. */
export const pay = async (key: string, idempotencyKey: string, body: Payment) =>
  (
    await answerOf(
      api.POST('/api/payment-intent', {
        params: { header: { 'Idempotency-Key': idempotencyKey } },
        headers: { 'x-api-key': key },
        body,
      }),
    )
  ).data;
