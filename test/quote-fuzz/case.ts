import { isDeepStrictEqual } from 'node:util';
import { type Answer, paymentBody, type TestService } from '../support/service.js';
import type { Pay } from './scenarios.js';

interface Check {
  readonly check: string;
  readonly passed: boolean;
  readonly compared: Readonly<Record<string, string | number>>;
}

/** What a quote says, or the code that it was refused with. */
export interface Quote {
  readonly refusedAs?: string;
  readonly decision: string;
  readonly blockReason: string | null;
  readonly message: string | null;
  readonly checks: readonly Check[];
  readonly at: string;
  readonly balanceAfter: number;
  readonly maxAmountNow: number;
  readonly earliestPassAt: string | null;
  readonly hint: string | null;
}

/** What a payment was answered. */
export interface Paid {
  readonly code: string | null;
  readonly decision: string;
  readonly transactionId: string;
  readonly body: Readonly<Record<string, unknown>> & { readonly details?: Readonly<Record<string, unknown>> };
  readonly isReplayed: boolean;
}

/** What is sent to the quote and to the payment alike. */
export interface Sent {
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

export function sent(key: string, { amount, merchant, ...pay }: Pay, confirms: string | undefined): Sent {
  const { account, bank, guardMinutes } = pay;
  return {
    key,
    body: paymentBody({
      amount,
      merchantName: merchant.padEnd(3, '.'),
      recipientAccountNo: account,
      recipientBankCode: bank,
      ...(confirms !== undefined && { confirmSecondPurchase: confirms }),
    }),
    headers: guardMinutes === null ? {} : { 'duplicate-guard-minutes': String(guardMinutes) },
  };
}

export const withFields = (one: Sent, fields: object): Sent => ({ ...one, body: { ...one.body, ...fields } });

export async function quote(service: TestService, { key, body, headers }: Sent): Promise<Quote> {
  const answer = await service.post<{ data: Quote; code: string }>('/api/payment-intent/quote', {
    key,
    body,
    headers,
  });
  if (answer.status === 200) return answer.body.data;
  if (answer.status === 401) return { ...NOTHING, refusedAs: answer.body.code };
  throw new Error(`a quote was answered ${answer.status}: ${answer.text}`);
}

const NOTHING: Quote = {
  decision: 'none',
  blockReason: null,
  message: null,
  checks: [],
  at: '',
  balanceAfter: 0,
  maxAmountNow: 0,
  earliestPassAt: null,
  hint: null,
};

const DECISIONS: Readonly<Record<number, string>> = { 201: 'approved', 202: 'pending' };
const STATUSES: Readonly<Record<string, number>> = { INSUFFICIENT_FUNDS: 402, POSSIBLE_DUPLICATE: 409 };

export async function pay(
  service: TestService,
  { key, body, headers }: Sent,
  idempotencyKey?: string,
): Promise<Paid> {
  const answer: Answer<Paid['body']> = await service.post('/api/payment-intent', {
    key,
    body,
    headers: { ...headers, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) },
  });
  const decision = DECISIONS[answer.status];
  const isReplayed = answer.headers['idempotency-replayed'] === 'true';
  if (decision) {
    const { transaction } = (answer.body as unknown as { data: { transaction: { id: string } } }).data;
    return { code: null, decision, transactionId: transaction.id, body: answer.body, isReplayed };
  }
  const { code, transactionId } = answer.body as { code: string; transactionId?: string };
  if (answer.status === 401) {
    return { code, decision: 'none', transactionId: '', body: answer.body, isReplayed };
  }
  if (answer.status !== (STATUSES[code] ?? 403) || transactionId === undefined) {
    throw new Error(`a payment was answered ${answer.status}: ${answer.text}`);
  }
  return { code, decision: 'blocked', transactionId, body: answer.body, isReplayed };
}

/** How a quote and the payment that followed it differ; null when they say the same. */
export function difference(quoted: Quote, paid: Paid): string | null {
  const said = [quoted.decision, quoted.refusedAs ?? quoted.blockReason];
  const done = [paid.decision, paid.code];
  if (!isDeepStrictEqual(said, done)) return differ('the decision', said, done);
  if (paid.decision !== 'blocked') return null;
  const { message, maxAmountNow, earliestPassAt, hint } = paid.body;
  return (
    unlike('the message', quoted.message, message) ??
    unlike('maxAmountNow', quoted.maxAmountNow, maxAmountNow) ??
    unlike('earliestPassAt', quoted.earliestPassAt, earliestPassAt) ??
    unlike('the hint', quoted.hint, hint)
  );
}

/** How the checks of a quote and those that a stored attempt is explained with differ; null: not at all. */
export function checksDifference(quoted: Quote, explained: ExplainedAttempt): string | null {
  // A bank is asked for an account only when all else lets the payment pass: behind a failure it may be unasked.
  const isAsked = explained.facts.recipient !== 'unasked';
  const kept = ({ check, compared }: Check) =>
    isAsked || check !== 'PAYEE_NOT_ALLOWED' || 'payeePolicy' in compared;
  return unlike('the checks', quoted.checks.filter(kept), explained.checks.filter(kept));
}

export interface ExplainedAttempt {
  readonly checks: readonly Check[];
  readonly facts: Readonly<Record<string, unknown>>;
}

export function unlike(what: string, quoted: unknown, found: unknown): string | null {
  return isDeepStrictEqual(quoted, found) ? null : differ(what, quoted, found);
}

function differ(what: string, quoted: unknown, found: unknown): string {
  return `${what}: quoted ${JSON.stringify(quoted)}, found ${JSON.stringify(found)}`;
}
