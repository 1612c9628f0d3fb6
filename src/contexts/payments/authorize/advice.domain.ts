import { KOBO_MAX, naira } from '../../../kernel/money.js';
import type { Check, PassesWhen } from '../checks/check.domain.js';
import type { Facts, Intent } from '../checks/facts.port.js';
import { checksOf } from '../checks/decide.domain.js';
import { type Decision, decisionOf } from '../payments.domain.js';
import type { Transaction } from '../payments.port.js';
import type { BlockReason } from '../../../kernel/errors.js';

export interface Advice {
  /** Largest amount that would pass now, in kobo; 0 if none. */
  readonly maxAmountNow: number;
  /**
   * First time at which the payment passes, ISO 8601. Null: waiting alone does not help. Absent: not
   * determined.
   */
  readonly earliestPassAt?: string | null;
  readonly hint: string;
}

/** Bounds of one payout, in kobo. */
export interface PayoutBounds {
  readonly minPayout: number;
  readonly maxPayout: number;
}

export interface Judgement {
  readonly check: BlockReason;
  readonly passed: boolean;
  readonly compared: Readonly<Record<string, string | number>>;
}

/** In order, including those after the first failure. */
export function judgements(facts: Facts, intent: Intent): Judgement[] {
  return checksOf(facts).map((check) => ({
    check: check.blockedAs,
    passed: check.passes(facts, intent),
    compared: check.compared(facts, intent),
  }));
}

/** Checks that apply to another amount. A duplicate has the same amount. */
function checksOfOtherAmounts(facts: Facts): Check[] {
  return checksOf(facts).filter(({ blockedAs }) => blockedAs !== 'POSSIBLE_DUPLICATE');
}

/**
 * Largest amount that passes on these facts, in kobo; 0 if none. A larger amount never passes more checks.
 */
export function maxAmount(facts: Facts, intent: Intent, { minPayout, maxPayout }: PayoutBounds): number {
  const checks = checksOfOtherAmounts(facts);
  const passes = (amount: number) => checks.every((check) => check.passes(facts, { ...intent, amount }));
  let [low, high] = [0, Math.min(maxPayout, KOBO_MAX)];
  while (low < high) {
    // Halves the difference: the sum could exceed exact numbers.
    const middle = low + Math.ceil((high - low) / 2);
    if (passes(middle)) low = middle;
    else high = middle - 1;
  }
  return low < minPayout ? 0 : low;
}

/** Null if waiting alone does not help. */
export function waitsFor(facts: Facts, intent: Intent): PassesWhen[] | null {
  const waits: PassesWhen[] = [];
  for (const check of checksOf(facts)) {
    if (check.passes(facts, intent)) continue;
    const wait = check.passesWhen?.(facts, intent);
    if (!wait) return null;
    waits.push(wait);
  }
  return waits;
}

export function hintOf(
  facts: Facts,
  intent: Intent,
  { maxAmountNow, earliestPassAt }: Pick<Advice, 'maxAmountNow' | 'earliestPassAt'>,
): string {
  const failing = checksOf(facts).filter((check) => !check.passes(facts, intent));
  const first = failing[0]?.blockedAs;
  if (first === undefined) return 'It passes now.';
  if (first === 'POSSIBLE_DUPLICATE') return LOOK_FIRST;
  const most = maxAmountNow > 0 && maxAmountNow < intent.amount ? `At most ${naira(maxAmountNow)} now` : '';
  if (earliestPassAt) {
    const later = `${naira(intent.amount)} passes after ${inLagos(earliestPassAt, facts.now)}`;
    return most ? `${most}; ${later}.` : `${later}.`;
  }
  if (!most) return `Do not try again: ${remedyOf(first)}.`;
  // A later check may bind tighter than the first failure.
  const more = { ...intent, amount: maxAmountNow + 1 };
  const binding = checksOfOtherAmounts(facts).find((check) => !check.passes(facts, more));
  return `${most}; for more ${remedyOf(binding?.blockedAs ?? first)}.`;
}

const LOOK_FIRST =
  'This looks like a payment that was requested already: look at that one before you pay again.';
const NEW_KEY = 'This Idempotency-Key (purchaseId) keeps its first answer: another attempt takes a new one.';

export interface PresentDecision {
  readonly decision: Decision;
  readonly hint: string;
}

/**
 * Hint beside a replayed block; `now` is null if not determined. Never offers to repeat what looks paid or
 * was denied.
 */
export function hintAnew(blockReason: BlockReason, now: PresentDecision | null): string {
  return `${insteadOf(blockReason, now)} ${NEW_KEY}`;
}

function insteadOf(blockReason: BlockReason, now: PresentDecision | null): string {
  if (blockReason === 'POSSIBLE_DUPLICATE') return LOOK_FIRST;
  if (blockReason === 'APPROVAL_DENIED')
    return 'The owner denied this payment: ask them before you try again.';
  if (now === null) return 'What would pass now could not be determined.';
  if (now.decision === 'blocked') return now.hint;
  const again = blockReason === 'WALLET_INACTIVE' ? 'The wallet is active again. ' : '';
  return now.decision === 'pending'
    ? `${again}The same payment would now wait for the owner's approval.`
    : `${again}The same payment passes now.`;
}

/**
 * Refusal of an idempotency key that belongs to another payment. Offers a new key only if that payment moved
 * no money.
 */
export function reusedKeyMessage(first: Transaction): string {
  const { id, amount, blockReason, createdAt } = first;
  const at = createdAt.toISOString();
  const stands = {
    approved: `was approved at ${at}`,
    pending: `waits for approval since ${at}`,
    blocked: `was blocked at ${at} (${blockReason}) and moved no money`,
  }[decisionOf(first)];
  const isFree = blockReason !== null && blockReason !== 'POSSIBLE_DUPLICATE';
  const then = isFree
    ? 'another attempt takes a new key.'
    : 'look at that payment, and if the purchase is the same do not pay again.';
  return (
    `This Idempotency-Key (purchaseId) belongs to another payment: ${id} of ${naira(amount)} ${stands}. ` +
    `Nothing was carried out now; ${then}`
  );
}

const remedyOf = (block: BlockReason): string =>
  REMEDIES[block] ?? 'the owner has to change the rules of the wallet';

/** Remedies where neither a smaller amount nor time helps. */
const REMEDIES: Partial<Record<BlockReason, string>> = {
  WALLET_INACTIVE: 'the owner has to let the wallet pay again',
  WALLET_EXPIRED: 'the wallet has expired, and only its owner can extend it',
  SPEND_LIMIT_PER_TX_EXCEEDED: 'the owner has to raise the limit of one payment',
  SPEND_LIMIT_PER_PERIOD_EXCEEDED: 'the owner has to raise the limit of the period',
  MERCHANT_NOT_ALLOWED: 'the merchant is not on the allowlist, and only the owner can add it',
  PAYEE_NOT_ALLOWED: 'the merchant may not be paid at this account, and only the owner can add it',
  COOLING_OFF:
    'the new key or payee has to cool off, which begins with its first payment, or the owner to allow more',
  INSUFFICIENT_FUNDS: 'the wallet has to be topped up',
  APPROVAL_LIMIT_REACHED: 'the owner has to decide on payments that wait',
};

const MINUTE_MS = 60_000;
const LAGOS = { timeZone: 'Africa/Lagos' } as const;
const TIME = new Intl.DateTimeFormat('en-GB', { ...LAGOS, hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { ...LAGOS, day: 'numeric', month: 'short', year: 'numeric' });

/** The next full minute after `at` in Lagos, with its date unless that is today. */
function inLagos(at: string, now: string): string {
  const minute = new Date(Math.ceil(Date.parse(at) / MINUTE_MS) * MINUTE_MS);
  const day = DAY.format(minute);
  const time = `${TIME.format(minute)} WAT`;
  return day === DAY.format(new Date(now)) ? time : `${day}, ${time}`;
}
