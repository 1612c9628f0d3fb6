import type { Facts, Intent } from '../../checks/facts.port.js';
import type { Rule } from '../rule.domain.js';

/** How many payments of one wallet can wait for a person at a time. */
export const PENDING_MAX = 100;
/** Of these, how many a key with limits and those it replaced can have: an agent that floods fills a fifth of them. */
const PENDING_OF_KEY_MAX = 20;
/** How many payments may wait before keys with limits add none: what is left is for the wallet's other keys. */
const PENDING_BY_KEYS_MAX = 80;
/** How long a payment waits where its owner did not say: a day. */
export const APPROVAL_TTL_MINUTES_DEFAULT = 1_440;

/** Whether a person is to decide. Asked last, of an attempt that passes all else. */
export function needsApproval({ approval }: Facts, { amount }: Intent): boolean {
  return approval !== undefined && amount > approval.threshold;
}

/** From when on an attempt that waits can't be approved any more: counted from the time of its facts. */
export function approvalExpiry({ now, approval }: Facts): Date {
  const { ttlMinutes } = approval ?? { ttlMinutes: APPROVAL_TTL_MINUTES_DEFAULT };
  return new Date(Date.parse(now) + ttlMinutes * 60_000);
}

/** The bound that an attempt which needs approval is held against, and how many wait that count towards it. */
function pendingBound({ approval }: Facts): { limit: number; actual: number } {
  const { pending = 0, pendingOfKey } = approval ?? {};
  if (pendingOfKey === undefined) return { limit: PENDING_MAX, actual: pending };
  if (pendingOfKey >= PENDING_OF_KEY_MAX) return { limit: PENDING_OF_KEY_MAX, actual: pendingOfKey };
  return { limit: PENDING_BY_KEYS_MAX, actual: pending };
}

/** What waits must stay few enough for a person to look at, and no key with limits may keep the others from asking. */
export const PENDING_LIMIT: Rule = {
  blockedAs: 'APPROVAL_LIMIT_REACHED',
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
