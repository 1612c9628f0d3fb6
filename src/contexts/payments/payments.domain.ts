import type { Kobo } from '../../kernel/money.js';
import type { SettlementStatus } from '../settlement/settlement.port.js';
import type { BlockReason } from './payments.events.js';

/** What an agent asks for, after its fields were checked. `merchant` is the merchant's identity. */
export interface Intent {
  readonly amount: number;
  readonly merchant: string;
  readonly merchantName: string;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
  readonly reason: string | null;
}

/** What the six checks look at, as it stood at the moment of the decision; stored with every attempt. */
export interface Facts {
  readonly status: string;
  /** ISO 8601, like {@link now}. */
  readonly expiry: string;
  readonly now: string;
  readonly spendLimitPerTx: number;
  readonly spendLimitPeriod: number;
  /** Approved and not refunded spend in the window, before this attempt. */
  readonly spent: number;
  readonly balance: number;
  readonly useAllowlist: boolean;
  readonly onAllowlist: boolean;
}

interface Check {
  readonly blockedAs: BlockReason;
  /** How the compact list names the block. */
  readonly compact: string;
  passes(facts: Facts, intent: Intent): boolean;
  /** The numbers that were compared. */
  compared(facts: Facts, intent: Intent): { limit?: string | number; actual?: string | number };
  /** Why the attempt was blocked, and what would pass. */
  message(facts: Facts, intent: Intent): string;
}

/** The six checks of the specification; their order is part of the contract. */
export const CHECKS = [
  {
    blockedAs: 'WALLET_INACTIVE',
    compact: 'wallet_inactive',
    passes: ({ status }) => status === 'ACTIVE',
    compared: ({ status }) => ({ limit: 'ACTIVE', actual: status }),
    message: ({ status }) => `The wallet is not active (${status}).`,
  },
  {
    blockedAs: 'WALLET_EXPIRED',
    compact: 'wallet_expired',
    passes: ({ now, expiry }) => Date.parse(now) < Date.parse(expiry),
    compared: ({ now, expiry }) => ({ limit: expiry, actual: now }),
    message: ({ expiry }) => `The wallet expired at ${expiry}.`,
  },
  {
    blockedAs: 'SPEND_LIMIT_PER_TX_EXCEEDED',
    compact: 'exceeds_per_tx_limit',
    passes: ({ spendLimitPerTx }, { amount }) => amount <= spendLimitPerTx,
    compared: ({ spendLimitPerTx }, { amount }) => ({ limit: spendLimitPerTx, actual: amount }),
    message: ({ spendLimitPerTx }, { amount }) =>
      `The amount ${amount} is more than this wallet may spend at a time (${spendLimitPerTx} kobo).`,
  },
  {
    blockedAs: 'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    compact: 'exceeds_period_limit',
    // Subtracted, not added: a sum of two amounts can be past what a number holds exactly.
    passes: ({ spendLimitPeriod, spent }, { amount }) => amount <= spendLimitPeriod - spent,
    compared: ({ spendLimitPeriod, spent }, { amount }) => ({
      limit: spendLimitPeriod,
      actual: spent + amount,
    }),
    message: ({ spendLimitPeriod, spent }, { amount }) =>
      `The amount ${amount} is more than the period's limit leaves: ${spent} of ${spendLimitPeriod} kobo are spent.`,
  },
  {
    blockedAs: 'MERCHANT_NOT_ALLOWED',
    compact: 'merchant_not_in_allowlist',
    passes: ({ useAllowlist, onAllowlist }) => !useAllowlist || onAllowlist,
    compared: (_, { merchant }) => ({ actual: merchant }),
    message: (_, { merchantName }) => `The merchant ${merchantName} is not on the allowlist of this wallet.`,
  },
  {
    blockedAs: 'INSUFFICIENT_FUNDS',
    compact: 'insufficient_funds',
    passes: ({ balance }, { amount }) => amount <= balance,
    compared: ({ balance }, { amount }) => ({ limit: balance, actual: amount }),
    message: ({ balance }, { amount }) => `The amount ${amount} is more than the balance (${balance} kobo).`,
  },
] as const satisfies readonly Check[];

/** The code of the first check that these facts fail; null when all pass. */
export function firstFailed(facts: Facts, intent: Intent): BlockReason | null {
  return CHECKS.find((check) => !check.passes(facts, intent))?.blockedAs ?? null;
}

const checkOf = new Map<BlockReason, Check>(CHECKS.map((check) => [check.blockedAs, check]));

/** One attempt to pay, as stored. */
export interface Transaction extends Intent {
  readonly id: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly blockReason: BlockReason | null;
  readonly facts: Facts;
  readonly createdAt: Date;
}

/**
 * What became of an attempt in the end, in one word wherever it is shown. `failed`: the bank did not pay; `returned`:
 * it paid and took it back; both were refunded. `denied` and `expired`: a person refused it, or nobody decided in time.
 */
export const PAYMENT_STATUSES = [
  'paid',
  'processing',
  'awaiting_approval',
  'failed',
  'returned',
  'blocked',
  'denied',
  'expired',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

const STATUS_OF_SETTLEMENT = {
  pending: 'processing',
  processing: 'processing',
  succeeded: 'paid',
  failed: 'failed',
  reversed: 'returned',
} as const satisfies Record<SettlementStatus, PaymentStatus>;

/** Block reasons that are a person's decision, or the lack of one. */
const STATUS_OF_BLOCK: ReadonlyMap<string, PaymentStatus> = new Map([
  ['APPROVAL_DENIED', 'denied'],
  ['APPROVAL_EXPIRED', 'expired'],
]);

/** The one derivation of the final status: from the decision, and of what was approved from its settlement. */
export function paymentStatus(
  { blockReason }: Pick<Transaction, 'blockReason'>,
  settlement: SettlementStatus | null,
): PaymentStatus {
  if (blockReason !== null) return STATUS_OF_BLOCK.get(blockReason) ?? 'blocked';
  return STATUS_OF_SETTLEMENT[settlement ?? 'pending'];
}

/** One step of the record of an attempt. */
export interface AuditEvent {
  readonly type: string;
  /** ISO 8601. */
  readonly at: string;
  readonly detail: Readonly<Record<string, string | number>>;
}

/** The checks that an attempt went through, in order: all six when approved, else up to the failing one. */
export function checkEvents(facts: Facts, intent: Intent, blockReason: BlockReason | null): AuditEvent[] {
  const events: AuditEvent[] = [];
  for (const check of CHECKS) {
    const type = check.blockedAs === blockReason ? 'check.failed' : 'check.passed';
    events.push({
      type,
      at: facts.now,
      detail: { check: check.blockedAs, ...check.compared(facts, intent) },
    });
    if (type === 'check.failed') break;
  }
  return events;
}

/** Why an attempt was blocked, in words. The same facts give the same words. */
export function blockMessage(facts: Facts, intent: Intent, blockReason: BlockReason): string {
  return checkOf.get(blockReason)?.message(facts, intent) ?? blockReason;
}

/** How the compact list names a block (`merchant_not_in_allowlist`). */
export function compactReason(blockReason: BlockReason): string {
  return checkOf.get(blockReason)?.compact ?? blockReason.toLowerCase();
}
