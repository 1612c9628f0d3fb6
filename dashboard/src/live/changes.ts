import type { QueryKey } from '@tanstack/react-query';

/** Changes as `streamEvents` reports them. */
export type Change =
  | { readonly type: 'payment'; readonly walletId: string; readonly transactionId: string | null }
  | { readonly type: 'withdrawal'; readonly walletId: string; readonly withdrawalId: string }
  | { readonly type: 'approval' | 'wallet' | 'ledger' | 'key'; readonly walletId: string }
  | { readonly type: 'delivery'; readonly endpointId: string }
  /** It isn't known what. */
  | { readonly type: 'ready' };

/** Query keys that begin with these belong to one wallet or to all. */
const SHOWN_OF: Readonly<
  Record<'payment' | 'withdrawal' | 'approval' | 'wallet' | 'ledger' | 'key', readonly unknown[]>
> = {
  payment: ['payments', 'reviewed', 'recent', 'stats', 'by-day', 'keys', 'shadow'],
  withdrawal: ['withdrawals'],
  key: ['keys'],
  approval: ['approvals', 'reviewed', 'payments', 'recent', 'stats', 'wallet', 'wallets'],
  wallet: ['wallet', 'wallets', 'names', 'stats', 'keys', 'payees', 'changes', 'low-balance', 'shadow'],
  // A first payment makes a payee; a refund changes a payment.
  ledger: [
    'ledger',
    'wallet',
    'wallets',
    'stats',
    'payments',
    'reviewed',
    'recent',
    'by-day',
    'withdrawals',
    'payees',
  ],
};

const OF_ALL = new Set<unknown>(['approvals', 'reviewed', 'recent', 'wallets', 'names']);

/** Known once and for all. */
const CONSTANT = new Set<unknown>(['session', 'banks', 'sandbox', 'holder']);

/** True if a query's answer may differ after a change. */
export function concerns(change: Change, [what, of, part]: QueryKey): boolean {
  switch (change.type) {
    case 'ready':
      return !CONSTANT.has(what);
    case 'delivery':
      if (what === 'endpoint' || what === 'deliveries') return of === change.endpointId;
      return what === 'endpoints' || what === 'delivery';
    default:
      if (what === 'transaction') return of === change.walletId && isAbout(change, part);
      return SHOWN_OF[change.type].includes(what) && (OF_ALL.has(what) || mayShow(of, change.walletId));
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
