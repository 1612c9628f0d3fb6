import { hash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical-json.js';
import type { ShownSettlement } from '../settlement/settlement.port.js';
import type { Facts } from '../payments/checks/facts.port.js';
import type { ReceiptPayee, Transaction } from '../payments/payments.port.js';

export const RECEIPT_ISSUER = 'agent-payment-wallet';
export const RECEIPT_TYPE = 'payment-receipt+jwt';

/** Claims about the decision; nothing reveals the payee. */
export interface ReceiptClaims {
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
  /** Set only if the agent gave them. */
  readonly runIdHash?: string;
  readonly rationaleHash?: string;
}

export interface Disclosure {
  readonly salt: string;
  readonly payee: ReceiptPayee;
  readonly facts: Facts;
  readonly runId?: string;
  readonly rationale?: string;
}

export function payeeOf(transaction: Transaction): ReceiptPayee {
  const { recipientAccountNo: accountNumber, recipientBankCode: bankCode, merchantName } = transaction;
  return { accountNumber, bankCode, merchantName };
}

/** SHA-256, base64url, of salt, full stop and canonical JSON. */
function saltedHash(salt: string, value: ReceiptPayee | Facts | string): string {
  return hash('sha256', `${salt}.${canonicalJson(value)}`, 'base64url');
}

export function claimsOf(
  transaction: Transaction,
  outcome: string,
  settlement: ShownSettlement | null,
  { salt, payee, facts, runId, rationale }: Disclosure,
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
    ...(runId !== undefined && { runIdHash: saltedHash(salt, runId) }),
    ...(rationale !== undefined && { rationaleHash: saltedHash(salt, rationale) }),
  };
}
