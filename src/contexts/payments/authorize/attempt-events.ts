import { attemptOf, decisionOf } from '../payments.domain.js';
import { blockMessage } from '../checks/decide.domain.js';
import {
  ApprovalRequested,
  CoolingOffSpent,
  LimitedKeyPaid,
  PaymentApproved,
  PaymentBlocked,
} from '../payments.events.js';
import type { Authorised, NewTransaction } from '../spending-wallet.domain.js';

/** An attempt that is to be stored, and what it leaves in the wallet. */
export type DecidedAttempt = NewTransaction & Pick<Authorised, 'balanceAfter' | 'keyUsage'>;

/** The event of an approved attempt; none for any other. */
export function approved(transaction: DecidedAttempt): PaymentApproved | undefined {
  if (decisionOf(transaction) !== 'approved') return undefined;
  const { createdAt: at, balanceAfter } = transaction;
  return new PaymentApproved({ ...attemptOf(transaction), at, balanceAfter });
}

/** The event of an attempt that waits for a person; none for any other. */
export function approvalRequested(transaction: DecidedAttempt): ApprovalRequested | undefined {
  const { approvalExpiresAt: expiresAt, createdAt: at } = transaction;
  return expiresAt ? new ApprovalRequested({ ...attemptOf(transaction), at, expiresAt }) : undefined;
}

/** The event of a payment whose key or payee cools off, also while it waits for a person; none for any other. */
export function coolingOffSpent(transaction: DecidedAttempt): CoolingOffSpent | undefined {
  const { coolingOff } = transaction.facts;
  if (transaction.blockReason !== null || !coolingOff) return undefined;
  const { recipientAccountNo: accountNumber, recipientBankCode: bankCode } = transaction;
  return new CoolingOffSpent({
    walletId: transaction.walletId,
    transactionId: transaction.id,
    amount: transaction.amount,
    keyId: coolingOff.key ? transaction.keyId : null,
    account: coolingOff.payee ? { accountNumber, bankCode } : null,
    paidAt: transaction.approval === null ? transaction.createdAt : null,
  });
}

/** The event of a payment that counts against limits of its key, also while it waits for a person. */
export function limitedKeyPaid(transaction: DecidedAttempt): LimitedKeyPaid | undefined {
  const { keyUsage, keyId } = transaction;
  if (!keyUsage || keyId === null) return undefined;
  return new LimitedKeyPaid({
    walletId: transaction.walletId,
    keyId,
    transactionId: transaction.id,
    amount: transaction.amount,
    seq: keyUsage.paymentCount,
    spentTotal: keyUsage.spentTotal,
    at: transaction.createdAt,
  });
}

/** The event of a blocked attempt; none for any other. */
export function blocked(transaction: DecidedAttempt): PaymentBlocked | undefined {
  const { blockReason, facts, createdAt: at } = transaction;
  if (blockReason === null) return undefined;
  const message = blockMessage(facts, transaction, blockReason);
  return new PaymentBlocked({ ...attemptOf(transaction), at, blockReason, message });
}
