import type { QueryKey } from '@tanstack/react-query';
import type { QueryName } from '../api/query-keys.js';

/** Changes as `streamEvents` reports them. */
export type Change =
  | { readonly type: 'payment'; readonly walletId: string; readonly transactionId: string | null }
  | { readonly type: 'withdrawal'; readonly walletId: string; readonly withdrawalId: string }
  | { readonly type: 'approval' | 'wallet' | 'ledger' | 'key'; readonly walletId: string }
  | { readonly type: 'delivery'; readonly endpointId: string }
  /** It isn't known what. */
  | { readonly type: 'ready' };

/** Queries of one wallet or of all whose answers a change may alter. */
const AFFECTED: Readonly<Record<Exclude<Change['type'], 'delivery' | 'ready'>, readonly QueryName[]>> = {
  payment: [
    'approval',
    'payments',
    'paymentTotals',
    'merchantSpend',
    'allApprovals',
    'recentPayments',
    'stats',
    'spendByDay',
    'keys',
    'shadowTrial',
  ],
  withdrawal: ['withdrawals'],
  key: ['keys'],
  approval: [
    'approval',
    'approvalCount',
    'pendingApprovals',
    'allApprovals',
    'payments',
    'paymentTotals',
    'merchantSpend',
    'recentPayments',
    'stats',
    'wallet',
    'wallets',
  ],
  wallet: [
    'wallet',
    'wallets',
    'walletNames',
    'stats',
    'keys',
    'payees',
    'changes',
    'lowBalance',
    'shadowTrial',
  ],
  // A first payment makes a payee; a refund changes a payment.
  ledger: [
    'ledger',
    'wallet',
    'wallets',
    'stats',
    'payments',
    'paymentTotals',
    'merchantSpend',
    'allApprovals',
    'recentPayments',
    'spendByDay',
    'withdrawals',
    'payees',
  ],
};

const OF_ALL_WALLETS = new Set<QueryName>([
  'approval',
  'approvalCount',
  'pendingApprovals',
  'allApprovals',
  'recentPayments',
  'wallets',
  'walletNames',
]);

/** Answers that never change within a session. */
const CONSTANT = new Set<QueryName>(['session', 'banks', 'isSandbox', 'accountHolder']);

/** True if a query's answer may differ after a change. */
export function concerns(change: Change, key: QueryKey): boolean {
  const [name, of, part] = key as readonly [QueryName, ...unknown[]];
  switch (change.type) {
    case 'ready':
      return !CONSTANT.has(name);
    case 'delivery':
      if (name === 'endpoint' || name === 'deliveries') return of === change.endpointId;
      return name === 'endpoints' || name === 'delivery';
    default:
      if (name === 'payment') return of === change.walletId && isAbout(change, part);
      return (
        AFFECTED[change.type].includes(name) && (OF_ALL_WALLETS.has(name) || mayShow(of, change.walletId))
      );
  }
}

function isAbout(change: Change, transactionId: unknown): boolean {
  if (change.type === 'wallet' || change.type === 'key' || change.type === 'withdrawal') return false;
  return change.type !== 'payment' || change.transactionId === null || change.transactionId === transactionId;
}

/** `of`: a wallet's id, what a list is narrowed to, or nothing. */
function mayShow(of: unknown, walletId: string): boolean {
  if (typeof of === 'string') return of === walletId;
  const narrowed = (of as { walletId?: string } | null | undefined)?.walletId;
  return narrowed === undefined || narrowed === walletId;
}
