/* Written by `npm run api-types` from the checks and rules of the service. */

export const SIX_CHECKS = [
  "WALLET_INACTIVE",
  "WALLET_EXPIRED",
  "SPEND_LIMIT_PER_TX_EXCEEDED",
  "SPEND_LIMIT_PER_PERIOD_EXCEEDED",
  "MERCHANT_NOT_ALLOWED",
  "INSUFFICIENT_FUNDS"
] as const;

export const CHECK_TITLES = {
  "WALLET_INACTIVE": "Wallet is active",
  "WALLET_EXPIRED": "Wallet has not expired",
  "SPEND_LIMIT_PER_TX_EXCEEDED": "Per-payment limit",
  "SPEND_LIMIT_PER_PERIOD_EXCEEDED": "Spending limit",
  "MERCHANT_NOT_ALLOWED": "Merchant allowed",
  "INSUFFICIENT_FUNDS": "Sufficient balance",
  "KEY_LIMIT_EXCEEDED.expiry": "Key has not expired",
  "KEY_LIMIT_EXCEEDED.spendLimitPerTx": "Key’s per-payment limit",
  "KEY_LIMIT_EXCEEDED.spendLimitPeriod": "Key’s spending limit",
  "KEY_LIMIT_EXCEEDED.allowedMerchants": "Merchant allowed for the key",
  "KEY_LIMIT_EXCEEDED.payee": "Account allowed for the key",
  "KEY_LIMIT_EXCEEDED.totalCap": "Key’s total limit",
  "KEY_LIMIT_EXCEEDED.maxPayments": "Key’s number of payments",
  "PAYEE_NOT_ALLOWED": "Payee allowed",
  "PAYEE_NOT_ALLOWED.recipient": "Recipient’s account exists",
  "COOLING_OFF": "Cooling-off limit",
  "POSSIBLE_DUPLICATE": "No duplicate",
  "APPROVAL_LIMIT_REACHED": "Payments that wait for approval"
} as const;

export const BLOCK_TITLES = {
  "WALLET_INACTIVE": "Wallet not active",
  "WALLET_EXPIRED": "Wallet expired",
  "SPEND_LIMIT_PER_TX_EXCEEDED": "Over the per-payment limit",
  "SPEND_LIMIT_PER_PERIOD_EXCEEDED": "Over the spending limit",
  "MERCHANT_NOT_ALLOWED": "Merchant not allowed",
  "INSUFFICIENT_FUNDS": "Insufficient balance",
  "KEY_LIMIT_EXCEEDED": "Over a limit of the API key",
  "PAYEE_NOT_ALLOWED": "Payee not allowed",
  "COOLING_OFF": "Over the cooling-off limit",
  "POSSIBLE_DUPLICATE": "Possible duplicate",
  "APPROVAL_LIMIT_REACHED": "Too many payments wait for approval",
  "APPROVAL_DENIED": "Approval denied",
  "APPROVAL_EXPIRED": "Approval expired"
} as const;
