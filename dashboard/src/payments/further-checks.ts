import type { AuditEvent } from '../api/types.js';
import { KEY_LIMIT_NAMES } from '../wallet/key-words.js';
import { naira } from '../money/money.js';
import { dayAndTime } from '../text/time.js';

/* The rules that owners switch on beyond the six checks, with what was compared, in words. */

type BankName = (code: string) => string;
type Detail = AuditEvent['detail'];

interface InWords {
  readonly rule: string;
  readonly compared: string;
}

const money = (value: unknown) => (typeof value === 'number' ? naira(value) : '–');
const moment = (value: unknown) => (typeof value === 'string' ? dayAndTime(value) : '–');

/** `058/0123456789`, or `0123456789 at 058`, as the account at the bank. */
function account(value: unknown, bankName: BankName): string {
  const text = String(value);
  const [, code, number] = /^(\w+)\/(\w+)$/.exec(text) ?? [];
  if (code && number) return `${bankName(code)} ${number}`;
  const [, other, bank] = /^(\w+) at (\w+)$/.exec(text) ?? [];
  return other && bank ? `${bankName(bank)} ${other}` : text;
}

/** The accounts of a message, `058/0123456789`, and its banks, `the bank 058`, by the names of the banks. */
export function namingBanks(message: string, bankName: BankName): string {
  return message
    .replace(/\b\d{3,6}\/\d{10}\b/g, (text) => account(text, bankName))
    .replace(/\bthe bank (\d{3,6})\b/g, (_, code: string) => bankName(code));
}

/** Two rules have the code PAYEE_NOT_ALLOWED: the one on the merchant's accounts alone says which policy it follows. */
const isOnAccount = ({ payeePolicy }: Detail): boolean => payeePolicy === undefined;

export function isAccountUnknown(events: readonly AuditEvent[]): boolean {
  return events.some(
    ({ type, detail }) =>
      type === 'check.failed' && detail.check === 'PAYEE_NOT_ALLOWED' && isOnAccount(detail),
  );
}

/** The accounts that a merchant was known by when a payment to another one was blocked, a few of them. */
export function knownAccounts(events: readonly AuditEvent[]): { bankCode: string; accountNumber: string }[] {
  const found = events.find(
    ({ type, detail }) =>
      type === 'check.failed' && detail.check === 'PAYEE_NOT_ALLOWED' && !isOnAccount(detail),
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

const KEY_LIMITS: Readonly<Record<string, (detail: Detail, bankName: BankName) => string>> = {
  expiry: ({ limit, actual }) => `Requested ${moment(actual)}, the key expires ${moment(limit)}`,
  spendLimitPerTx: ({ limit, actual }) => `${money(actual)} requested, limit ${money(limit)}`,
  spendLimitPeriod: ({ limit, actual }) => `${money(actual)} with this payment, limit ${money(limit)}`,
  totalCap: ({ limit, actual }) => `${money(actual)} in all with this payment, limit ${money(limit)}`,
  maxPayments: ({ limit, actual }) => `Payment ${String(actual)} of ${String(limit)}`,
  allowedMerchants: ({ actual }) => `Merchant “${String(actual)}”`,
  payee: ({ limit, actual }, bankName) =>
    `To ${account(actual, bankName)}, the key pays ${account(limit, bankName)}`,
};

const RULES: Readonly<Record<string, (detail: Detail, bankName: BankName) => InWords>> = {
  KEY_LIMIT_EXCEEDED: (detail, bankName) => {
    const name = String(detail.keyLimit);
    return {
      rule: KEY_LIMIT_NAMES[name] ?? 'Limit of the API key',
      compared: KEY_LIMITS[name]?.(detail, bankName) ?? '',
    };
  },
  PAYEE_NOT_ALLOWED: (detail, bankName) => {
    const { limit, actual } = detail;
    const paid = `To ${account(actual, bankName)}`;
    if (isOnAccount(detail)) return { rule: 'Recipient’s account exists', compared: paid };
    if (limit === undefined) return { rule: 'Payee allowed', compared: `${paid}, no other account known` };
    const known = String(limit).split(', ');
    const accounts = known.map((each) => account(each, bankName)).join(' or ');
    return {
      rule: 'Payee allowed',
      compared: known.includes(String(actual))
        ? `${paid}, one of this merchant’s accounts`
        : `${paid}, this merchant’s is ${accounts}`,
    };
  },
  COOLING_OFF: ({ limit, actual, coolingOff, earliestPassAt }) => {
    if (typeof limit !== 'number' || !coolingOff) {
      return { rule: 'Cooling-off limit', compared: 'Neither the key nor the payee is new' };
    }
    const isBoth = coolingOff.includes(', ');
    const newOnes = isBoth ? 'key and the payee are' : `${coolingOff} is`;
    const until = earliestPassAt === undefined ? '' : `, until ${moment(earliestPassAt)}`;
    return {
      rule: 'Cooling-off limit',
      compared: `${money(actual)} requested, limit ${money(limit)} while the ${newOnes} new${until}`,
    };
  },
  POSSIBLE_DUPLICATE: ({ duplicateOf, limit, actual }) => ({
    rule: 'No duplicate',
    compared:
      duplicateOf === undefined
        ? 'No such payment shortly before'
        : `Same amount and account as a payment shortly before; requested ${moment(actual)}, allowed again ${moment(limit)}`,
  }),
  APPROVAL_LIMIT_REACHED: ({ limit, actual }) => ({
    rule: 'Payments that wait for approval',
    compared: `${String(actual)} wait already, at most ${String(limit)}`,
  }),
};

/** A rule beyond the six checks in words; null for one that is new here. */
export function furtherCheck({ detail }: AuditEvent, bankName: BankName): InWords | null {
  return RULES[String(detail.check)]?.(detail, bankName) ?? null;
}
