/** In checking order. */
export const BLOCK_MEANINGS = {
  WALLET_INACTIVE: 'The wallet is not active.',
  WALLET_EXPIRED: 'The expiry of the wallet has passed.',
  SPEND_LIMIT_PER_TX_EXCEEDED: 'The amount is more than the wallet may spend at a time.',
  SPEND_LIMIT_PER_PERIOD_EXCEEDED:
    'With this amount the wallet would spend more than its limit for the period.',
  MERCHANT_NOT_ALLOWED: 'The wallet has an allowlist and the merchant is not on it.',
  INSUFFICIENT_FUNDS: 'The amount is more than the balance.',
  KEY_LIMIT_EXCEEDED: 'The payment is more than the limits of its key allow; the details name the limit.',
  PAYEE_NOT_ALLOWED: 'The wallet may not pay this merchant at this account.',
  COOLING_OFF: 'The key or the payee is new: so much may not be paid yet.',
  POSSIBLE_DUPLICATE:
    'The same was paid shortly before, or waits for approval. To pay it again, send the id in details.duplicateOf as confirmSecondPurchase.',
  APPROVAL_LIMIT_REACHED:
    'There are as many payments of the wallet, or of the key, waiting for approval as there can be.',
  APPROVAL_DENIED: 'The owner of the wallet denied the payment.',
  APPROVAL_EXPIRED: 'The payment was not approved in time.',
} as const;

export type BlockReason = keyof typeof BLOCK_MEANINGS;

export const BLOCK_REASONS = Object.keys(BLOCK_MEANINGS) as BlockReason[];

/** Statuses are known to `http/` alone. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'EXPIRY_IN_PAST'
  | 'ALLOWLIST_REQUIRED'
  | 'PERIOD_LIMIT_TOO_LOW'
  | 'UNAUTHORIZED'
  | 'INVALID_CREDENTIALS'
  | 'WRONG_PASSWORD'
  | 'INVALID_RESET_TOKEN'
  | 'TWO_FACTOR_REQUIRED'
  | 'INVALID_TWO_FACTOR_CODE'
  | 'TWO_FACTOR_DEMANDED'
  | 'TWO_FACTOR_ALREADY_ENABLED'
  | 'TWO_FACTOR_NOT_ENABLED'
  | 'INVALID_PASSKEY'
  | 'PASSKEY_NOT_FOUND'
  | 'PASSKEY_LIMIT_REACHED'
  | 'SESSION_NOT_FOUND'
  | 'PUSH_SUBSCRIPTION_NOT_FOUND'
  | 'MAIL_UNAVAILABLE'
  | 'MISSING_API_KEY'
  | 'INVALID_API_KEY'
  | 'INVALID_SIGNATURE'
  | 'FORBIDDEN'
  | 'WALLET_NOT_FOUND'
  | 'USER_NOT_FOUND'
  | 'MEMBER_NOT_FOUND'
  | 'INVITATION_NOT_FOUND'
  | 'ALREADY_MEMBER'
  | 'MEMBER_LIMIT_REACHED'
  | 'LAST_OWNER'
  | 'BUSINESS_REQUIRED'
  | 'ACCOUNT_NOT_EMPTY'
  | 'TRANSACTION_NOT_FOUND'
  | 'STATEMENT_NOT_FOUND'
  | 'NOTE_NOT_FOUND'
  | 'NOTE_LIMIT_REACHED'
  | 'FILE_NOT_FOUND'
  | 'FILE_LIMIT_REACHED'
  | 'FILE_STORAGE_FULL'
  | 'ACCOUNT_NOT_FOUND'
  | 'WEBHOOK_ENDPOINT_NOT_FOUND'
  | 'WEBHOOK_DELIVERY_NOT_FOUND'
  | 'WEBHOOK_ENDPOINT_DISABLED'
  | 'WEBHOOK_LIMIT_REACHED'
  | 'EMAIL_ALREADY_REGISTERED'
  | 'WALLET_LIMIT_REACHED'
  | 'VERSION_CONFLICT'
  | 'WALLET_CLOSED'
  | 'WALLET_NOT_EMPTY'
  | 'WITHDRAWAL_NOT_FOUND'
  | 'KEY_NOT_FOUND'
  | 'APPROVAL_NOT_FOUND'
  | 'APPROVAL_ALREADY_DECIDED'
  | 'REQUESTER_CANNOT_APPROVE'
  | 'KEY_LIMIT_REACHED'
  | 'PAYEE_NOT_FOUND'
  | 'PAYEE_LIMIT_REACHED'
  | 'OPERATOR_SUBJECT_NOT_FOUND'
  | 'OPERATOR_ACT_REFUSED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | BlockReason
  | 'BAD_REQUEST'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'PAYLOAD_TOO_LARGE'
  | 'RATE_LIMITED'
  | 'OVERLOADED'
  | 'DATABASE_UNAVAILABLE'
  | 'OUTCOME_UNKNOWN'
  | 'SHUTTING_DOWN'
  | 'BANK_UNAVAILABLE'
  | 'INTERNAL_ERROR';

/** `field` is a dotted path. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

export interface AppErrorDetail {
  readonly fields?: readonly FieldError[];
  readonly transactionId?: string;
  /** For programs. */
  readonly details?: Readonly<Record<string, string | number>>;
  readonly advice?: {
    readonly maxAmountNow?: number;
    readonly earliestPassAt?: string | null;
    readonly hint: string;
  };
  /** Set only if it repeats an earlier answer of the same idempotency key. */
  readonly replayed?: true;
  /** Becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** A refusal; anything else thrown is a bug, answered 500. */
export class AppError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly detail: AppErrorDetail = {},
  ) {
    super(message);
    this.name = 'AppError';
  }
}

export function validationError(...fields: FieldError[]): AppError {
  const summary = fields.map(({ field, message }) => `${field}: ${message}`).join('; ');
  return new AppError('VALIDATION_ERROR', summary, { fields });
}
