import type { AccountActed } from '../identity/identity.events.js';
import type { NoticeKind } from './notices.domain.js';

export interface Settled {
  readonly kind: NoticeKind;
  readonly about: string | null | undefined;
  readonly outcome: string;
}

interface Shown {
  readonly keyId?: string;
  readonly payeeId?: string;
  readonly status?: string;
  readonly spendLimitPeriod?: number;
}

type Settles = (subject: string | null | undefined, after: Shown, before: Shown) => readonly Settled[];

const SETTLES: Readonly<Record<string, Settles>> = {
  'wallet.suspended': (about) => [{ kind: 'payments.blocked', about, outcome: 'wallet frozen' }],
  'wallet.updated': (about, { spendLimitPeriod }) =>
    spendLimitPeriod === undefined ? [] : [{ kind: 'wallet.limit_warning', about, outcome: 'limit changed' }],
  'key.revoked': (walletId, { keyId }) => [
    { kind: 'payments.blocked', about: walletId, outcome: 'key revoked' },
    { kind: 'wallet.limit_warning', about: keyId, outcome: 'key revoked' },
    { kind: 'key.created', about: keyId, outcome: 'revoked' },
  ],
  'payee.removed': (_, __, { payeeId }) => [{ kind: 'payee.added', about: payeeId, outcome: 'removed' }],
  'session.ended': (about) => [{ kind: 'session.started', about, outcome: 'signed out' }],
  'webhook.changed': (about, after, before) =>
    before.status === 'disabled' && after.status === 'enabled'
      ? [{ kind: 'webhook_endpoint.disabled', about, outcome: 'resumed' }]
      : [],
  'webhook.deleted': (about) => [{ kind: 'webhook_endpoint.disabled', about, outcome: 'deleted' }],
};

export function settledBy({ act, subject, after = {}, before = {} }: AccountActed): readonly Settled[] {
  return SETTLES[act]?.(subject, after, before).filter(({ about }) => about) ?? [];
}
