import { BLOCK_TITLES, CHECK_TITLES, SIX_CHECKS } from '../api/checks.js';
import type { AuditEvent } from '../api/types.js';
import { comparedInWords } from './compared.js';

const titles: Readonly<Record<string, string>> = CHECK_TITLES;
const blockTitles: Readonly<Record<string, string>> = BLOCK_TITLES;
const six = new Set<string | undefined>(SIX_CHECKS);

/** Why a payment was blocked, in a few words; a reason that is new here is spelled out. */
export type BlockReason = keyof typeof BLOCK_TITLES;

export function isBlockReason(text: string): text is BlockReason {
  return Object.hasOwn(BLOCK_TITLES, text);
}

export function blockReasonInWords(blockReason: string): string {
  return (
    blockTitles[blockReason] ??
    blockReason.charAt(0) + blockReason.slice(1).toLowerCase().replaceAll('_', ' ')
  );
}

export interface CheckResult {
  rule: string;
  /** `noted`: the rule does not hold, and its owner chose that it only warns. */
  result: 'passed' | 'failed' | 'noted' | 'not reached';
  compared: string;
}

/**
 * Returns the six checks and the rules made beyond them. `merchantName`: as the agent wrote it; recorded is the form
 * in which merchants are compared.
 */
export function checksOf(
  recorded: readonly AuditEvent[],
  bankName: (code: string) => string,
  merchantName?: string,
): CheckResult[] {
  const events = recorded.filter(({ type }) => type.startsWith('check.'));
  const resultOf = (event: AuditEvent): CheckResult => ({
    rule: titleOf(event.detail),
    result: RESULTS[event.type] ?? 'passed',
    compared: comparedInWords(namingMerchant(event.detail, merchantName), bankName),
  });
  return [
    ...SIX_CHECKS.map((check): CheckResult => {
      const event = events.find(({ detail }) => detail.check === check);
      if (event) return resultOf(event);
      return { rule: CHECK_TITLES[check], result: 'not reached', compared: 'Not checked' };
    }),
    ...events.filter(({ detail }) => !six.has(detail.check)).map(resultOf),
  ];
}

const RESULTS: Readonly<Record<string, CheckResult['result']>> = {
  'check.failed': 'failed',
  'check.warned': 'noted',
};

function titleOf(detail: AuditEvent['detail']): string {
  const check = String(detail.check);
  const variant = detail.keyLimit ?? (isOnRecipient(detail) ? 'recipient' : undefined);
  return titles[variant === undefined ? check : `${check}.${variant}`] ?? blockReasonInWords(check);
}

function namingMerchant(detail: AuditEvent['detail'], merchantName: string | undefined) {
  const isOnMerchant = detail.check === 'MERCHANT_NOT_ALLOWED' || detail.keyLimit === 'allowedMerchants';
  return isOnMerchant && merchantName !== undefined ? { ...detail, actual: merchantName } : detail;
}

/** `6 of 6 passed`. */
export function checksInWords(checks: readonly CheckResult[]): string {
  return `${checks.filter(({ result }) => result === 'passed').length} of ${checks.length} passed`;
}

/** Two rules block as PAYEE_NOT_ALLOWED; only the one on the merchant's accounts has a policy. */
const isOnRecipient = ({ check, payeePolicy }: AuditEvent['detail']): boolean =>
  check === 'PAYEE_NOT_ALLOWED' && payeePolicy === undefined;

export function isAccountUnknown(events: readonly AuditEvent[]): boolean {
  return events.some(({ type, detail }) => type === 'check.failed' && isOnRecipient(detail));
}

/** Returns accounts of the merchant, if a payment to another one was blocked; at most a few. */
export function knownAccounts(events: readonly AuditEvent[]): { bankCode: string; accountNumber: string }[] {
  const found = events.find(
    ({ type, detail }) =>
      type === 'check.failed' && detail.check === 'PAYEE_NOT_ALLOWED' && !isOnRecipient(detail),
  );
  return String(found?.detail.limit ?? '')
    .split(', ')
    .flatMap((text) => {
      const [, bankCode, accountNumber] = /^(\w+)\/(\w+)$/.exec(text) ?? [];
      return bankCode && accountNumber ? [{ bankCode, accountNumber }] : [];
    });
}

/** The payment that a possible duplicate repeats, and when the same passes without a confirmation. */
export function duplicateOf(events: readonly AuditEvent[]): { id: string; passesAt: string | null } | null {
  for (const { type, detail } of events) {
    if (type !== 'check.failed' || detail.check !== 'POSSIBLE_DUPLICATE' || !detail.duplicateOf) continue;
    return { id: detail.duplicateOf, passesAt: typeof detail.limit === 'string' ? detail.limit : null };
  }
  return null;
}
