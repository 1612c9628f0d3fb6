import type { AuditEvent } from '../api/types.js';
import { naira } from '../money/money.js';
import { dayAndTime } from '../text/time.js';
import { STOPPED } from '../wallet/wallet-status.js';

type BankName = (code: string) => string;
type Detail = AuditEvent['detail'];
type InWords = (detail: Detail, bankName: BankName) => string;

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

const amountAndLimit: InWords = ({ limit, actual }) => `${money(actual)} requested, limit ${money(limit)}`;
const sumAndLimit: InWords = ({ limit, actual }) =>
  `${money(actual)} with this payment, limit ${money(limit)}`;
const merchant: InWords = ({ actual }) => `Merchant “${String(actual)}”`;

const OF_KEY_LIMITS: Readonly<Record<NonNullable<Detail['keyLimit']>, InWords>> = {
  expiry: ({ limit, actual }) => `Requested ${moment(actual)}, the key expires ${moment(limit)}`,
  spendLimitPerTx: amountAndLimit,
  spendLimitPeriod: sumAndLimit,
  totalCap: ({ limit, actual }) => `${money(actual)} in all with this payment, limit ${money(limit)}`,
  maxPayments: ({ limit, actual }) => `Payment ${String(actual)} of ${String(limit)}`,
  allowedMerchants: merchant,
  payee: ({ limit, actual }, bankName) =>
    `To ${account(actual, bankName)}, the key pays ${account(limit, bankName)}`,
};

const OF_CHECKS: Readonly<Partial<Record<NonNullable<Detail['check']>, InWords>>> = {
  WALLET_INACTIVE: ({ actual }) =>
    `Status: ${(STOPPED[String(actual)]?.name ?? String(actual)).toLowerCase()}`,
  WALLET_EXPIRED: ({ limit, actual }) => `Requested ${moment(actual)}, expires ${moment(limit)}`,
  SPEND_LIMIT_PER_TX_EXCEEDED: amountAndLimit,
  SPEND_LIMIT_PER_PERIOD_EXCEEDED: sumAndLimit,
  MERCHANT_NOT_ALLOWED: merchant,
  INSUFFICIENT_FUNDS: ({ limit, actual }) => `${money(actual)} requested, balance ${money(limit)}`,
  KEY_LIMIT_EXCEEDED: (detail, bankName) =>
    detail.keyLimit === undefined ? '' : OF_KEY_LIMITS[detail.keyLimit](detail, bankName),
  PAYEE_NOT_ALLOWED: ({ payeePolicy, limit, actual }, bankName) => {
    const paid = `To ${account(actual, bankName)}`;
    if (payeePolicy === undefined) return paid;
    if (limit === undefined) return `${paid}, no other account known`;
    const known = String(limit).split(', ');
    if (known.includes(String(actual))) return `${paid}, one of this merchant’s accounts`;
    return `${paid}, this merchant’s is ${known.map((each) => account(each, bankName)).join(' or ')}`;
  },
  COOLING_OFF: ({ limit, actual, coolingOff, earliestPassAt }) => {
    if (typeof limit !== 'number' || !coolingOff) return 'Neither the key nor the payee is new';
    const newOnes = coolingOff.includes(', ') ? 'key and the payee are' : `${coolingOff} is`;
    const until = earliestPassAt === undefined ? '' : `, until ${moment(earliestPassAt)}`;
    return `${money(actual)} requested, limit ${money(limit)} while the ${newOnes} new${until}`;
  },
  POSSIBLE_DUPLICATE: ({ duplicateOf, limit, actual }) =>
    duplicateOf === undefined
      ? 'No such payment shortly before'
      : `Same amount and account as a payment shortly before; requested ${moment(actual)}, allowed again ${moment(limit)}`,
  APPROVAL_LIMIT_REACHED: ({ limit, actual }) => `${String(actual)} wait already, at most ${String(limit)}`,
};

/** What a check compared; nothing for a check that is new here. */
export function comparedInWords(detail: Detail, bankName: BankName): string {
  return (detail.check && OF_CHECKS[detail.check]?.(detail, bankName)) ?? '';
}
