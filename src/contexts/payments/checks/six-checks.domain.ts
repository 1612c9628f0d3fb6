import { cappedSum } from '../../../kernel/money.js';
import { isBefore } from '../../../kernel/time.js';
import type { Check } from './check.domain.js';

/** The six checks, in the contract's order. `compact`: name in the compact list. */
export const CHECKS = [
  {
    blockedAs: 'WALLET_INACTIVE',
    title: 'Wallet is active',
    blockTitle: 'Wallet not active',
    compact: 'wallet_inactive',
    passes: ({ status }) => status === 'ACTIVE',
    compared: ({ status }) => ({ limit: 'ACTIVE', actual: status }),
    message: ({ status }) => `The wallet is not active (${status}).`,
  },
  {
    blockedAs: 'WALLET_EXPIRED',
    title: 'Wallet has not expired',
    blockTitle: 'Wallet expired',
    compact: 'wallet_expired',
    passes: ({ now, expiry }) => isBefore(now, expiry),
    compared: ({ now, expiry }) => ({ limit: expiry, actual: now }),
    message: ({ expiry }) => `The wallet expired at ${expiry}.`,
  },
  {
    blockedAs: 'SPEND_LIMIT_PER_TX_EXCEEDED',
    title: 'Per-payment limit',
    blockTitle: 'Over the per-payment limit',
    compact: 'exceeds_per_tx_limit',
    passes: ({ spendLimitPerTx }, { amount }) => amount <= spendLimitPerTx,
    compared: ({ spendLimitPerTx }, { amount }) => ({ limit: spendLimitPerTx, actual: amount }),
    message: ({ spendLimitPerTx }, { amount }) =>
      `The amount ${amount} is more than this wallet may spend at a time (${spendLimitPerTx} kobo).`,
  },
  {
    blockedAs: 'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    title: 'Spending limit',
    blockTitle: 'Over the spending limit',
    compact: 'exceeds_period_limit',
    // Subtracted: a sum could exceed exact numbers.
    passes: ({ spendLimitPeriod, spent }, { amount }) => amount <= spendLimitPeriod - spent,
    compared: ({ spendLimitPeriod, spent }, { amount }) => ({
      limit: spendLimitPeriod,
      actual: cappedSum(spent, amount),
    }),
    message: ({ spendLimitPeriod, spent }, { amount }) =>
      `The amount ${amount} is more than the period's limit leaves: ${spent} of ${spendLimitPeriod} kobo are spent.`,
    passesWhen: ({ spendLimitPeriod, periodWindowDays: days }, { amount }) => {
      const room = spendLimitPeriod - amount;
      if (room < 0 || days === undefined) return null;
      return { spendOf: 'wallet', days, room, after: (facts, spent) => ({ ...facts, spent }) };
    },
  },
  {
    blockedAs: 'MERCHANT_NOT_ALLOWED',
    title: 'Merchant allowed',
    blockTitle: 'Merchant not allowed',
    compact: 'merchant_not_in_allowlist',
    passes: ({ useAllowlist, onAllowlist }) => !useAllowlist || onAllowlist,
    compared: (_, { merchant }) => ({ actual: merchant }),
    message: (_, { merchantName }) => `The merchant ${merchantName} is not on the allowlist of this wallet.`,
  },
  {
    blockedAs: 'INSUFFICIENT_FUNDS',
    title: 'Sufficient balance',
    blockTitle: 'Insufficient balance',
    compact: 'insufficient_funds',
    passes: ({ balance, held = 0 }, { amount }) => amount <= balance - held,
    compared: ({ balance, held = 0 }, { amount }) => ({ limit: balance - held, actual: amount }),
    message: ({ balance, held = 0 }, { amount }) =>
      held > 0
        ? `The amount ${amount} is more than what is available (${balance - held} kobo; ${held} are held for approvals).`
        : `The amount ${amount} is more than the balance (${balance} kobo).`,
  },
] as const satisfies readonly (Check & { readonly compact: string })[];
