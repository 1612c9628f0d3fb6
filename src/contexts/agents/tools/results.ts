import type { CallToolResult } from '@modelcontextprotocol/server';
import { money, naira } from './naira.js';
import { OUTCOME_LOST, toolError } from './refusals.js';
import type { Payment, ToolError } from './schemas.js';
import type { ApiAnswer, ApiRequest, WalletApi } from './wallet-api.js';

/** An attempt to pay in an answer of the HTTP API. */
export interface ApiPayment {
  readonly id: string;
  readonly decision: string;
  readonly amount: number;
  readonly merchantName: string;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
  readonly reason: string | null;
  readonly blockReason: string | null;
  readonly createdAt: string;
  readonly settlement?: { readonly reference: string; readonly status: string } | null;
  readonly approval?: { readonly id: string; readonly expiresAt: string } | null;
}

/** The attempt as tools answer it: members that a tool does not promise are left out. */
export function presentPayment(payment: ApiPayment): Payment {
  const { settlement, approval } = payment;
  return {
    id: payment.id,
    decision: payment.decision,
    amount: money(payment.amount),
    merchantName: payment.merchantName,
    recipientAccountNo: payment.recipientAccountNo,
    recipientBankCode: payment.recipientBankCode,
    reason: payment.reason,
    blockReason: payment.blockReason,
    createdAt: payment.createdAt,
    settlement: settlement ? { reference: settlement.reference, status: settlement.status } : null,
    approval: approval ? { id: approval.id, expiresAt: approval.expiresAt } : null,
  };
}

/** The attempt in a sentence or two, and what to do next where it is not over. */
export function tellPayment(payment: ApiPayment): string {
  const { id, decision, amount, merchantName, blockReason, approval } = payment;
  const what = `${naira(amount)} to ${merchantName}`;
  if (decision === 'approved') return `Paid ${what}.`;
  if (decision === 'pending') {
    const until = approval ? ` until ${approval.expiresAt} (approval ${approval.id})` : '';
    return (
      `${what} waits for a person to approve it${until}. Nothing has moved yet. Call get_payment with paymentId ${id} ` +
      'later to see how it went; do not pay it again.'
    );
  }
  return `Not paid: ${what} was blocked (${blockReason ?? 'no reason given'}).`;
}

/** What is told of a quote, by its decision. */
export const WOULD: Readonly<Record<string, string>> = {
  approved: 'would pass now',
  pending: 'would pass, and then wait for a person to approve it',
};

type Structured = Record<string, unknown>;

/** Asks the HTTP API and answers what `present` makes of its success, or else why it failed. Throws nothing. */
export async function ask(
  api: WalletApi,
  request: ApiRequest,
  present: (body: unknown, answer: ApiAnswer) => { readonly told?: string; readonly structured: Structured },
): Promise<CallToolResult> {
  let answer: ApiAnswer;
  try {
    answer = await api(request);
  } catch {
    return failure(OUTCOME_LOST);
  }
  if (answer.status < 200 || answer.status > 299) return failure(toolError(answer));
  const { told, structured } = present(answer.body, answer);
  return { content: content(told, structured), structuredContent: structured };
}

/** A failure is a result that the model reads and can act on, not an error of the protocol. */
function failure(error: ToolError): CallToolResult {
  const told = [`${error.code}: ${error.message}`, error.hint, error.next].filter(Boolean).join(' ');
  return { isError: true, content: content(told, { error }), structuredContent: { error } };
}

/** A sentence, then the structured content as text, for clients that show their model nothing else. */
function content(told: string | undefined, structured: Structured): CallToolResult['content'] {
  const texts = [...(told ? [told] : []), JSON.stringify(structured)];
  return texts.map((text) => ({ type: 'text', text }));
}
