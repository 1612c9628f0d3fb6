/** Block reasons in checking order: the specification's, then the owner's rules. */
export const BLOCK_REASONS = [
  'WALLET_INACTIVE',
  'WALLET_EXPIRED',
  'SPEND_LIMIT_PER_TX_EXCEEDED',
  'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
  'MERCHANT_NOT_ALLOWED',
  'INSUFFICIENT_FUNDS',
  'KEY_LIMIT_EXCEEDED',
  'PAYEE_NOT_ALLOWED',
  'COOLING_OFF',
  'POSSIBLE_DUPLICATE',
  'APPROVAL_LIMIT_REACHED',
  'APPROVAL_DENIED',
  'APPROVAL_EXPIRED',
] as const;

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
  | 'TWO_FACTOR_ALREADY_ENABLED'
  | 'TWO_FACTOR_NOT_ENABLED'
  | 'SESSION_NOT_FOUND'
  | 'MAIL_UNAVAILABLE'
  | 'MISSING_API_KEY'
  | 'INVALID_API_KEY'
  | 'INVALID_SIGNATURE'
  | 'FORBIDDEN'
  | 'WALLET_NOT_FOUND'
  | 'USER_NOT_FOUND'
  | 'TRANSACTION_NOT_FOUND'
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
  | 'KEY_LIMIT_REACHED'
  | 'PAYEE_NOT_FOUND'
  | 'PAYEE_LIMIT_REACHED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | (typeof BLOCK_REASONS)[number]
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
