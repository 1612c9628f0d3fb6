import { hash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical-json.js';
import type { ShownSettlement } from '../settlement/settlement.port.js';
import type { Facts } from '../payments/checks/facts.port.js';
import type { GivenDetails } from '../payments/payments.events.js';
import { type ReceiptPayee, recipientOf, type Transaction } from '../payments/payments.port.js';

export const RECEIPT_ISSUER = 'agent-payment-wallet';
export const RECEIPT_TYPE = 'payment-receipt+jwt';

type GivenHashes = { readonly [Name in keyof GivenDetails as `${Name}Hash`]?: string };

/** Claims about the decision; nothing reveals the payee. */
export interface ReceiptClaims extends GivenHashes {
  readonly jti: string;
  readonly sub: string;
  readonly outcome: string;
  readonly blockReason: string | null;
  /** In kobo. */
  readonly amount: number;
  readonly currency: 'NGN';
  readonly purpose: string | null;
  /** ISO 8601; after an approval, when it ended. */
  readonly decidedAt: string;
  /** At signing time; null if none. */
  readonly settlement: string | null;
  /** Set only if returned, ISO 8601. */
  readonly reversedAt?: string;
  /** Set only if returned: when the wallet was refunded, ISO 8601, or null. */
  readonly refundedAt?: string | null;
  readonly payeeHash: string;
  readonly factsHash: string;
}

export interface Disclosure extends GivenDetails {
  readonly salt: string;
  readonly payee: ReceiptPayee;
  readonly facts: Facts;
}

export function payeeOf(transaction: Transaction): ReceiptPayee {
  return { ...recipientOf(transaction), merchantName: transaction.merchantName };
}

/** SHA-256, base64url, of salt, full stop and canonical JSON. */
function saltedHash(salt: string, value: ReceiptPayee | Facts | string): string {
  return hash('sha256', `${salt}.${canonicalJson(value)}`, 'base64url');
}

export function claimsOf(
  transaction: Transaction,
  outcome: string,
  settlement: ShownSettlement | null,
  { salt, payee, facts, ...given }: Disclosure,
): ReceiptClaims {
  return {
    jti: transaction.id,
    sub: transaction.walletId,
    outcome,
    blockReason: transaction.blockReason,
    amount: transaction.amount,
    currency: 'NGN',
    purpose: transaction.purpose,
    decidedAt: (transaction.approvalDecidedAt ?? transaction.createdAt).toISOString(),
    settlement: settlement?.status ?? null,
    ...(settlement?.reversedAt !== undefined && { reversedAt: settlement.reversedAt }),
    ...(settlement?.refundedAt !== undefined && { refundedAt: settlement.refundedAt }),
    payeeHash: saltedHash(salt, payee),
    factsHash: saltedHash(salt, facts),
    ...Object.fromEntries(
      Object.entries(given).map(([name, text]) => [`${name}Hash`, saltedHash(salt, text)]),
    ),
  };
}
