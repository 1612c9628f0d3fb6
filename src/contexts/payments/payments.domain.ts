import { cappedSum, type Kobo } from '../../kernel/money.js';
import { isBefore } from '../../kernel/time.js';
import type { SettlementStatus } from '../settlement/settlement.port.js';
import { COOLING_OFF } from './rules/cooling-off/cooling-off.domain.js';
import type { Check, Facts, Intent, Rule } from './checks/facts.domain.js';
import { DUPLICATE_GUARD } from './rules/duplicate-guard/duplicate-guard.domain.js';
import { PENDING_LIMIT } from './rules/approval/approval-rule.domain.js';
import { KEY_LIMITS } from './rules/key-limits/key-limits.domain.js';
import { PAYEE_RULES } from './rules/payees/payees.domain.js';
import type { ApprovalStatus, BlockReason } from './payments.events.js';

export type { Facts, Intent };

/** The six checks of the specification; their order is part of the contract. `compact`: the name in the compact list. */
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
    passes: ({ now, expiry }) => isBefore(now, expiry),
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
      actual: cappedSum(spent, amount),
    }),
    message: ({ spendLimitPeriod, spent }, { amount }) =>
      `The amount ${amount} is more than the period's limit leaves: ${spent} of ${spendLimitPeriod} kobo are spent.`,
    waits: ({ spendLimitPeriod, periodWindowDays: days }, { amount }) => {
      const room = spendLimitPeriod - amount;
      if (room < 0 || days === undefined) return null;
      return { spendOf: 'wallet', days, room, after: (facts, spent) => ({ ...facts, spent }) };
    },
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
    passes: ({ balance, held = 0 }, { amount }) => amount <= balance - held,
    compared: ({ balance, held = 0 }, { amount }) => ({ limit: balance - held, actual: amount }),
    message: ({ balance, held = 0 }, { amount }) =>
      held > 0
        ? `The amount ${amount} is more than what is available (${balance - held} kobo; ${held} are held for approvals).`
        : `The amount ${amount} is more than the balance (${balance} kobo).`,
  },
] as const satisfies readonly (Check & { readonly compact: string })[];

/** The rules that owners can ask for, after the six checks and in this order. A code may have several of them. */
const RULES: readonly Rule[] = [...KEY_LIMITS, ...PAYEE_RULES, COOLING_OFF, DUPLICATE_GUARD, PENDING_LIMIT];

/** The checks and rules that are asked of these facts, in order. */
export function checksOf(facts: Facts): Check[] {
  return [...CHECKS, ...RULES.filter((rule) => rule.applies(facts))];
}

/** The code of the first check or rule that these facts fail; null when all pass. */
export function firstFailed(facts: Facts, intent: Intent): BlockReason | null {
  const fails = (check: Check) => !check.passes(facts, intent);
  return (CHECKS.find(fails) ?? RULES.find((rule) => rule.applies(facts) && fails(rule)))?.blockedAs ?? null;
}

/** One attempt to pay, as stored. */
export interface Transaction extends Intent {
  readonly id: string;
  readonly walletId: string;
  /** The key that asked for it; null of attempts from before keys were noted. */
  readonly keyId: string | null;
  /** Set only if the key has limits: its history, which goes on with a key that replaces it. */
  readonly historyId: string | null;
  /** What the key is for, where its owner said so. */
  readonly purpose: string | null;
  readonly amount: Kobo;
  readonly blockReason: BlockReason | null;
  readonly facts: Facts;
  readonly createdAt: Date;
  /** Null: the owner was not asked. */
  readonly approval: ApprovalStatus | null;
  readonly approvalExpiresAt: Date | null;
  readonly approvalDecidedAt: Date | null;
  /** Null: no owner decided, or not in time. */
  readonly approvalDecidedBy: string | null;
  readonly approvalNote: string | null;
}

/** What every event says of the attempt that it is about. */
export function attemptOf(transaction: Transaction) {
  return {
    transactionId: transaction.id,
    walletId: transaction.walletId,
    amount: transaction.amount,
    merchant: transaction.merchant,
    merchantName: transaction.merchantName,
    recipientAccountNo: transaction.recipientAccountNo,
    recipientBankCode: transaction.recipientBankCode,
    reason: transaction.reason,
    purpose: transaction.purpose,
  };
}

/** How an attempt stands. One that is not pending was decided for good. */
export type Decision = 'approved' | 'blocked' | 'pending';

export function decisionOf({
  approval,
  blockReason,
}: Pick<Transaction, 'approval' | 'blockReason'>): Decision {
  if (approval === 'pending') return 'pending';
  return blockReason === null ? 'approved' : 'blocked';
}

/**
 * What became of an attempt in the end, in one word wherever it is shown. `failed`: the bank did not pay, and it was
 * refunded; `returned`: the bank sent it back, and the settlement says whether it was refunded. `denied` and `expired`:
 * the owner refused it, or did not decide in time.
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
const STATUS_OF_BLOCK: ReadonlyMap<BlockReason, PaymentStatus> = new Map([
  ['APPROVAL_DENIED', 'denied'],
  ['APPROVAL_EXPIRED', 'expired'],
]);

/** The one derivation of the final status: from the decision, and of what was approved from its settlement. */
export function paymentStatus(
  { approval, blockReason }: Pick<Transaction, 'approval' | 'blockReason'>,
  settlement: SettlementStatus | null,
): PaymentStatus {
  if (approval === 'pending') return 'awaiting_approval';
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

/** What blocked an attempt. Of several rules of one code it is the one that these facts fail. */
function blockerOf(facts: Facts, intent: Intent, blockReason: BlockReason): Check | undefined {
  const withCode = checksOf(facts).filter(({ blockedAs }) => blockedAs === blockReason);
  return withCode.find((check) => !check.passes(facts, intent)) ?? withCode[0];
}

/** The checks that an attempt went through, in order: all that apply when approved, else up to the failing one. */
export function checkEvents(facts: Facts, intent: Intent, blockReason: BlockReason | null): AuditEvent[] {
  const blocker = blockReason === null ? undefined : blockerOf(facts, intent, blockReason);
  const events: AuditEvent[] = [];
  for (const check of checksOf(facts)) {
    events.push({
      type: check === blocker ? 'check.failed' : check.warns?.(facts) ? 'check.warned' : 'check.passed',
      at: facts.now,
      detail: { check: check.blockedAs, ...check.compared(facts, intent) },
    });
    if (check === blocker) break;
  }
  return events;
}

/** That the owner was asked about an attempt, and what became of it; empty where the owner was not asked. */
export function approvalEvents(transaction: Transaction): AuditEvent[] {
  const { approval, facts, amount, approvalDecidedAt: decidedAt, approvalNote: note } = transaction;
  if (approval === null) return [];
  const detail = { limit: facts.approval?.threshold ?? 0, actual: amount };
  const requested = { type: 'approval.requested', at: facts.now, detail };
  if (!decidedAt) return [requested];
  return [
    requested,
    {
      type: `approval.${approval}`,
      at: decidedAt.toISOString(),
      detail: note === null ? {} : { note },
    },
  ];
}

/** The blocks that no check makes: the owner decided, or did not in time. */
const SAID_LATER: Partial<Record<BlockReason, string>> = {
  APPROVAL_DENIED: 'The owner of the wallet denied the payment.',
  APPROVAL_EXPIRED: 'The payment was not approved in time.',
};

/** Why an attempt was blocked, in words. The same facts give the same words. */
export function blockMessage(facts: Facts, intent: Intent, blockReason: BlockReason): string {
  return (
    blockerOf(facts, intent, blockReason)?.message(facts, intent) ?? SAID_LATER[blockReason] ?? blockReason
  );
}

/** What blocked an attempt, for programs; undefined for the six checks, whose code says it all. */
export function blockDetails(
  facts: Facts,
  intent: Intent,
  blockReason: BlockReason,
): Readonly<Record<string, string | number>> | undefined {
  if (CHECKS.some(({ blockedAs }) => blockedAs === blockReason)) return undefined;
  return blockerOf(facts, intent, blockReason)?.compared(facts, intent);
}

const compactOf = new Map<BlockReason, string>(CHECKS.map(({ blockedAs, compact }) => [blockedAs, compact]));

/** How the compact list names a block (`merchant_not_in_allowlist`). */
export function compactReason(blockReason: BlockReason): string {
  return compactOf.get(blockReason) ?? blockReason.toLowerCase();
}
