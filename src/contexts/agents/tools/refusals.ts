import type { ApiAnswer } from './wallet-api.js';
import { money } from './naira.js';
import type { ToolError } from './schemas.js';

const SAME_ID =
  'Call make_payment again with the same purchaseId and the same arguments: it can not pay twice.';
const STAYS = 'This attempt moved no money and stays blocked: for another attempt use a new purchaseId.';
const NEW_ATTEMPT = `${STAYS} Do not split one purchase into parts to get under a limit.`;
const OWNER = "Only the wallet's owner can change that: tell them, and do not retry.";
const OWNER_FIRST = `Only the wallet's owner can change that: tell them, and do not retry before they did. ${STAYS}`;

export const NEXT: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: 'Correct the arguments that are named and call again.',
  INVALID_API_KEY: `This key is revoked, expired or unknown. ${OWNER}`,
  WALLET_INACTIVE: OWNER_FIRST,
  WALLET_EXPIRED: OWNER_FIRST,
  WALLET_CLOSED: OWNER,
  SPEND_LIMIT_PER_TX_EXCEEDED: NEW_ATTEMPT,
  SPEND_LIMIT_PER_PERIOD_EXCEEDED: `Pay less, or wait until the window has moved on. ${NEW_ATTEMPT}`,
  MERCHANT_NOT_ALLOWED: `Pay a merchant of the allowlist (get_wallet shows it). ${OWNER_FIRST}`,
  INSUFFICIENT_FUNDS: `Pay less, or ask the owner to transfer money to the wallet. ${NEW_ATTEMPT}`,
  KEY_LIMIT_EXCEEDED: `This key has limits of its own. ${NEW_ATTEMPT}`,
  PAYEE_NOT_ALLOWED: `The account is not one that this merchant may be paid at. ${OWNER_FIRST}`,
  COOLING_OFF: `A new key or a new payee may take little money at first. ${NEW_ATTEMPT}`,
  POSSIBLE_DUPLICATE:
    'The same amount went to the same account a moment ago, or waits for approval: get_payment with ' +
    'details.duplicateOf shows it. If this was a retry, you are done. Only if a second payment is really wanted, call again with ' +
    'a new purchaseId and with confirmSecondPurchase set to that id.',
  APPROVAL_LIMIT_REACHED:
    'Too many payments of this wallet wait for its owner: tell them to decide. A smaller payment may need no approval: ' +
    `see the hint. ${NEW_ATTEMPT}`,
  APPROVAL_DENIED:
    'The owner denied the payment. Do not retry unless they ask for it, and then with a new purchaseId.',
  APPROVAL_EXPIRED: `No decision was made in time. ${NEW_ATTEMPT}`,
  IDEMPOTENCY_KEY_REUSED:
    'This purchaseId belongs to another payment; nothing was carried out now. get_payment with transactionId shows ' +
    'it. If the purchase is the same, follow that payment and do not pay again: one thing bought has one purchaseId.',
  TRANSACTION_NOT_FOUND: 'No attempt of this wallet has this id: list_payments shows the ids there are.',
  ACCOUNT_NOT_FOUND: 'Ask for the account number and the bank again; do not pay to this account.',
  OUTCOME_UNKNOWN: `Whether it was paid is not known. ${SAME_ID}`,
  INTERNAL_ERROR: `Whether it was done is not known. ${SAME_ID}`,
};
const REPEATED = `This is the first answer to this purchaseId again; the hint says what would pass now. ${STAYS}`;
/** Never tried again just because they would pass now. */
const SAME_WHEN_REPEATED: ReadonlySet<string> = new Set(['POSSIBLE_DUPLICATE', 'APPROVAL_DENIED']);
const LATER = `Nothing is wrong with the call. Wait, then call again. ${SAME_ID}`;
const READ_AGAIN = 'Nothing was changed. Wait, then call the same tool again with the same arguments.';

/** Only a payment leaves doubt. A refused attempt stays blocked. */
function nextAfter(code: string, isTransient: boolean, pays: boolean, isAttempt = false): string {
  if (isTransient && !pays) return READ_AGAIN;
  return NEXT[code] ?? (isTransient ? LATER : isAttempt ? NEW_ATTEMPT : 'Correct the call.');
}

interface Refusal {
  readonly code?: string;
  readonly message?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly transactionId?: string;
  readonly replayed?: boolean;
  readonly details?: Readonly<Record<string, string | number>>;
  readonly hint?: string | null;
  readonly maxAmountNow?: number | null;
  readonly earliestPassAt?: string | null;
}

export function toolError({ status, body, header }: ApiAnswer, pays: boolean): ToolError {
  const { error, ...bare } = (body ?? {}) as Refusal & { readonly error?: Refusal };
  const refusal: Refusal = error ?? bare;
  // A 408 without our envelope is a proxy's.
  const isLate = status === 408 || status >= 500;
  const code = refusal.code ?? (isLate ? 'INTERNAL_ERROR' : 'BAD_REQUEST');
  const isTransient = isLate || status === 429;
  const isRepeated = refusal.replayed === true;
  const isAttempt = refusal.transactionId !== undefined;
  const seconds = Number(header('retry-after'));
  return {
    code,
    message: refusal.message ?? `The service answered ${status}.`,
    next:
      isRepeated && !SAME_WHEN_REPEATED.has(code) ? REPEATED : nextAfter(code, isTransient, pays, isAttempt),
    ...(isRepeated && { replayed: true as const }),
    ...(refusal.hint && { hint: refusal.hint }),
    ...(typeof refusal.maxAmountNow === 'number' && { maxAmountNow: money(refusal.maxAmountNow) }),
    ...(refusal.earliestPassAt && { earliestPassAt: refusal.earliestPassAt }),
    ...(refusal.transactionId && { transactionId: refusal.transactionId }),
    ...(refusal.details && { details: refusal.details }),
    ...(Number.isSafeInteger(seconds) && seconds > 0 && { retryAfterSeconds: seconds }),
    ...(refusal.errors && {
      errors: refusal.errors.map(({ field, message }) => ({
        field: field === 'Idempotency-Key' ? 'purchaseId' : field,
        message,
      })),
    }),
  };
}

/** No answer: repeat with the same purchaseId. */
export function outcomeLost(pays: boolean): ToolError {
  const code = 'OUTCOME_UNKNOWN';
  return { code, message: 'The answer of the service was lost.', next: nextAfter(code, true, pays) };
}
