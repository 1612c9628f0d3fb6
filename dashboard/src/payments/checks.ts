import type { AuditEvent } from '../api/types.js';
import { furtherCheck } from './further-checks.js';
import { naira } from '../money/money.js';
import { STOPPED } from '../wallet/wallet-status.js';
import { dayAndTime } from '../text/time.js';

type Compared = string | number | undefined;

interface Check {
  code: string;
  /** What must hold. */
  rule: string;
  /** Why a payment was blocked, in a few words. */
  blocked: string;
  /** The numbers that were compared. */
  compared: (limit: Compared, actual: Compared) => string;
}

const money = (value: Compared) => (typeof value === 'number' ? naira(value) : '–');
const moment = (value: Compared) => (typeof value === 'string' ? dayAndTime(value) : '–');

/** The six checks, in the order in which the service makes them. */
const CHECKS: readonly Check[] = [
  {
    code: 'WALLET_INACTIVE',
    rule: 'Wallet is active',
    blocked: 'Wallet not active',
    compared: (_, actual) => `Status: ${(STOPPED[String(actual)]?.name ?? String(actual)).toLowerCase()}`,
  },
  {
    code: 'WALLET_EXPIRED',
    rule: 'Wallet has not expired',
    blocked: 'Wallet expired',
    compared: (limit, actual) => `Requested ${moment(actual)}, expires ${moment(limit)}`,
  },
  {
    code: 'SPEND_LIMIT_PER_TX_EXCEEDED',
    rule: 'Per-payment limit',
    blocked: 'Over the per-payment limit',
    compared: (limit, actual) => `${money(actual)} requested, limit ${money(limit)}`,
  },
  {
    code: 'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    rule: 'Spending limit',
    blocked: 'Over the spending limit',
    compared: (limit, actual) => `${money(actual)} with this payment, limit ${money(limit)}`,
  },
  {
    code: 'MERCHANT_NOT_ALLOWED',
    rule: 'Merchant allowed',
    blocked: 'Merchant not allowed',
    compared: (_, actual) => `Merchant “${String(actual)}”`,
  },
  {
    code: 'INSUFFICIENT_FUNDS',
    rule: 'Sufficient balance',
    blocked: 'Insufficient balance',
    compared: (limit, actual) => `${money(actual)} requested, balance ${money(limit)}`,
  },
];

/** Reasons beyond the six checks: rules that an owner switches on. */
const MORE_REASONS: Readonly<Record<string, string>> = {
  KEY_LIMIT_EXCEEDED: 'Over a limit of the API key',
  PAYEE_NOT_ALLOWED: 'Payee not allowed',
  COOLING_OFF: 'Over the cooling-off limit',
  POSSIBLE_DUPLICATE: 'Possible duplicate',
  APPROVAL_LIMIT_REACHED: 'Too many payments wait for approval',
  APPROVAL_DENIED: 'Approval denied',
  APPROVAL_EXPIRED: 'Approval expired',
  ACCOUNT_NOT_FOUND: 'Recipient account not found',
};

/** Why a payment was blocked, in a few words; a reason that is new here is spelled out in words too. */
export function blockReasonInWords(blockReason: string): string {
  return (
    CHECKS.find(({ code }) => code === blockReason)?.blocked ??
    MORE_REASONS[blockReason] ??
    blockReason.charAt(0) + blockReason.slice(1).toLowerCase().replaceAll('_', ' ')
  );
}

export interface CheckResult {
  rule: string;
  /** `noted`: it doesn't hold, and its owner chose that this is noted alone. */
  result: 'passed' | 'failed' | 'noted' | 'not reached';
  compared: string;
}

/**
 * All six checks and the rules that were asked beyond them; those after a failed one were not made. `merchantName`: as
 * the agent wrote it; on record is the form in which merchants are compared.
 */
export function checksOf(
  recorded: readonly AuditEvent[],
  bankName: (code: string) => string,
  merchantName?: string,
): CheckResult[] {
  const events = merchantName === undefined ? recorded : recorded.map((event) => named(event, merchantName));
  const known = new Set(CHECKS.map(({ code }) => code));
  const further = events.filter(
    ({ type, detail }) => type.startsWith('check.') && !known.has(String(detail.check)),
  );
  return [...sixOf(events), ...further.map((event) => furtherOf(event, bankName))];
}

/** The event with the merchant's name as it was written, where that is what was compared. */
function named(event: AuditEvent, merchantName: string): AuditEvent {
  const { check, keyLimit } = event.detail;
  if (check !== 'MERCHANT_NOT_ALLOWED' && keyLimit !== 'allowedMerchants') return event;
  return { ...event, detail: { ...event.detail, actual: merchantName } };
}

/** A rule that an owner switched on. */
function furtherOf(event: AuditEvent, bankName: (code: string) => string): CheckResult {
  const inWords = furtherCheck(event, bankName);
  return {
    rule: inWords?.rule ?? blockReasonInWords(String(event.detail.check)),
    result: RESULTS[event.type] ?? 'passed',
    compared: inWords?.compared ?? '',
  };
}

const RESULTS: Readonly<Record<string, CheckResult['result']>> = {
  'check.failed': 'failed',
  'check.warned': 'noted',
};

function sixOf(events: readonly AuditEvent[]): CheckResult[] {
  return CHECKS.map(({ code, rule, compared }) => {
    const event = events.find(({ type, detail }) => type.startsWith('check.') && detail.check === code);
    if (!event) return { rule, result: 'not reached', compared: 'Not checked' };
    const { limit, actual } = event.detail;
    return {
      rule,
      result: event.type === 'check.failed' ? 'failed' : 'passed',
      compared: compared(limit, actual),
    };
  });
}

/** `6 of 6 passed`. */
export function checksInWords(checks: readonly CheckResult[]): string {
  return `${checks.filter(({ result }) => result === 'passed').length} of ${checks.length} passed`;
}
