import type { BankAccount } from '../../../bank/name-enquiry.port.js';
import type { DuplicateGuardFacts, Facts, Intent } from '../../checks/facts.port.js';
import { recipientOf } from '../../payments.port.js';
import type { Rule } from '../rule.domain.js';

export const GUARD_MINUTES_MAX = 1_440;

export interface Purchase {
  readonly transactionId: string;
  readonly at: Date;
  readonly isPending: boolean;
}

/** Two payments with equal members are one purchase. */
export interface PurchaseIdentity extends BankAccount {
  readonly walletId: string;
  readonly keyId: string;
  readonly amount: number;
}

export interface NewPurchase extends PurchaseIdentity {
  readonly seq: number;
  readonly transactionId: string;
  readonly approvedAt: Date;
}

export function purchaseIdentity(walletId: string, keyId: string, intent: Intent): PurchaseIdentity {
  return { walletId, keyId, ...recipientOf(intent), amount: intent.amount };
}

export function purchaseText(identity: PurchaseIdentity): string {
  const { walletId, keyId, accountNumber, bankCode, amount } = identity;
  return `${walletId} ${keyId} ${accountNumber} ${bankCode} ${amount}`;
}

/** Minutes; 0: off. The owner's choice, 0 included, precedes the request's. */
export function guardMinutes(chosen: number | undefined, asked: number | undefined): number {
  return chosen ?? asked ?? 0;
}

export function duplicateGuardFacts(
  minutes: number,
  last: Purchase | undefined,
  confirmed: string | null | undefined,
): DuplicateGuardFacts {
  return {
    minutes,
    ...(last && {
      last: {
        transactionId: last.transactionId,
        at: last.at.toISOString(),
        ...(last.isPending && { isPending: true }),
      },
    }),
    ...(confirmed != null && { confirmed }),
  };
}

/** Null if nothing like it was paid. */
function repeatableAt({ duplicateGuard }: Facts): string | null {
  if (!duplicateGuard?.last) return null;
  return new Date(Date.parse(duplicateGuard.last.at) + duplicateGuard.minutes * 60_000).toISOString();
}

/** Only the newest purchase can be confirmed, so that a repeated confirmation buys once. */
export const DUPLICATE_GUARD: Rule = {
  blockedAs: 'POSSIBLE_DUPLICATE',
  title: 'No duplicate',
  blockTitle: 'Possible duplicate',
  applies: ({ duplicateGuard }) => duplicateGuard !== undefined,
  passes: (facts) => {
    const from = repeatableAt(facts);
    if (from === null || Date.parse(facts.now) >= Date.parse(from)) return true;
    return facts.duplicateGuard?.confirmed === facts.duplicateGuard?.last?.transactionId;
  },
  compared: (facts): Record<string, string> => {
    const { last } = facts.duplicateGuard ?? {};
    const limit = repeatableAt(facts);
    return last && limit !== null ? { duplicateOf: last.transactionId, limit, actual: facts.now } : {};
  },
  message: (facts) => {
    const { transactionId, at, isPending } = facts.duplicateGuard?.last ?? {};
    const first = isPending
      ? `A payment of the same amount to the same account waits for approval since ${at} (${transactionId}).`
      : `The same amount was paid to the same account at ${at} (${transactionId}).`;
    return `${first} If it is to be paid again before ${repeatableAt(facts)}, send that id as confirmSecondPurchase.`;
  },
  passesWhen: (facts) => {
    const until = repeatableAt(facts);
    return until === null ? null : { until };
  },
};
