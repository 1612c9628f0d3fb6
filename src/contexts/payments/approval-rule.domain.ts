import type { Facts, Intent, Rule } from './facts.domain.js';

/** How many payments of one wallet can wait for a person at a time. */
export const PENDING_MAX = 100;
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

/** What waits must stay few enough for a person to look at. */
export const PENDING_LIMIT: Rule = {
  blockedAs: 'APPROVAL_LIMIT_REACHED',
  applies: ({ approval }) => approval !== undefined,
  passes: (facts, intent) => !needsApproval(facts, intent) || (facts.approval?.pending ?? 0) < PENDING_MAX,
  compared: ({ approval }) => ({ limit: PENDING_MAX, actual: approval?.pending ?? 0 }),
  message: ({ approval }) =>
    `${approval?.pending ?? 0} payments of this wallet wait for approval already; one of ` +
    `${approval?.threshold ?? 0} kobo at most needs none.`,
};
