import type {
  ApprovalDecided,
  ApprovalRequested,
  PaymentApproved,
  PaymentBlocked,
} from '../payments/payments.events.js';
import type { KeyLabel } from '../wallet/wallet.port.js';
import type { AttemptData } from './notifications.domain.js';

export type Attempt = PaymentApproved | PaymentBlocked | ApprovalRequested | ApprovalDecided;

export interface OfWallet {
  readonly walletId: string;
  readonly requestId?: string | null | undefined;
  readonly traceParent?: string | null | undefined;
}

export function attemptData(event: Attempt, key: KeyLabel | undefined): AttemptData {
  const { transactionId, walletId, details, purpose } = event;
  const { amount, merchant, merchantName, recipientAccountNo, recipientBankCode, reason, runId, rationale } =
    details;
  return {
    transactionId,
    walletId,
    amount,
    currency: 'NGN',
    merchant,
    merchantName,
    recipientAccountNo,
    recipientBankCode,
    reason,
    ...(key && { keyId: key.id, keyPrefix: key.prefix, keyName: key.name }),
    ...(purpose !== null && { purpose }),
    ...(runId !== null && { runId }),
    ...(rationale !== null && { rationale }),
  };
}
