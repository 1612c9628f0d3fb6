import createClient, { type Client } from 'openapi-fetch';
import { answered } from './answers.js';
import {
  ApprovalTimeoutError,
  PaymentAbortedError,
  PaymentBlockedError,
  UnavailableError,
  ValidationError,
} from './errors.js';
import { pause, retryingFetch, type RetryOptions, within } from './retry.js';
import type { components, operations, paths } from './schema.js';

export * from './errors.js';
export type { RetryOptions } from './retry.js';
export type { paths } from './schema.js';

type Schemas = components['schemas'];

/** Payment to make; `amount` in kobo. */
export type PaymentIntent = Schemas['PaymentIntentRequest'];
/** Decision that a payment would get now, and what would pass. */
export type Quote = Schemas['QuoteResponse']['data'];
export type Wallet = Schemas['OwnWalletResponse']['data'];
export type Bank = Schemas['PayableBankResponse'];
/** Payment attempt with its checks and settlement. */
export type PaymentRecord = Schemas['TransactionResponse']['data'];
/** Transfer of an approved payment. */
export interface Settlement {
  readonly reference: string;
  readonly status: NonNullable<PaymentRecord['settlement']>['status'] | 'unknown';
  /** Set only if the bank sent the money back. */
  readonly reversedAt?: string;
  /** Set only if the bank sent the money back: time of the refund, null while operators resolve it. */
  readonly refundedAt?: string | null;
}
/** Newest first. */
export type PaymentPage = Schemas['TransactionsResponse'];
export type PaymentFilter = NonNullable<operations['listPayments']['parameters']['query']>;

/** Payment that no rule blocked, in its present state. */
export interface Payment {
  readonly id: string;
  /**
   * `processing`: on its way. `paid`, `failed` (refunded), `returned` (sent back by the bank after it was paid) or
   * `awaiting_approval`. `unknown`: made by an earlier request, and its state could not be read.
   */
  readonly status: PaymentRecord['status'] | 'unknown';
  /** `pending`: a person has to approve it; see {@link WalletClient.waitForApproval}. */
  readonly decision: 'approved' | 'pending';
  /** In kobo. */
  readonly amount: number;
  readonly merchantName: string;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
  readonly reason: string | null;
  readonly createdAt: string;
  /** Null while the payment is pending. */
  readonly settlement: Settlement | null;
  /** Set while the payment is pending: deadline of the decision. */
  readonly approval: { readonly id: string; readonly expiresAt: string } | null;
  /** True if an earlier request with this key made the payment; this one paid nothing more. */
  readonly replayed: boolean;
  readonly idempotencyKey: string;
}

export interface ClientOptions {
  /** `apw_live_…`. */
  readonly apiKey: string;
  /** For example `https://pay.example.ng`. */
  readonly baseUrl: string;
  readonly retry?: RetryOptions;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface PayOptions {
  /**
   * One per purchase, kept on every retry: the payment is made at most once. Use one that survives a crash, such as
   * an order id. The default is random: only retries within this call are safe.
   */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface WaitOptions {
  /** Milliseconds; default one hour. The last poll gets at least two seconds. */
  readonly timeoutMs?: number;
  /** Longest pause between polls in milliseconds; default 10,000. */
  readonly pollMsMax?: number;
  readonly signal?: AbortSignal;
}

const HOUR_MS = 3_600_000;
const FIRST_POLL_MS = 500;
const LAST_POLL_MS_MIN = 2_000;
/** Bound on reading the state of a replayed payment. */
const READ_MS_MAX = 5_000;

/**
 * Pays from one wallet with its API key. Each method returns the service's answer or throws a `WalletError`. Safe
 * requests are retried when no answer comes or the service is unavailable.
 */
export class WalletClient {
  /**
   * All routes open to the key, typed from the OpenAPI document; with the same retries, without thrown errors.
   */
  readonly api: Client<paths>;

  constructor({ apiKey, baseUrl, retry = {}, fetch: send = fetch }: ClientOptions) {
    // Rejects unusable options now, rather than as a missing answer later.
    new Request(baseUrl, { headers: { 'x-api-key': apiKey } });
    const world = { fetch: send, pause, random: Math.random };
    this.api = createClient<paths>({
      baseUrl,
      headers: { 'x-api-key': apiKey },
      // The key is for this address only, and a redirected POST may become a GET.
      redirect: 'manual',
      fetch: retryingFetch(retry, world),
    });
  }

  /**
   * Pays. A retry pays nothing more, and returns the present state: see `replayed` and `status`. Every error has the
   * payment's `idempotencyKey`. Throws {@link PaymentBlockedError} when a rule blocked it, `PossibleDuplicateError`,
   * `ValidationError`, `AuthenticationError`, `IdempotencyKeyReusedError`, `UnavailableError` (nothing was carried
   * out), {@link PaymentAbortedError}, and `OutcomeUnknownError`, after which the same call with the same key is safe
   * and finds out.
   */
  async pay(
    intent: PaymentIntent,
    { idempotencyKey = crypto.randomUUID(), signal }: PayOptions = {},
  ): Promise<Payment> {
    if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) throw unusableKey(idempotencyKey);
    const answer = await answered(
      this.api.POST('/api/payment-intent', {
        body: intent,
        params: { header: { 'Idempotency-Key': idempotencyKey } },
        ...(signal && { signal }),
      }),
      ({ data }) => (data.transaction.id ? (data as PayData) : undefined),
      idempotencyKey,
    );
    const { transaction, settlement, approval } = answer.found;
    const replayed = answer.response.headers.get('idempotency-replayed') === 'true';
    const now = replayed ? await this.readNow(transaction.id, idempotencyKey, signal) : null;
    if (now && now.decision === 'blocked') throw blocked(now, idempotencyKey);
    // The bank gets it after the commit.
    const transfer = replayed ? 'unknown' : 'processing';
    return {
      id: transaction.id,
      decision: (now?.decision ?? transaction.decision) as Payment['decision'],
      status: now?.status ?? (transaction.decision === 'pending' ? 'awaiting_approval' : transfer),
      amount: transaction.amount,
      merchantName: transaction.merchantName,
      recipientAccountNo: transaction.recipientAccountNo,
      recipientBankCode: transaction.recipientBankCode,
      reason: transaction.reason,
      createdAt: transaction.createdAt,
      settlement: now ? now.settlement : settlement ? { ...settlement, status: transfer } : null,
      approval: (now ? now.approval : approval) ?? null,
      replayed,
      idempotencyKey,
    };
  }

  /** State of an earlier payment; null if the service does not answer in time. */
  private async readNow(
    id: string,
    key: string,
    signal = new AbortController().signal,
  ): Promise<PaymentRecord | null> {
    try {
      return await within(READ_MS_MAX, signal, (inTime) => this.readPayment(id, inTime));
    } catch (error) {
      if (signal.aborted && error instanceof Error && error.name === 'AbortError') {
        throw new PaymentAbortedError(error, key);
      }
      return null;
    }
  }

  /** Returns what {@link pay} would decide now. Nothing is stored, held or moved. */
  async quote(intent: PaymentIntent): Promise<Quote> {
    const request = this.api.POST('/api/payment-intent/quote', { body: intent });
    return (await answered(request, ({ data }) => data)).found;
  }

  /** Balance, limits and what they leave. */
  async getWallet(): Promise<Wallet> {
    return (await answered(this.api.GET('/api/wallet'), ({ data }) => data)).found;
  }

  /** Payment attempt with the state of its transfer. Throws `NotFoundError`. */
  async getPayment(id: string): Promise<PaymentRecord> {
    return this.readPayment(id);
  }

  /** Newest first. */
  async listPayments(filter: PaymentFilter = {}): Promise<PaymentPage> {
    const request = this.api.GET('/api/payment-intent', { params: { query: filter } });
    return (await answered(request, (page) => (Array.isArray(page.data) ? page : undefined))).found;
  }

  /** Name that the bank has for an account. Throws `NotFoundError`. */
  async resolveAccount(account: Schemas['ResolveRequest']): Promise<string> {
    const request = this.api.POST('/v1/accounts/resolve', { body: account });
    return (await answered(request, ({ accountName }) => accountName)).found;
  }

  /** Banks that can be paid to. */
  async listBanks(): Promise<readonly Bank[]> {
    const request = this.api.GET('/v1/banks');
    return (await answered(request, (banks) => (Array.isArray(banks) ? banks : undefined))).found;
  }

  /**
   * Waits for the decision on a pending payment and returns it once approved. Throws {@link PaymentBlockedError}
   * (`APPROVAL_DENIED`, `APPROVAL_EXPIRED`) and {@link ApprovalTimeoutError}.
   */
  async waitForApproval(
    payment: string | { readonly id: string },
    { timeoutMs = HOUR_MS, pollMsMax = 10_000, signal = new AbortController().signal }: WaitOptions = {},
  ): Promise<PaymentRecord> {
    const id = typeof payment === 'string' ? payment : payment.id;
    const giveUpAt = Date.now() + timeoutMs;
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, pollMsMax)) {
      signal.throwIfAborted();
      const record = await this.readPaymentBy(giveUpAt, id, signal);
      const decision: string = record.decision;
      if (decision === 'approved') return record;
      if (decision !== 'pending') throw blocked(record);
      const left = giveUpAt - Date.now();
      if (left <= 0) throw new ApprovalTimeoutError(id);
      await pause(Math.min(pauseMs, left), signal);
    }
  }

  /**
   * Throws {@link ApprovalTimeoutError} without an answer by `giveUpAt`, or within two seconds if that is later.
   */
  private async readPaymentBy(giveUpAt: number, id: string, signal: AbortSignal): Promise<PaymentRecord> {
    const ms = Math.max(giveUpAt - Date.now(), LAST_POLL_MS_MIN);
    return within(ms, signal, async (inTime) => {
      try {
        return await this.readPayment(id, inTime);
      } catch (error) {
        if (inTime.aborted && error instanceof UnavailableError) throw new ApprovalTimeoutError(id);
        throw error;
      }
    });
  }

  private async readPayment(id: string, signal?: AbortSignal): Promise<PaymentRecord> {
    const request = this.api.GET('/api/payment-intent/{transactionId}', {
      params: { path: { transactionId: id } },
      ...(signal && { signal }),
    });
    return (await answered(request, ({ data }) => (data.id ? data : undefined))).found;
  }
}

/** Data of a pay response, approved or pending. */
interface PayData {
  readonly transaction: Omit<Payment, 'status' | 'settlement' | 'approval' | 'replayed' | 'idempotencyKey'>;
  readonly settlement?: { readonly reference: string } | null;
  readonly approval?: Payment['approval'];
}

/** Checked here, since some of these keys fit in no header and would never reach the service. */
function unusableKey(idempotencyKey: string): ValidationError {
  const message = 'must be 1 to 255 visible ASCII characters';
  return new ValidationError(
    { status: 0, code: 'VALIDATION_ERROR', message: `Idempotency-Key: ${message}`, idempotencyKey },
    [{ field: 'Idempotency-Key', message }],
  );
}

function blocked(
  { id, blockReason }: PaymentRecord,
  idempotencyKey: string | null = null,
): PaymentBlockedError {
  const code = blockReason ?? 'BLOCKED';
  return new PaymentBlockedError(
    { status: 200, code, message: `The payment ${id} was not approved (${code}).`, idempotencyKey },
    { transactionId: id, replayed: idempotencyKey !== null },
  );
}
