import { koboFromNaira } from '../../../kernel/money.js';
import type { CircuitOpen, OperatorCause, PayoutState } from '../bank.port.js';
import type { ResolvedName } from '../name-enquiry.port.js';
import { mask, type KoraReply } from './kora-http.js';
import { isObject, textOf } from './kora-json.js';
import { isAbout } from './kora-read.js';

/** `ask`: Kora has, or may have, the payout; only a query tells its state. */
export type Disbursement =
  | { readonly kind: 'accepted' | 'succeeded' }
  | { readonly kind: 'unknown'; readonly reason: string; readonly circuitOpen?: CircuitOpen }
  | { readonly kind: 'rejected' | 'ask'; readonly reason: string; readonly circuitOpen?: CircuitOpen };

/** Payouts never taken on. */
const REFUSALS: readonly { readonly statuses: readonly number[]; readonly says: RegExp }[] = [
  {
    statuses: [400, 404, 409, 422],
    says: /unable to resolve bank account|invalid account|invalid bank provided/i,
  },
  { statuses: [400, 402, 409, 422], says: /insufficient funds in disbursement wallet/i },
  { statuses: [400, 422], says: /^invalid request data/i },
  { statuses: [400, 409, 422], says: /\b(minimum|maximum)\b.*\bamount\b|\bamount\b.*\b(minimum|maximum)\b/i },
  { statuses: [403], says: /not[ _]authori[sz]ed/i },
];

const OPERATOR_CAUSES: readonly { readonly pattern: RegExp; readonly cause: OperatorCause }[] = [
  { pattern: /insufficient funds in disbursement wallet/i, cause: 'no-float' },
  { pattern: /invalid request data/i, cause: 'invalid-request' },
];

export function withCause(state: PayoutState): PayoutState {
  if (!('reason' in state) || state.kind === 'unknown') return state;
  const cause = OPERATOR_CAUSES.find(({ pattern }) => pattern.test(state.reason))?.cause;
  return cause ? { ...state, cause } : state;
}

/** Anything but a known refusal is `unknown`: money may be on its way. */
export function disbursement(reply: KoraReply, reference: string): Disbursement {
  if (reply.kind === 'no-response') return unknown(reply);
  const reason = describe(reply);
  if (reply.ok) {
    const state = isObject(reply.data) ? reply.data.status : undefined;
    if (state === 'processing' || state === 'pending') return { kind: 'accepted' };
    if (state === 'success' && isAbout(reply.data, reference)) return { kind: 'succeeded' };
    return typeof state === 'string'
      ? { kind: 'ask', reason: `${reason} (${state})` }
      : { kind: 'unknown', reason };
  }
  if (reply.status < 500 && /duplicate transaction reference/i.test(reply.message))
    return { kind: 'ask', reason };
  return { ...unknown(reply), kind: isRefusal(reply) ? 'rejected' : 'unknown' };
}

/** Proves nothing about the payout. */
function unknown(reply: KoraReply): { kind: 'unknown'; reason: string; circuitOpen?: CircuitOpen } {
  return {
    kind: 'unknown',
    reason: describe(reply),
    ...(reply.circuitOpen && { circuitOpen: reply.circuitOpen }),
  };
}

/** Only Kora's own sentence means that there is no such payout. */
export function payoutState(reply: KoraReply, reference: string): PayoutState {
  if (reply.kind === 'no-response') return unknown(reply);
  const described = describe(reply);
  if (!reply.ok) {
    const absent = [400, 404].includes(reply.status) && /\btransaction not found\b/i.test(reply.message);
    return absent ? { kind: 'not-found' } : unknown(reply);
  }
  if (!isObject(reply.data)) return { kind: 'unknown', reason: described };
  if (!isAbout(reply.data, reference))
    return { kind: 'unknown', reason: 'the bank answered about another payout' };
  const reason = mask(textOf(reply.data.message) ?? described);
  switch (reply.data.status) {
    case 'processing':
    case 'pending':
      return { kind: 'accepted' };
    case 'success': {
      const amount = koboFromNaira(textOf(reply.data.amount) ?? '');
      const sessionId = sessionIdIn(reply.data.trace_id);
      return {
        kind: 'succeeded',
        ...(amount !== null && { amount }),
        ...(sessionId !== null && { sessionId }),
      };
    }
    case 'failed':
      return { kind: 'failed', reason };
    case 'reversed':
      return { kind: 'reversed', reason };
    default:
      return { kind: 'unknown', reason: described };
  }
}

function sessionIdIn(traceId: unknown): string | null {
  const text = textOf(traceId);
  return text !== null && /^[\w-]{1,64}$/.test(text) ? text : null;
}

/** The number may be masked or missing. */
export function resolvedName(reply: KoraReply, accountNumber: string): ResolvedName {
  if (reply.kind === 'no-response') return { kind: 'unknown', reason: reply.reason };
  const named = isObject(reply.data) ? textOf(reply.data.account_number) : null;
  if (reply.ok && named && /^\d{10}$/.test(named) && named !== accountNumber)
    return { kind: 'unknown', reason: 'the bank answered about another account' };
  const accountName = reply.ok && isObject(reply.data) ? textOf(reply.data.account_name) : null;
  if (accountName) return { kind: 'resolved', accountName };
  const refused = !reply.ok && [400, 404, 409, 422].includes(reply.status);
  return refused && /unable to resolve|invalid (bank )?account|invalid bank/i.test(reply.message)
    ? { kind: 'not-resolved' }
    : { kind: 'unknown', reason: describe(reply) };
}

export function isAbsent(reply: KoraReply): boolean {
  return (
    reply.kind === 'answer' &&
    !reply.ok &&
    reply.status === 404 &&
    /not found|does not exist/i.test(reply.message)
  );
}

export function describe(reply: KoraReply): string {
  return reply.kind === 'no-response'
    ? reply.reason
    : `HTTP ${reply.status}: ${reply.message || reply.error || 'no message'}`;
}

function isRefusal({ status, message, error }: { status: number; message: string; error: string }): boolean {
  return REFUSALS.some(
    ({ statuses, says }) => statuses.includes(status) && [message, error].some((t) => says.test(t)),
  );
}
