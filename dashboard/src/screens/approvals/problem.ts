import type { Approval, Wallet } from '../../api/types.js';
import { refusalOf } from '../../session/permissions.js';
import { isActive } from '../../wallet/wallet-status.js';

/** Why something can't be done now, in words; null where it can. */
export interface Problems {
  readonly approve: string | null;
  readonly deny: string | null;
}

interface Known {
  readonly approval: Pick<Approval, 'expiresAt' | 'approvedBy' | 'notBy'> & {
    transaction: { amount: number };
  };
  readonly wallet: Pick<Wallet, 'status' | 'expiry' | 'balance'> | undefined;
  readonly userId: string;
  readonly mayDecide: boolean;
  readonly now: number;
}

/** As the API will decide: src/contexts/payments/approvals/approvals.domain.ts */
export function problemsOf({ approval, wallet, userId, mayDecide, now }: Known): Problems {
  const both = !mayDecide
    ? refusalOf('payments.approve')
    : Date.parse(approval.expiresAt) <= now
      ? 'It has expired: nothing is paid.'
      : null;
  if (both !== null) return { approve: both, deny: both };
  return { deny: null, approve: approveProblem(approval, wallet, userId, now) };
}

export const REQUESTED = 'You made the key that asked. Two other members must approve it.';

function approveProblem(
  { approvedBy, notBy, transaction: { amount } }: Known['approval'],
  wallet: Known['wallet'],
  userId: string,
  now: number,
): string | null {
  if (notBy === userId) return REQUESTED;
  if (approvedBy?.includes(userId)) return 'You approved it. A second member must approve it too.';
  if (!wallet) return null;
  if (!isActive(wallet, new Date(now))) return stopped(wallet);
  return wallet.balance < amount ? 'The balance is lower than the amount. Fund the wallet to approve.' : null;
}

export function stopped({ status }: { readonly status: string }): string {
  if (status === 'CLOSED') return 'The wallet is closed.';
  return status === 'ACTIVE'
    ? 'The wallet has expired. Extend it to approve.'
    : 'The wallet is frozen. Resume it to approve.';
}
