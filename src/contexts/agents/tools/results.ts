import { setTimeout as sleep } from 'node:timers/promises';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { naira } from '../../../kernel/money.js';
import { money } from './naira.js';
import { outcomeLost, toolError } from './refusals.js';
import { type Payment, ShownDetails, type ToolError } from './schemas.js';
import type { ApiAnswer, ApiRequest, WalletApi } from './wallet-api.js';

export interface ApiPayment extends Partial<ShownDetails> {
  readonly id: string;
  readonly decision: string;
  readonly amount: number;
  readonly merchantName: string;
  readonly blockReason: string | null;
  readonly createdAt: string;
  readonly settlement?: {
    readonly reference: string;
    readonly status: string;
    readonly reversedAt?: string;
    readonly refundedAt?: string | null;
  } | null;
  readonly approval?: { readonly id: string; readonly expiresAt: string } | null;
  readonly auditEvents?: readonly { readonly detail?: { readonly note?: string } }[];
}

const DETAILS = Object.keys(ShownDetails.shape) as (keyof ShownDetails)[];

function detailsOf(payment: ApiPayment): ShownDetails {
  return Object.fromEntries(DETAILS.map((name) => [name, payment[name] ?? null])) as ShownDetails;
}

function noteOf({ auditEvents = [] }: ApiPayment): string | null {
  return auditEvents.find(({ detail }) => detail?.note !== undefined)?.detail?.note ?? null;
}

export function presentPayment(payment: ApiPayment): Payment {
  const { settlement, approval } = payment;
  return {
    id: payment.id,
    decision: payment.decision,
    amount: money(payment.amount),
    ...detailsOf(payment),
    blockReason: payment.blockReason,
    createdAt: payment.createdAt,
    settlement: settlement
      ? {
          reference: settlement.reference,
          status: settlement.status,
          ...(settlement.reversedAt !== undefined && { reversedAt: settlement.reversedAt }),
          ...(settlement.refundedAt !== undefined && { refundedAt: settlement.refundedAt }),
        }
      : null,
    approval: approval ? { id: approval.id, expiresAt: approval.expiresAt } : null,
    note: noteOf(payment),
  };
}

interface PaidData {
  readonly transaction: Omit<ApiPayment, 'settlement' | 'approval'>;
  readonly settlement?: { readonly reference: string } | null;
  readonly approval?: { readonly id: string; readonly expiresAt: string } | null;
}

/** Milliseconds a payment's result waits for the state of an earlier one. */
const READ_MS_MAX = 5_000;

/** A replay is completed by the present status; `unknown` if unreadable. */
export async function presentPaid(api: WalletApi, body: unknown, { header }: ApiAnswer): Promise<Presented> {
  const { transaction, settlement, approval } = (body as { data: PaidData }).data;
  const replayed = header('idempotency-replayed') === 'true';
  const status = replayed ? 'unknown' : 'processing';
  const made = {
    ...transaction,
    settlement: settlement ? { reference: settlement.reference, status } : null,
    approval: approval ?? null,
  };
  const payment = (replayed && settlement && (await readPayment(api, transaction.id))) || made;
  const told = tellPayment(payment);
  return {
    told: replayed ? `${told} An earlier call with this purchaseId made this attempt.` : told,
    structured: { payment: presentPayment(payment), replayed },
  };
}

/** Null on timeout. Never throws. */
async function readPayment(api: WalletApi, id: string): Promise<ApiPayment | null> {
  try {
    const asked = api({ method: 'GET', path: `/api/payment-intent/${id}` });
    const answer = await Promise.race([asked, sleep(READ_MS_MAX, null, { ref: false })]);
    return answer?.status === 200 ? (answer.body as { data: ApiPayment }).data : null;
  } catch {
    return null;
  }
}

/** On one line, so that it does not read as ours. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

export function tellPayment(payment: ApiPayment): string {
  const { id, decision, amount, merchantName, blockReason, settlement, approval } = payment;
  const what = `${naira(amount)} to ${quoted(merchantName)}`;
  if (decision === 'approved') return tellTransfer(id, what, settlement);
  if (decision === 'pending') {
    const until = approval ? ` until ${approval.expiresAt} (approval ${approval.id})` : '';
    return (
      `${what} waits for a person to approve it${until}. Nothing has moved yet. Call get_payment with paymentId ${id} ` +
      'later to see how it went; do not pay it again.'
    );
  }
  const note = noteOf(payment);
  const said = note === null ? '' : ` The owner wrote: ${quoted(note)}`;
  return `Not paid: ${what} was blocked (${blockReason ?? 'no reason given'}).${said}`;
}

/** A returned payment may not be refunded yet. */
function tellTransfer(id: string, what: string, settlement: ApiPayment['settlement']): string {
  const status = settlement?.status;
  const later = `Call get_payment with paymentId ${id} later to see how it went; do not pay it again.`;
  switch (status) {
    case 'succeeded':
      return `Paid ${what}.`;
    case 'failed':
    case 'reversed':
      if (status === 'reversed' && !settlement?.refundedAt) {
        return (
          `Sent back: the bank paid ${what} and then took it back${since(settlement)}. The operators of the service ` +
          'resolve that, and the money is not back in the wallet yet; do not pay it again.'
        );
      }
      return (
        `Not paid: the bank ${status === 'failed' ? 'refused' : 'reversed'} the transfer of ${what}, and the money is ` +
        `back in the wallet${settlement?.refundedAt ? ` since ${settlement.refundedAt}` : ''}. ` +
        'Check the account; for another attempt use a new purchaseId.'
      );
    case 'pending':
    case 'processing':
      return `${what} was approved and is on its way to the recipient's bank. ${later}`;
    default:
      return `${what} was approved, but how the transfer stands is not known. ${later}`;
  }
}

function since(settlement: ApiPayment['settlement']): string {
  return settlement?.reversedAt ? ` at ${settlement.reversedAt}` : '';
}

export const WOULD: Readonly<Record<string, string>> = {
  approved: 'would pass now',
  pending: 'would pass, and then wait for a person to approve it',
};

type Structured = Record<string, unknown>;

interface Presented {
  readonly told?: string;
  readonly structured: Structured;
}

/** Never throws. */
export async function ask(
  api: WalletApi,
  request: ApiRequest,
  present: (body: unknown, answer: ApiAnswer) => Presented | Promise<Presented>,
): Promise<CallToolResult> {
  const pays = request.headers?.['idempotency-key'] !== undefined;
  let answer: ApiAnswer;
  try {
    answer = await api(request);
  } catch {
    return failure(outcomeLost(pays));
  }
  if (answer.status < 200 || answer.status > 299) return failure(toolError(answer, pays));
  try {
    const { told, structured } = await present(answer.body, answer);
    return { content: content(told, structured), structuredContent: structured };
  } catch {
    // A proxy may have answered.
    return failure(outcomeLost(pays));
  }
}

/** Not a protocol error: the model can act on it. */
function failure(error: ToolError): CallToolResult {
  const told = [`${error.code}: ${error.message}`, error.hint, error.next].filter(Boolean).join(' ');
  return { isError: true, content: content(told, { error }), structuredContent: { error } };
}

function content(told: string | undefined, structured: Structured): CallToolResult['content'] {
  const texts = [...(told ? [told] : []), JSON.stringify(structured)];
  return texts.map((text) => ({ type: 'text', text }));
}
