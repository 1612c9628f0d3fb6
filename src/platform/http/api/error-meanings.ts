import { BLOCK_MEANINGS, type ErrorCode } from '../../../kernel/errors.js';

/** A code without an explanation does not compile. */
export const MEANINGS: Record<ErrorCode, string> = {
  ...BLOCK_MEANINGS,
  VALIDATION_ERROR: 'A field of the request fails validation.',
  EXPIRY_IN_PAST: 'The expiry of the wallet does not lie in the future.',
  ALLOWLIST_REQUIRED: 'useAllowlist is true and merchantAllowlist is empty.',
  PERIOD_LIMIT_TOO_LOW: 'spendLimitPeriod is less than spendLimitPerTx.',
  UNAUTHORIZED: 'The session token is missing, invalid or expired, or its session was ended.',
  INVALID_CREDENTIALS: 'The e-mail or the password is wrong.',
  WRONG_PASSWORD: 'The current password is wrong.',
  INVALID_RESET_TOKEN: 'The link was used, has expired, or a newer password was set: ask for another.',
  TWO_FACTOR_REQUIRED:
    'The account has two-factor authentication: send a code of the authenticator app, or a recovery code.',
  INVALID_TWO_FACTOR_CODE: 'The code is wrong, or was used before.',
  TWO_FACTOR_ALREADY_ENABLED: 'Two-factor authentication is on.',
  TWO_FACTOR_NOT_ENABLED: 'Two-factor authentication is not on, or was not set up.',
  SESSION_NOT_FOUND: 'There is no such session, or it is not yours.',
  MAIL_UNAVAILABLE: 'The service has no mail server: passwords can not be reset by e-mail.',
  MISSING_API_KEY: 'No API key was sent, in x-api-key or as Authorization: Bearer.',
  INVALID_API_KEY: 'The API key is unknown, expired or revoked.',
  INVALID_SIGNATURE: 'The signature of the delivery is missing or wrong.',
  FORBIDDEN: 'The request is about another user than the signed-in one.',
  WALLET_NOT_FOUND: 'There is no such wallet, or it is not yours.',
  USER_NOT_FOUND: 'There is no such user.',
  TRANSACTION_NOT_FOUND: 'There is no such transaction, or it is not yours.',
  WITHDRAWAL_NOT_FOUND: 'There is no such withdrawal, or it is not yours.',
  APPROVAL_NOT_FOUND: 'There is no such approval, or it is not yours.',
  APPROVAL_ALREADY_DECIDED: 'The payment was decided otherwise, or has lapsed; that is final.',
  KEY_NOT_FOUND: 'There is no such key of this wallet.',
  KEY_LIMIT_REACHED: 'There are as many keys of the wallet as there can be.',
  PAYEE_NOT_FOUND: 'There is no such payee of this wallet.',
  PAYEE_LIMIT_REACHED: 'There are as many payees of the wallet as there can be.',
  WEBHOOK_ENDPOINT_NOT_FOUND: 'There is no such webhook endpoint, or it is not yours.',
  WEBHOOK_DELIVERY_NOT_FOUND: 'There is no such delivery, or it is not yours.',
  WEBHOOK_ENDPOINT_DISABLED: 'The webhook endpoint is disabled: enable it first.',
  WEBHOOK_LIMIT_REACHED:
    'There are as many webhook endpoints, or as many signing secrets of one, as there can be.',
  ACCOUNT_NOT_FOUND: 'The bank knows no such account.',
  BAD_REQUEST: 'The request is not well-formed HTTP.',
  REQUEST_TIMEOUT: 'The request did not arrive in time; nothing was carried out.',
  HEADERS_TOO_LARGE: 'The address and the headers have more than 16 KiB together.',
  NOT_FOUND: 'There is nothing at this address.',
  METHOD_NOT_ALLOWED: 'The address does not take this method; the header Allow names those it takes.',
  EMAIL_ALREADY_REGISTERED: 'A user with this e-mail exists.',
  WALLET_LIMIT_REACHED:
    'There are as many wallets, or as many entries in all their allowlists, as one user can have.',
  VERSION_CONFLICT: 'The wallet was changed since the version that the request names.',
  WALLET_CLOSED: 'The wallet is closed, for good.',
  WALLET_NOT_EMPTY: 'The wallet has money; name an account for it in payoutTo.',
  PAYLOAD_TOO_LARGE: 'The body has more than 64 KiB.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not JSON in UTF-8.',
  IDEMPOTENCY_KEY_REUSED:
    'The Idempotency-Key belongs to another payment; nothing was carried out now. Read that payment before you pay.',
  RATE_LIMITED:
    'Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back.',
  INTERNAL_ERROR: 'Something went wrong on our side; the message holds the id of the request.',
  OVERLOADED: 'Too much at once: nothing was carried out. Come back after Retry-After seconds.',
  DATABASE_UNAVAILABLE:
    'The database does not answer: nothing was carried out. Come back after Retry-After seconds.',
  OUTCOME_UNKNOWN:
    'The answer of the database was lost: the request may or may not have been carried out. Repeat it with the same ' +
    'Idempotency-Key; if the route takes none, look first what there is.',
  SHUTTING_DOWN: 'The service is stopping; nothing was carried out. Come back after Retry-After seconds.',
  BANK_UNAVAILABLE: 'The bank did not answer; nothing was carried out.',
};
