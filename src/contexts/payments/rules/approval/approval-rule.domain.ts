import type { Facts, Intent } from '../../checks/facts.port.js';
import type { Rule } from '../rule.domain.js';

export const PENDING_MAX = 100;
/** Pending payments a limited key can have: a fifth, so that a flooding agent leaves room. */
const PENDING_OF_KEY_MAX = 20;
/** Pending payments after which limited keys add none. */
const PENDING_BY_KEYS_MAX = 80;
export const APPROVAL_TTL_MINUTES_DEFAULT = 1_440;

/** Asked last, of an attempt that passes all else. */
export function needsApproval({ approval }: Facts, { amount }: Intent): boolean {
  return approval !== undefined && amount > approval.threshold;
}

/** Counted from the time of the facts. */
export function approvalExpiry({ now, approval }: Facts): Date {
  const { ttlMinutes } = approval ?? { ttlMinutes: APPROVAL_TTL_MINUTES_DEFAULT };
  return new Date(Date.parse(now) + ttlMinutes * 60_000);
}

function pendingBound({ approval }: Facts): { limit: number; actual: number } {
  const { pending = 0, pendingOfKey } = approval ?? {};
  if (pendingOfKey === undefined) return { limit: PENDING_MAX, actual: pending };
  if (pendingOfKey >= PENDING_OF_KEY_MAX) return { limit: PENDING_OF_KEY_MAX, actual: pendingOfKey };
  return { limit: PENDING_BY_KEYS_MAX, actual: pending };
}

/** Keeps the queue of approvals short enough for a person. */
export const PENDING_LIMIT: Rule = {
  blockedAs: 'APPROVAL_LIMIT_REACHED',
  title: 'Payments that wait for approval',
  blockTitle: 'Too many payments wait for approval',
  applies: ({ approval }) => approval !== undefined,
  passes: (facts, intent) => {
    const { limit, actual } = pendingBound(facts);
    return !needsApproval(facts, intent) || actual < limit;
  },
  compared: pendingBound,
  message: (facts) => {
    const { limit, actual } = pendingBound(facts);
    const whose = limit === PENDING_OF_KEY_MAX ? 'this key' : 'this wallet';
    return (
      `${actual} payments of ${whose} wait for approval already; one of ` +
      `${facts.approval?.threshold ?? 0} kobo at most needs none.`
    );
  },
};
