import { BLOCK_TITLES } from '../api/checks.js';
import { ApiError } from '../api/request.js';

/** Messages by the code of the error. */
const WORDS: Readonly<Record<string, string>> = {
  ...BLOCK_TITLES,
  UNREACHABLE: 'Can’t reach the service. Check your connection.',
  NOT_LOADED: 'Part of the app couldn’t be loaded. Check your connection, then try again.',
  INVALID_CREDENTIALS: 'Incorrect email or password.',
  EMAIL_ALREADY_REGISTERED: 'An account with this email already exists.',
  INVALID_API_KEY: 'This API key isn’t valid.',
  MISSING_API_KEY: 'Enter the API key.',
  UNAUTHORIZED: 'Your session has ended. Sign in to continue.',
  WRONG_PASSWORD: 'That isn’t your current password.',
  TWO_FACTOR_REQUIRED: 'Enter the code of your authenticator app.',
  INVALID_TWO_FACTOR_CODE: 'This code is wrong or was used before.',
  INVALID_RESET_TOKEN: 'This link was used or has expired. Ask for another.',
  MAIL_UNAVAILABLE: 'This service can’t send email. Ask who runs it.',
  SESSION_NOT_FOUND: 'This session has already ended.',
  RATE_LIMITED: 'Too many requests. Wait a moment, then try again.',
  OVERLOADED: 'The service is busy. Nothing was done; try again in a moment.',
  OUTCOME_UNKNOWN: 'The service can’t tell whether this went through. Check the list before you try again.',
  BANK_UNAVAILABLE: 'The bank isn’t answering. Try again in a moment.',
  INTERNAL_ERROR: 'Something went wrong on our side. Try again in a moment.',
  VERSION_CONFLICT: 'Someone else changed this in the meantime. Look at the current values, then save again.',
  EXPIRY_IN_PAST: 'Choose a date in the future',
  ALLOWLIST_REQUIRED: 'Add at least one merchant',
  PERIOD_LIMIT_TOO_LOW: 'Must be at least the per-payment limit',
  WEBHOOK_LIMIT_REACHED: 'You’ve reached the limit of endpoints. Delete one first.',
  WEBHOOK_ENDPOINT_DISABLED: 'This endpoint is paused. Resume it first.',
  WALLET_CLOSED: 'This wallet is closed.',
  WALLET_NOT_EMPTY: 'There’s still money in this wallet. Choose where it goes.',
  WALLET_LIMIT_REACHED: 'You’ve reached the limit of wallets.',
  KEY_LIMIT_REACHED: 'This wallet has reached its limit of keys. Revoke one first.',
  PAYEE_LIMIT_REACHED: 'This wallet has reached its limit of payees. Remove one first.',
  PAYEE_NOT_FOUND: 'This payee has already been removed.',
  WALLET_INACTIVE: 'This wallet is frozen. Resume it first.',
  WALLET_EXPIRED: 'This wallet has expired. Extend it first.',
  APPROVAL_NOT_FOUND: 'It no longer awaits approval.',
  APPROVAL_ALREADY_DECIDED: 'It was already decided, or has expired. Nothing was changed.',
  KEY_NOT_FOUND: 'This key no longer exists.',
  INSUFFICIENT_FUNDS: 'There isn’t enough money in the wallet.',
  DATABASE_UNAVAILABLE: 'The service is busy. Nothing was done; try again in a moment.',
  SHUTTING_DOWN: 'The service is restarting. Nothing was done; try again in a moment.',
  REQUEST_TIMEOUT: 'The request took too long. Try again.',
  WALLET_NOT_FOUND: 'This wallet wasn’t found.',
  TRANSACTION_NOT_FOUND: 'This payment wasn’t found.',
  WITHDRAWAL_NOT_FOUND: 'This withdrawal wasn’t found.',
  WEBHOOK_ENDPOINT_NOT_FOUND: 'This endpoint has been deleted.',
  WEBHOOK_DELIVERY_NOT_FOUND: 'This delivery wasn’t found.',
  TWO_FACTOR_ALREADY_ENABLED: 'Two-factor authentication is already on.',
  TWO_FACTOR_NOT_ENABLED: 'Two-factor authentication is already off.',
  POSSIBLE_DUPLICATE: 'The same amount was paid to the same account a moment ago.',
  ACCOUNT_NOT_FOUND: 'No account with this number at this bank.',
};

/** The fields of the API by their names in the interface. */
const FIELDS: Readonly<Record<string, string>> = {
  accountNumber: 'Account number',
  accountType: 'Account type',
  amount: 'Amount',
  approvalThreshold: 'Approval threshold',
  secondApprovalAbove: 'Two members above',
  duplicateGuardMinutes: 'Duplicate guard',
  payeePolicy: 'Allowed accounts',
  verifyRecipient: 'Check recipient’s account',
  coolingOff: 'Cooling off',
  approvalTtlMinutes: 'Approval expires after',
  lowBalanceThreshold: 'Low-balance alert',
  status: 'Status',
  bankCode: 'Bank',
  businessName: 'Business name',
  contactEmail: 'Contact email',
  contactPhone: 'Contact phone',
  description: 'Description',
  email: 'Email',
  events: 'Events',
  expiry: 'Expires on',
  expiresAt: 'Expires on',
  graceSeconds: 'The old key stops working',
  merchantAllowlist: 'Merchants',
  merchantName: 'Merchant',
  name: 'Name',
  password: 'Password',
  newPassword: 'New password',
  currentPassword: 'Current password',
  periodWindowDays: 'Rolling window',
  totalCap: 'Total limit',
  maxPayments: 'Number of payments',
  allowedMerchants: 'Merchants',
  purpose: 'Purpose',
  limits: 'Limits',
  payee: 'Account',
  recipientAccountNo: 'Account number',
  recipientBankCode: 'Bank',
  reason: 'Reason',
  since: 'Since',
  spendLimitPerTx: 'Per-payment limit',
  spendLimitPeriod: 'Spending limit',
  threshold: 'Amount',
  twoFactorDemanded: 'Two-factor required',
  url: 'URL',
  useAllowlist: 'Restrict to specific merchants',
  walletIds: 'Wallets',
};

/** A field of the API by its name in the interface; one that is new here is spelled out. */
export function fieldName(field: string): string {
  return (
    FIELDS[field] ??
    asSentence(
      field
        .replace(/[._]/g, ' ')
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase(),
    )
  );
}

/** For errors without a field. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong on this page. Reload it and try again.';
  const words = WORDS[error.code];
  if (words) return words;
  // A proxy answered instead.
  if (error.code === 'UNKNOWN' && error.isTransient)
    return 'The service isn’t answering. Try again in a moment.';
  const problems = Object.entries(error.fields);
  if (problems.length === 0) return error.message;
  return `${problems.map(([path, problem]) => ofField(path, problem)).join('. ')}.`;
}

/** For errors at a field. */
export function messageAtField(error: ApiError): string {
  return WORDS[error.code] ?? error.message;
}

/** Problems that forms leave to the API, by the field's path there. */
const PROBLEMS: Readonly<Record<string, string>> = {
  'limits.spendLimitPerTx': 'must be at most that of the wallet',
  'limits.spendLimitPeriod': 'must be at most that of the wallet',
  'limits.periodWindowDays': 'needs a spending limit',
  'limits.expiry': 'must not be after the wallet’s',
};

/** The problem of a single field, as a sentence at it. */
export function problemAtField(path: string, problem: string): string {
  return asSentence(PROBLEMS[path] ?? problem);
}

function ofField(path: string, problem: string): string {
  const name = path.split('.').findLast((part) => part in FIELDS);
  return `${name === undefined ? 'One of the values' : FIELDS[name]} ${PROBLEMS[path] ?? problem}`;
}

export function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
