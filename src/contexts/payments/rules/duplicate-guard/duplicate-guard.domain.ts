import type { DuplicateGuardFacts, Facts, Intent } from '../../checks/facts.port.js';
import type { Rule } from '../rule.domain.js';

export const GUARD_MINUTES_MAX = 1_440;

/** A payment that another one may repeat. */
export interface Purchase {
  readonly transactionId: string;
  readonly at: Date;
  /** It waits for approval. */
  readonly isPending: boolean;
}

/** What makes two payments the same purchase, beside the time between them. */
export interface PurchaseIdentity {
  readonly walletId: string;
  readonly keyId: string;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
  readonly amount: number;
}

/** A purchase to be remembered. */
export interface NewPurchase extends PurchaseIdentity {
  readonly seq: number;
  readonly transactionId: string;
  readonly approvedAt: Date;
}

export function purchaseIdentity(
  walletId: string,
  keyId: string,
  { recipientAccountNo, recipientBankCode, amount }: Intent,
): PurchaseIdentity {
  return { walletId, keyId, recipientAccountNo, recipientBankCode, amount };
}

/** The same text for the same purchase. */
export function purchaseText(identity: PurchaseIdentity): string {
  const { walletId, keyId, recipientAccountNo, recipientBankCode, amount } = identity;
  return `${walletId} ${keyId} ${recipientAccountNo} ${recipientBankCode} ${amount}`;
}

/**
 * How many minutes the guard looks back; 0: it is off. The owner's choice counts, also to have none; without one it is
 * what the request asks for.
 */
export function guardMinutes(chosen: number | undefined, asked: number | undefined): number {
  return chosen ?? asked ?? 0;
}

/** What the guard looks at. */
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

/** From when on the same may be paid again without a word; null where nothing like it was paid. */
function repeatableAt({ duplicateGuard }: Facts): string | null {
  if (!duplicateGuard?.last) return null;
  return new Date(Date.parse(duplicateGuard.last.at) + duplicateGuard.minutes * 60_000).toISOString();
}

/**
 * The same purchase is not paid twice by accident. Only the newest one can be confirmed, so that a confirmation that is
 * sent twice buys one thing more, not two.
 */
export const DUPLICATE_GUARD: Rule = {
  blockedAs: 'POSSIBLE_DUPLICATE',
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
  waits: (facts) => {
    const until = repeatableAt(facts);
    return until === null ? null : { until };
  },
};
