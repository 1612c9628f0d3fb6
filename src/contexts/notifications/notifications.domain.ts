import type { PaymentDetails } from '../payments/payments.events.js';

export const EVENT_NAMES = [
  'wallet.funded',
  'payment.approved',
  'payment.blocked',
  'payment.settled',
  'payment.refunded',
  'payment.returned',
  'wallet.low_balance',
  'wallet.limit_warning',
  'wallet.status_changed',
  'approval.requested',
  'approval.decided',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** `data` of each event: amounts in kobo, times in ISO 8601. */
export interface EventData {
  'wallet.funded': {
    readonly walletId: string;
    readonly amountCredited: number;
    readonly newBalance: number;
    readonly currency: 'NGN';
    readonly fundedAt: string;
  };
  'payment.approved': AttemptData & { readonly approvedAt: string };
  'payment.blocked': AttemptData & {
    readonly blockReason: string;
    readonly message: string;
    readonly blockedAt: string;
  };
  'payment.settled': {
    readonly transactionId: string;
    readonly walletId: string;
    readonly amount: number;
    readonly currency: 'NGN';
    readonly settledAt: string;
  };
  'payment.refunded': {
    readonly transactionId: string;
    readonly walletId: string;
    readonly amountRefunded: number;
    readonly newBalance: number;
    readonly currency: 'NGN';
    readonly refundedAt: string;
  };
  'payment.returned': {
    readonly transactionId: string;
    readonly walletId: string;
    readonly amount: number;
    readonly currency: 'NGN';
    /** In the bank's words. */
    readonly reason: string;
    readonly returnedAt: string;
  };
  'wallet.low_balance': {
    readonly walletId: string;
    readonly threshold: number;
    readonly newBalance: number;
    readonly currency: 'NGN';
    /** Null if the owner withdrew money. */
    readonly transactionId: string | null;
    readonly reachedAt: string;
  };
  'wallet.limit_warning': {
    readonly walletId: string;
    /** Null: the wallet's own limit. */
    readonly keyId: string | null;
    /** `period` or `total`. */
    readonly budget: string;
    readonly percent: number;
    readonly limit: number;
    readonly spent: number;
    readonly currency: 'NGN';
    /** Null: a total. */
    readonly periodWindowDays: number | null;
    readonly reachedAt: string;
  };
  'wallet.status_changed': {
    readonly walletId: string;
    readonly previousStatus: string;
    readonly status: string;
    readonly changedAt: string;
  };
  /** Approval and payment share one id. */
  'approval.requested': AttemptData & { readonly requestedAt: string; readonly expiresAt: string };
  'approval.decided': AttemptData & {
    readonly outcome: string;
    /** Null if it expired. */
    readonly decidedById: string | null;
    readonly note: string | null;
    readonly decidedAt: string;
  };
}

export const ATTEMPT_EVENT_NAMES = [
  'payment.approved',
  'payment.blocked',
  'approval.requested',
  'approval.decided',
] as const;
export type AttemptEventName = (typeof ATTEMPT_EVENT_NAMES)[number];

export interface AttemptData extends Pick<
  PaymentDetails,
  'merchant' | 'merchantName' | 'recipientAccountNo' | 'recipientBankCode' | 'reason'
> {
  readonly transactionId: string;
  readonly walletId: string;
  readonly amount: number;
  readonly currency: 'NGN';
  readonly keyId?: string;
  readonly keyPrefix?: string;
  readonly keyName?: string | null;
  readonly purpose?: string;
  /** Set only if the agent gave them. */
  readonly runId?: string;
  readonly rationale?: string;
}

const EXAMPLE_ATTEMPT = {
  transactionId: '019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40',
  walletId: '019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10',
  amount: 250_000,
  currency: 'NGN',
  merchant: 'jumia',
  merchantName: 'Jumia',
  recipientAccountNo: '0123456789',
  recipientBankCode: '058',
  reason: 'Office supplies',
  keyId: '019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90',
  keyPrefix: 'apw_live_7Qm2xKd',
  keyName: 'Shopping agent',
  purpose: 'Supplies for the Lagos office',
  runId: 'run-0417',
  rationale: 'The printer has paper for two days.',
} as const;

export const EXAMPLES: { readonly [Name in EventName]: EventData[Name] } = {
  'wallet.funded': {
    walletId: EXAMPLE_ATTEMPT.walletId,
    amountCredited: 5_000_000,
    newBalance: 7_500_000,
    currency: 'NGN',
    fundedAt: '2026-11-21T06:30:00.000Z',
  },
  'payment.approved': { ...EXAMPLE_ATTEMPT, approvedAt: '2026-11-21T06:31:00.000Z' },
  'payment.blocked': {
    ...EXAMPLE_ATTEMPT,
    blockReason: 'MERCHANT_NOT_ALLOWED',
    message: 'The merchant Jumia is not on the allowlist of this wallet.',
    blockedAt: '2026-11-21T06:31:00.000Z',
  },
  'payment.settled': {
    transactionId: EXAMPLE_ATTEMPT.transactionId,
    walletId: EXAMPLE_ATTEMPT.walletId,
    amount: EXAMPLE_ATTEMPT.amount,
    currency: 'NGN',
    settledAt: '2026-11-21T06:31:02.000Z',
  },
  'payment.refunded': {
    transactionId: EXAMPLE_ATTEMPT.transactionId,
    walletId: EXAMPLE_ATTEMPT.walletId,
    amountRefunded: EXAMPLE_ATTEMPT.amount,
    newBalance: 7_500_000,
    currency: 'NGN',
    refundedAt: '2026-11-21T06:31:05.000Z',
  },
  'payment.returned': {
    transactionId: EXAMPLE_ATTEMPT.transactionId,
    walletId: EXAMPLE_ATTEMPT.walletId,
    amount: EXAMPLE_ATTEMPT.amount,
    currency: 'NGN',
    reason: 'The destination bank sent the money back.',
    returnedAt: '2026-11-21T09:12:40.000Z',
  },
  'wallet.low_balance': {
    walletId: EXAMPLE_ATTEMPT.walletId,
    threshold: 1_000_000,
    newBalance: 900_000,
    currency: 'NGN',
    transactionId: EXAMPLE_ATTEMPT.transactionId,
    reachedAt: '2026-11-21T06:31:00.000Z',
  },
  'wallet.limit_warning': {
    walletId: EXAMPLE_ATTEMPT.walletId,
    keyId: '019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90',
    budget: 'period',
    percent: 80,
    limit: 10_000_000,
    spent: 8_050_000,
    currency: 'NGN',
    periodWindowDays: 7,
    reachedAt: '2026-11-21T06:31:00.000Z',
  },
  'wallet.status_changed': {
    walletId: EXAMPLE_ATTEMPT.walletId,
    previousStatus: 'ACTIVE',
    status: 'SUSPENDED',
    changedAt: '2026-11-21T06:31:00.000Z',
  },
  'approval.requested': {
    ...EXAMPLE_ATTEMPT,
    requestedAt: '2026-11-21T06:31:00.000Z',
    expiresAt: '2026-11-22T06:31:00.000Z',
  },
  'approval.decided': {
    ...EXAMPLE_ATTEMPT,
    outcome: 'approved',
    decidedById: '019a9f2e-0a00-7f10-9d42-3b1c8e5a7d20',
    note: 'Agreed with the office manager',
    decidedAt: '2026-11-21T07:02:00.000Z',
  },
};

/** Body of a delivery as stored, signed and sent. */
export function bodyOf<Name extends EventName>(event: Name, data: EventData[Name]): string {
  return JSON.stringify({ event, data });
}

/** True if a balance that falls by `amount` to `after` drops below the threshold. */
export function crosses(threshold: number, amount: number, after: number): boolean {
  return after < threshold && after + amount >= threshold;
}
