import type { LedgerQuery } from './calls.js';
import type { ActivityQuery } from './members.js';
import type { PaymentQuery } from '../payments/payment-filters.js';
import type { SpendQuery } from './spend.js';
import type { DeliveryStatus, EventName, Withdrawal } from './types.js';
import type { WalletQuery } from './wallet-list.js';

const key = <const Key extends readonly [string, ...unknown[]]>(...parts: Key) => parts;

/**
 * The key of every query: what is read, of which wallet or endpoint, and which part of it. Without the optional part,
 * the prefix of all parts; null while nothing is chosen.
 */
export const queryKeys = {
  session: key('session'),
  sessions: key('sessions'),
  twoFactor: key('twoFactor'),
  passkeys: key('passkeys'),
  business: key('business'),
  members: key('members'),
  invitations: key('invitations'),
  activity: (...part: [query?: ActivityQuery, page?: number]) => key('activity', ...part),

  wallet: (walletId: string) => key('wallet', walletId),
  wallets: (...query: [query?: WalletQuery]) => key('wallets', ...query),
  walletNames: key('walletNames'),
  stats: (...walletId: [walletId?: string]) => key('stats', ...walletId),
  spendByDay: (...part: [walletId?: string | null, days?: number]) => key('spendByDay', ...part),
  spend: (...query: [query?: SpendQuery | null]) => key('spend', ...query),
  merchantSpend: (walletId: string) => key('merchantSpend', walletId),
  atBank: key('atBank'),
  lowBalance: (walletId: string) => key('lowBalance', walletId),
  changes: (walletId: string, ...page: [page?: number]) => key('changes', walletId, ...page),
  shadowTrial: (walletId: string) => key('shadowTrial', walletId),
  backtest: (walletId: string, days: number, limits: object) => key('backtest', walletId, days, limits),

  payments: (...part: [query?: PaymentQuery, after?: string | null]) => key('payments', ...part),
  paymentTotals: (query: PaymentQuery) => key('paymentTotals', query),
  paymentLabels: key('paymentLabels'),
  paymentNotes: (walletId: string, transactionId: string) => key('paymentNotes', walletId, transactionId),
  paymentFiles: (walletId: string, transactionId: string) => key('paymentFiles', walletId, transactionId),
  recentPayments: key('recentPayments'),
  payment: (walletId: string, transactionId: string | null) => key('payment', walletId, transactionId),
  search: (words: string) => key('search', words),
  savedViews: key('savedViews'),
  ledger: (walletId: string, ...part: [page?: number, filter?: LedgerQuery]) =>
    key('ledger', walletId, ...part),
  paymentLedger: (
    walletId: string,
    transactionId: string,
    status: Withdrawal['settlement']['status'] | undefined,
  ) => key('ledger', walletId, transactionId, status),
  withdrawals: (walletId: string) => key('withdrawals', walletId),

  notifications: (...page: [page?: number]) => key('notifications', ...page),
  unreadCount: key('unreadCount'),
  notificationSettings: key('notificationSettings'),
  pushBrowsers: key('pushBrowsers'),

  statements: (...page: [page?: number]) => key('statements', ...page),
  statementMail: key('statementMail'),
  timeZone: key('timeZone'),

  home: (...days: [days?: number | null]) => key('home', ...days),
  approvalCount: key('approvalCount'),
  approval: (approvalId: string | null) => key('approval', approvalId),
  pendingApprovals: (page: number) => key('pendingApprovals', page),
  allApprovals: (page: number) => key('allApprovals', page),

  keys: (walletId: string | null) => key('keys', walletId),
  payees: (walletId: string, ...page: [page?: number]) => key('payees', walletId, ...page),

  endpoints: (...part: [page?: number | 'all']) => key('endpoints', ...part),
  endpoint: (endpointId: string) => key('endpoint', endpointId),
  deliveries: (
    endpointId: string,
    ...part: [page?: number, status?: DeliveryStatus | null, event?: EventName | null]
  ) => key('deliveries', endpointId, ...part),
  delivery: (deliveryId: string | null) => key('delivery', deliveryId),

  banks: key('banks'),
  accountHolder: (bankCode: string | null, accountNumber: string) =>
    key('accountHolder', bankCode, accountNumber),
  isSandbox: key('isSandbox'),
};

type Keys = typeof queryKeys;
type BuiltKey = { [Name in keyof Keys]: Keys[Name] extends (...part: never) => infer Key ? Key : Keys[Name] };

/** What a query reads: the first part of its key. */
export type QueryName = BuiltKey[keyof Keys][0];
