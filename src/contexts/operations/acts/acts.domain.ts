import type { Kobo } from '../../../kernel/money.js';
import type { CaseOpened } from '../operations.events.js';

export const ACTS = [
  'transfer.credit',
  'transfer.return',
  'payout.outcome',
  'payout.refund',
  'job.retry',
  'job.drop',
  'user.suspend',
  'user.resume',
  'wallet.suspend',
  'wallet.resume',
  'case.note',
  'case.close',
] as const;
export type ActName = (typeof ACTS)[number];

export interface ActDetails {
  readonly walletId?: string;
  readonly outcome?: 'paid' | 'failed';
}

export interface ActRequest {
  readonly act: ActName;
  readonly subject: string;
  readonly reason: string;
  readonly details: ActDetails;
}

/** Line for the activity log of the account or wallet's owners. */
export type OwnersLine = ({ readonly accountId: string } | { readonly walletId: string }) & {
  readonly act: string;
  readonly subject: string;
  readonly after?: object;
};

export interface Target {
  /** Null: no money. */
  readonly amount: Kobo | null;
  readonly before: object;
  /** Cases that the act resolves, unless `isLeft`. */
  readonly cases: {
    readonly kinds: readonly CaseOpened['kind'][];
    readonly subject: string;
    readonly isLeft?: () => Promise<boolean>;
  } | null;
  /** Null: no owner to tell. */
  readonly owner: OwnersLine | null;
  /** Returns the state afterwards. */
  readonly carryOut: (caseId: string | null) => Promise<object>;
}

/** Hours in which a second operator may confirm. */
export const PROPOSAL_HOURS = 24;
