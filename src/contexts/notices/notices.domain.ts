import type { Member } from '../identity/identity.port.js';
import { type Act, can } from '../identity/permissions.port.js';

interface Kind {
  readonly title: string;
  /** Goes to members whose role may do this. */
  readonly act: Act;
  /** Mailed and pushed unless the member chose otherwise. */
  readonly mail: boolean;
}

export const KINDS = {
  'approval.requested': {
    title: 'A payment waits for approval',
    act: 'payments.approve',
    mail: true,
  },
  'approval.expiring': {
    title: 'An approval expires within an hour',
    act: 'payments.approve',
    mail: true,
  },
  'approval.decided': {
    title: 'An approval was decided by somebody else, or expired',
    act: 'payments.approve',
    mail: false,
  },
  'payment.failed': { title: 'A payout failed', act: 'payments.approve', mail: true },
  'payment.returned': {
    title: 'A payout was sent back by the bank',
    act: 'payments.approve',
    mail: true,
  },
  'payments.blocked': {
    title: 'Many payments of a wallet are blocked',
    act: 'wallets.suspend',
    mail: true,
  },
  'wallet.limit_warning': {
    title: '80 or 100 % of a spending limit is used',
    act: 'wallets.change',
    mail: true,
  },
  'wallet.low_balance': { title: 'A balance is low', act: 'money.move', mail: true },
  'session.started': { title: 'A sign-in from a new device or place', act: 'self', mail: true },
  'key.created': { title: 'A new API key', act: 'keys.manage', mail: true },
  'payee.added': { title: 'A new payee', act: 'payees.manage', mail: false },
  'webhook_endpoint.disabled': {
    title: 'A webhook endpoint fails or is paused',
    act: 'webhooks.manage',
    mail: true,
  },
} as const satisfies Record<string, Kind>;

export type NoticeKind = keyof typeof KINDS;
export const NOTICE_KINDS = Object.keys(KINDS) as NoticeKind[];

/** Amounts in kobo, times in ISO 8601. */
export interface NoticeParts {
  readonly walletName?: string;
  readonly amount?: number;
  readonly limit?: number;
  readonly percent?: number;
  readonly count?: number;
  readonly merchantName?: string;
  readonly accountNumber?: string;
  readonly bankCode?: string;
  readonly accountName?: string;
  readonly reason?: string;
  readonly purpose?: string;
  readonly keyName?: string;
  readonly expiresAt?: string;
  readonly outcome?: string;
  readonly by?: string;
  readonly host?: string;
  readonly address?: string;
  readonly device?: string;
  readonly at?: string;
  readonly since?: string;
}

export interface News {
  readonly kind: NoticeKind;
  readonly accountId: string;
  /** Once per person. */
  readonly key: string;
  readonly walletId: string | null;
  readonly subjectId: string | null;
  readonly parts: NoticeParts;
  /** Null: everybody whose role may act. */
  readonly onlyTo?: string | null;
  readonly except?: string | null;
}

export function concerns({ kind, accountId }: Pick<News, 'kind' | 'accountId'>, member: Member): boolean {
  return member.accountId === accountId && can(member.role, KINDS[kind].act);
}

export function isAboutLogin({ kind }: Pick<News, 'kind'>): boolean {
  return KINDS[kind].act === 'self';
}

export const NOTICES_KEPT_MAX = 100;
/** The rest waits for the next hour and comes in one. */
export const MAILS_PER_HOUR_MAX = 30;
/** More come in one mail. */
export const SEPARATE_MAX = 3;
/** Of one wallet within {@link BURST_MINUTES}. */
export const BURST_COUNT = 10;
export const BURST_MINUTES = 15;
