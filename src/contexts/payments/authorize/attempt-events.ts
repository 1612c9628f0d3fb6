import { attemptOf, decisionOf } from '../payments.domain.js';
import { blockMessage } from '../checks/decide.domain.js';
import { ApprovalRequested, PaymentApproved, PaymentBlocked } from '../payments.events.js';
import type { DecidedAttempt } from '../spending-wallet.domain.js';

export function approved(transaction: DecidedAttempt): PaymentApproved | undefined {
  if (decisionOf(transaction) !== 'approved') return undefined;
  const { createdAt: at, balanceAfter } = transaction;
  return new PaymentApproved({ ...attemptOf(transaction), at, balanceAfter });
}

export function approvalRequested(transaction: DecidedAttempt): ApprovalRequested | undefined {
  const { approvalExpiresAt: expiresAt, createdAt: at } = transaction;
  return expiresAt ? new ApprovalRequested({ ...attemptOf(transaction), at, expiresAt }) : undefined;
}

export function blocked(transaction: DecidedAttempt): PaymentBlocked | undefined {
  const { blockReason, facts, createdAt: at } = transaction;
  if (blockReason === null) return undefined;
  const message = blockMessage(facts, transaction, blockReason);
  return new PaymentBlocked({ ...attemptOf(transaction), at, blockReason, message });
}
