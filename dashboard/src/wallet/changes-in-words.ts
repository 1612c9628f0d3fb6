import { grouped, plainNaira } from '../money/money.js';
import { pluralize } from '../text/pluralize.js';
import {
  coolingOffInWords,
  PAYEE_POLICIES,
  payeePolicyInWords,
  approvalTtlInWords,
  duplicateGuardInWords,
} from './safeguards.js';
import { day, dayAndTime } from '../text/time.js';
import { asSentence, fieldName } from '../text/words.js';

/* What a change of a wallet does, in words: before it is saved, and in its history. */

type Values = Readonly<Record<string, unknown>>;

const money = (value: unknown) => (typeof value === 'number' ? plainNaira(value) : 'none');

/** `₦20,000 in the first 24 hours for a new key`. */
function coolingOff(value: unknown): string {
  const { newKeyCap, newKeyHours, newPayeeCap, newPayeeHours } = (value ?? {}) as Record<
    string,
    number | undefined
  >;
  const parts = [
    newKeyCap !== undefined && `${coolingOffInWords(newKeyCap, newKeyHours)} for a new key`,
    newPayeeCap !== undefined && `${coolingOffInWords(newPayeeCap, newPayeeHours)} for a new payee`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' and ') : 'none';
}

const SHOWN: Readonly<Record<string, (value: unknown) => string>> = {
  spendLimitPerTx: money,
  spendLimitPeriod: money,
  totalCap: money,
  maxPayments: (value) => grouped(Number(value)),
  lowBalanceThreshold: money,
  secondApprovalAbove: money,
  amount: money,
  payeePolicy: (value) => `“${payeePolicyInWords(PAYEE_POLICIES.find((each) => each === value))}”`,
  coolingOff,
  approvalThreshold: money,
  approvalTtlMinutes: (value) => approvalTtlInWords(typeof value === 'number' ? value : undefined),
  periodWindowDays: (value) => pluralize(Number(value), 'day'),
  duplicateGuardMinutes: (value) =>
    `“${duplicateGuardInWords(typeof value === 'number' ? value : undefined)}”`,
  expiry: (value) => (typeof value === 'string' ? day(value) : 'none'),
};

/** Each difference as a sentence part, such as `Spending limit from ₦20,000 to ₦50,000`. */
export function differences(before: Values, after: Values): string[] {
  return Object.keys(after).flatMap((field) => {
    const [was, is] = [before[field], after[field]];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    // A switch that was never touched is off.
    if (is === false && (was === undefined || was === null)) return [];
    if (field === 'merchantAllowlist') return merchants(listOf(was), listOf(is));
    if (field === 'useAllowlist') {
      return [is === true ? 'Restricted to specific merchants' : 'Any merchant can be paid'];
    }
    return [`${fieldName(field)} from ${valueInWords(field, was)} to ${valueInWords(field, is)}`];
  });
}

/** A value of any field, such as `₦20,000`. */
export const valueInWords = (field: string, value: unknown) => (SHOWN[field] ?? plain)(value);

function plain(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ');
  return typeof value === 'string' || typeof value === 'number' ? `“${value}”` : 'other settings';
}

const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

function merchants(was: readonly string[], is: readonly string[]): string[] {
  const named = (names: readonly string[], what: string) =>
    names.length > 0 ? [`${names.slice(0, 5).join(', ')}${names.length > 5 ? ' and more' : ''} ${what}`] : [];
  return [
    ...named(
      is.filter((name) => !was.includes(name)),
      'allowed',
    ),
    ...named(
      was.filter((name) => !is.includes(name)),
      'no longer allowed',
    ),
  ];
}

export function keyChange(
  { before, after }: { before: Values; after: Values },
  nameOf: (id: string) => string,
) {
  const { keyId, expiresAt } = after;
  const was = before.name === undefined ? '' : ` was ${plain(before.name)}`;
  const until = typeof expiresAt === 'string' ? `, until ${dayAndTime(expiresAt)}` : '';
  return `${typeof keyId === 'string' ? nameOf(keyId) : 'A key'}${was}${until}`;
}

/** Which payee was added or removed. */
export function payeeChange(
  { before, after }: { before: Values; after: Values },
  bankName: (code: string) => string,
) {
  const { merchant, merchantName, bankCode, accountNumber } = 'payeeId' in after ? after : before;
  if (typeof merchant !== 'string' || typeof bankCode !== 'string') return 'A payee';
  // Older changes have the name only as it is compared.
  const name = typeof merchantName === 'string' ? merchantName : asSentence(merchant);
  return `${name} at ${bankName(bankCode)} ${String(accountNumber)}`;
}

const ACTIONS: Readonly<Record<string, string>> = {
  'payee.registered': 'Payee added',
  'payee.removed': 'Payee removed',
  'key.created': 'Key created',
  'key.renamed': 'Key renamed',
  'key.replaced': 'Key replaced',
  'key.revoked': 'Key revoked',
  created: 'Wallet created',
  updated: 'Rules changed',
  suspended: 'Frozen',
  'suspended by an operator': 'Frozen by an operator',
  'released by an operator': 'Released by an operator',
  resumed: 'Resumed',
  closed: 'Closed',
};

export function actionInWords(action: string): string {
  return ACTIONS[action] ?? fieldName(action);
}
