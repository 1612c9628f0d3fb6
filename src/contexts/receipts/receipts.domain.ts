import { hash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical-json.js';
import type { ShownSettlement } from '../settlement/settlement.port.js';
import type { Facts } from '../payments/checks/facts.port.js';
import type { Payee, Transaction } from '../payments/payments.port.js';

export const RECEIPT_ISSUER = 'agent-payment-wallet';
/** What the header of a receipt says it is. */
export const RECEIPT_TYPE = 'payment-receipt+jwt';

/** What a receipt says: what was decided of an attempt, and nothing that tells whom it was to pay. */
export interface ReceiptClaims {
  /** The transaction. */
  readonly jti: string;
  /** The wallet. */
  readonly sub: string;
  readonly outcome: string;
  readonly blockReason: string | null;
  /** In kobo. */
  readonly amount: number;
  readonly currency: 'NGN';
  /** What the owner says that the key is for. */
  readonly purpose: string | null;
  /** When it was decided, ISO 8601: where the owner was asked, when the owner decided or it expired. */
  readonly decidedAt: string;
  /** How the transfer stood when the receipt was signed; null where there is none. */
  readonly settlement: string | null;
  /** Set only if the bank sent the money back: when the wallet was refunded, ISO 8601; null while it was not. */
  readonly refundedAt?: string | null;
  readonly payeeHash: string;
  readonly factsHash: string;
}

/** What the hashes of a receipt are of. The holder of the receipt may show it to others, or not. */
export interface Disclosure {
  readonly salt: string;
  readonly payee: Payee;
  readonly facts: Facts;
}

export function payeeOf(transaction: Transaction): Payee {
  const { recipientAccountNo: accountNumber, recipientBankCode: bankCode, merchantName } = transaction;
  return { accountNumber, bankCode, merchantName };
}

/** SHA-256, base64url, of the salt, a full stop and the value's canonical JSON. */
function saltedHash(salt: string, value: Payee | Facts): string {
  return hash('sha256', `${salt}.${canonicalJson(value)}`, 'base64url');
}

/** The claims of a receipt whose holder is given `disclosure`. */
export function claimsOf(
  transaction: Transaction,
  outcome: string,
  settlement: ShownSettlement | null,
  { salt, payee, facts }: Disclosure,
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
    ...(settlement?.refundedAt !== undefined && { refundedAt: settlement.refundedAt }),
    payeeHash: saltedHash(salt, payee),
    factsHash: saltedHash(salt, facts),
  };
}
