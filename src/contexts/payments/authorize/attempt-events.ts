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

export type DecidedAttempt = NewTransaction & Pick<Authorised, 'balanceAfter' | 'keyUsage'>;

export function approved(transaction: DecidedAttempt): PaymentApproved | undefined {
  if (decisionOf(transaction) !== 'approved') return undefined;
  const { createdAt: at, balanceAfter } = transaction;
  return new PaymentApproved({ ...attemptOf(transaction), at, balanceAfter });
}

export function approvalRequested(transaction: DecidedAttempt): ApprovalRequested | undefined {
  const { approvalExpiresAt: expiresAt, createdAt: at } = transaction;
  return expiresAt ? new ApprovalRequested({ ...attemptOf(transaction), at, expiresAt }) : undefined;
}

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

export function blocked(transaction: DecidedAttempt): PaymentBlocked | undefined {
  const { blockReason, facts, createdAt: at } = transaction;
  if (blockReason === null) return undefined;
  const message = blockMessage(facts, transaction, blockReason);
  return new PaymentBlocked({ ...attemptOf(transaction), at, blockReason, message });
}
