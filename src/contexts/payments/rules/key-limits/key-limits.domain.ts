import { cappedSum } from '../../../../kernel/money.js';
import { merchantIdentity } from '../../../../kernel/text.js';
import type { KeyUsage, LimitedKeyState } from '../../../wallet/wallet.port.js';
import type { Facts, Intent, KeyFacts } from '../../checks/facts.port.js';
import type { Rule } from '../rule.domain.js';
import type { PassesWhen } from '../../checks/check.domain.js';
import { recipientOf } from '../../payments.port.js';

export function keyFacts(
  id: string,
  { limits, onAllowlist }: LimitedKeyState,
  usage: KeyUsage,
  { merchant }: Intent,
): KeyFacts {
  const { allowedMerchants, ...own } = limits;
  const isListed = onAllowlist ?? allowedMerchants?.some((each) => merchantIdentity(each) === merchant);
  return {
    id,
    limits: own,
    spent: usage.spent,
    payments: usage.payments,
    ...(own.spendLimitPeriod !== undefined && { spentInPeriod: usage.spentInPeriod }),
    ...(isListed !== undefined && { onAllowlist: isListed }),
  };
}

export function usageAfter(usage: KeyUsage, amount: number): KeyUsage {
  return {
    spentTotal: usage.spentTotal + BigInt(amount),
    paymentCount: usage.paymentCount + 1,
    spent: cappedSum(usage.spent, amount),
    payments: usage.payments + 1,
    spentInPeriod: cappedSum(usage.spentInPeriod, amount),
  };
}

interface Judged {
  readonly passes: boolean;
  readonly limit: string | number;
  readonly actual: string | number;
  message(): string;
  /** Absent: waiting alone never helps. */
  passesWhen?(): PassesWhen | null;
}

type Name = keyof KeyFacts['limits'];
/** `variant`: the limit's name. */
type KeyLimit = Rule & { readonly variant: string };

function rule<Of extends Name>(
  name: Of,
  title: string,
  judge: (limit: NonNullable<KeyFacts['limits'][Of]>, key: KeyFacts, intent: Intent, facts: Facts) => Judged,
): KeyLimit {
  const judged = (facts: Facts, intent: Intent): Judged => {
    const { key } = facts;
    const limit = key?.limits[name];
    if (!key || limit == null) throw new Error(`the key has no ${name}`);
    return judge(limit, key, intent, facts);
  };
  return {
    blockedAs: 'KEY_LIMIT_EXCEEDED',
    variant: name,
    title,
    blockTitle: 'Over a limit of the API key',
    applies: ({ key }) => key?.limits[name] != null,
    passes: (facts, intent) => judged(facts, intent).passes,
    compared: (facts, intent) => {
      const { limit, actual } = judged(facts, intent);
      return { keyLimit: name, limit, actual };
    },
    message: (facts, intent) => judged(facts, intent).message(),
    passesWhen: (facts, intent) => judged(facts, intent).passesWhen?.() ?? null,
  };
}

const kobo = (amount: number) => `${Math.max(0, amount)} kobo`;

const ALLOWED_MERCHANTS: KeyLimit = {
  blockedAs: 'KEY_LIMIT_EXCEEDED',
  variant: 'allowedMerchants',
  title: 'Merchant allowed for the key',
  blockTitle: 'Over a limit of the API key',
  applies: ({ key }) => key?.onAllowlist !== undefined,
  passes: ({ key }) => key?.onAllowlist === true,
  compared: (_, { merchant }) => ({ keyLimit: 'allowedMerchants', actual: merchant }),
  message: (_, { merchantName }) =>
    `The merchant ${merchantName} is not among the allowedMerchants of this key.`,
};

/** In the order of the six checks, then limits that wallets lack. */
export const KEY_LIMITS: readonly KeyLimit[] = [
  rule('expiry', 'Key has not expired', (expiry, _, __, { now }) => ({
    passes: Date.parse(now) < Date.parse(expiry),
    limit: expiry,
    actual: now,
    message: () => `This key's expiry was ${expiry}: it pays nothing any more.`,
  })),
  rule('spendLimitPerTx', 'Key’s per-payment limit', (limit, _, { amount }) => ({
    passes: amount <= limit,
    limit,
    actual: amount,
    message: () =>
      `The amount ${amount} is more than this key's spendLimitPerTx: at most ${kobo(limit)} at a time.`,
  })),
  rule('spendLimitPeriod', 'Key’s spending limit', (limit, key, { amount }) => {
    const { spentInPeriod = 0 } = key;
    const days = key.limits.periodWindowDays ?? 0;
    return {
      passes: amount <= limit - spentInPeriod,
      limit,
      actual: cappedSum(spentInPeriod, amount),
      message: () =>
        `The amount ${amount} is more than this key's spendLimitPeriod leaves: ${spentInPeriod} of ${limit} kobo are ` +
        `spent within ${days} days, at most ${kobo(limit - spentInPeriod)} now.`,
      passesWhen: () => {
        if (amount > limit) return null;
        const after = (facts: Facts, spent: number) => ({ ...facts, key: { ...key, spentInPeriod: spent } });
        return { spendOf: 'key', days, room: limit - amount, after };
      },
    };
  }),
  ALLOWED_MERCHANTS,
  rule('payee', 'Account allowed for the key', ({ accountNumber, bankCode }, _, intent) => {
    const recipient = recipientOf(intent);
    return {
      passes: recipient.accountNumber === accountNumber && recipient.bankCode === bankCode,
      limit: `${accountNumber} at ${bankCode}`,
      actual: `${recipient.accountNumber} at ${recipient.bankCode}`,
      message: () =>
        `This key's payee is the account ${accountNumber} at the bank ${bankCode}: it pays no other.`,
    };
  }),
  rule('totalCap', 'Key’s total limit', (limit, { spent }, { amount }) => ({
    passes: amount <= limit - spent,
    limit,
    actual: cappedSum(spent, amount),
    message: () =>
      `The amount ${amount} is more than this key's totalCap leaves: ${spent} of ${limit} kobo are spent, at most ` +
      `${kobo(limit - spent)} now.`,
  })),
  rule('maxPayments', 'Key’s number of payments', (limit, { payments }) => ({
    passes: payments < limit,
    limit,
    actual: payments + 1,
    message: () => `This key's maxPayments are made: ${payments} of ${limit}.`,
  })),
];
