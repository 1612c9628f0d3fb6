import type { AuditEvent } from './api/types.js';
import { naira } from './money.js';
import { dayAndTime } from './time.js';

interface Check {
  code: string;
  /** What must hold. */
  rule: string;
  /** Why an attempt was blocked, in a few words. */
  blocked: string;
  /** The numbers that were compared. */
  compared: (limit: string | number | undefined, actual: string | number | undefined) => string;
}

const money = (value: string | number | undefined) => (typeof value === 'number' ? naira(value) : '–');
const moment = (value: string | number | undefined) => (typeof value === 'string' ? dayAndTime(value) : '–');

/** The six checks, in the order in which the service makes them. */
const CHECKS: readonly Check[] = [
  {
    code: 'WALLET_INACTIVE',
    rule: 'The wallet is active',
    blocked: 'Wallet not active',
    compared: (_, actual) => `Status ${String(actual).toLowerCase()}`,
  },
  {
    code: 'WALLET_EXPIRED',
    rule: 'The wallet has not expired',
    blocked: 'Wallet expired',
    compared: (limit, actual) => `Asked: ${moment(actual)}. Expires: ${moment(limit)}`,
  },
  {
    code: 'SPEND_LIMIT_PER_TX_EXCEEDED',
    rule: 'Within the limit for one payment',
    blocked: 'Over the limit for one payment',
    compared: (limit, actual) => `${money(actual)} asked, ${money(limit)} allowed at a time`,
  },
  {
    code: 'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    rule: 'Within the limit for the period',
    blocked: 'Over the limit for the period',
    compared: (limit, actual) => `${money(actual)} with this payment, ${money(limit)} allowed in the period`,
  },
  {
    code: 'MERCHANT_NOT_ALLOWED',
    rule: 'The merchant is allowed',
    blocked: 'Merchant not on the list',
    compared: (_, actual) => `Merchant “${String(actual)}”`,
  },
  {
    code: 'INSUFFICIENT_FUNDS',
    rule: 'The balance suffices',
    blocked: 'Not enough money',
    compared: (limit, actual) => `${money(actual)} asked, ${money(limit)} in the wallet`,
  },
];

/** Why an attempt was blocked, in a few words. */
export function reasonOf(blockReason: string): string {
  return CHECKS.find(({ code }) => code === blockReason)?.blocked ?? blockReason;
}

export interface CheckResult {
  rule: string;
  result: 'passed' | 'failed' | 'not reached';
  compared: string;
}

/** All six checks with what came of each; those after a failed one were not made. */
export function checksOf(events: readonly AuditEvent[]): CheckResult[] {
  return CHECKS.map(({ code, rule, compared }) => {
    const event = events.find(({ type, detail }) => type.startsWith('check.') && detail.check === code);
    if (!event) return { rule, result: 'not reached', compared: 'Not reached' };
    const { limit, actual } = event.detail;
    return {
      rule,
      result: event.type === 'check.failed' ? 'failed' : 'passed',
      compared: compared(limit, actual),
    };
  });
}

const STEPS: Record<string, string> = {
  'settlement.started': 'Handed to the bank',
  'settlement.succeeded': 'The recipient was paid',
  'settlement.failed': 'The bank did not pay',
  'refund.posted': 'The money came back to the wallet',
};

/** How the money of an approved payment moved. */
export function settlementSteps(
  events: readonly AuditEvent[],
): { name: string; at: string; why: string | null }[] {
  return events
    .filter(({ type }) => !type.startsWith('check.'))
    .map(({ type, at, detail }) => ({
      name: STEPS[type] ?? type,
      at,
      why: typeof detail.why === 'string' ? detail.why : null,
    }));
}
