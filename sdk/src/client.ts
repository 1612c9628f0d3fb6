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

/** What is to be paid, and to whom. `amount` is in kobo. */
export type PaymentIntent = Schemas['PaymentIntentRequest'];
/** What a payment would be now, and what would pass. */
export type Quote = Schemas['QuoteResponse']['data'];
/** The wallet of the key. */
export type Wallet = Schemas['OwnWalletResponse']['data'];
/** A bank that can be paid to. */
export type Bank = Schemas['PayableBank'];
/** An attempt to pay, with its checks and its settlement. */
export type PaymentRecord = Schemas['TransactionResponse']['data'];
/** How the transfer of an approved payment stands. */
export interface Settlement {
  readonly reference: string;
  readonly status: NonNullable<PaymentRecord['settlement']>['status'] | 'unknown';
  /** Set only if the bank sent the money back: when the wallet was refunded; null while it was not. */
  readonly refundedAt?: string | null;
}
/** A page of attempts, newest first. */
export type PaymentPage = Schemas['TransactionPage'];
/** Which attempts to list. */
export type PaymentFilter = NonNullable<operations['listPayments']['parameters']['query']>;

/** A payment that no rule blocked, as it stands now: one that was repeated may have ended since it was made. */
export interface Payment {
  readonly id: string;
  /**
   * `processing`: on its way to the bank. `paid`, `failed` (refunded), `returned` (sent back by the bank after it was
   * paid) or `awaiting_approval`. `unknown`: it was made by an earlier request, and how it stands could not be read.
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
  /** The transfer, under the reference that the bank is told; null while the payment is pending. */
  readonly settlement: Settlement | null;
  /** Of a pending payment: until when a person can decide. */
  readonly approval: { readonly id: string; readonly expiresAt: string } | null;
  /** Whether an earlier request with this key made the payment; this one paid nothing more. */
  readonly replayed: boolean;
  readonly idempotencyKey: string;
}

export interface ClientOptions {
  /** The wallet's API key, `apw_live_…`. */
  readonly apiKey: string;
  /** Where the service is, e.g. `https://pay.example.ng`. */
  readonly baseUrl: string;
  readonly retry?: RetryOptions;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface PayOptions {
  /**
   * One per thing bought, kept over every repetition: the payment is made at most once under it. Give one that your
   * program still knows after a crash, such as the id of an order. A random one when left out: then only the
   * repetitions within this call are safe.
   */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface WaitOptions {
  /** How long to wait, in milliseconds; an hour unless told. The last look is given two seconds at least. */
  readonly timeoutMs?: number;
  /** The longest pause between two looks, in milliseconds; 10,000 unless told. */
  readonly pollMsMax?: number;
  readonly signal?: AbortSignal;
}

const HOUR_MS = 3_600_000;
const FIRST_POLL_MS = 500;
const LAST_LOOK_MS = 2_000;
/** How long a repeated payment waits to hear how it stands. */
const READ_MS_MAX = 5_000;

/**
 * Pays from one wallet, under its API key. Each method answers what the service says, and throws a `WalletError` for
 * everything else. What is safe to repeat is repeated when no answer comes or the service is away for a moment.
 */
export class WalletClient {
  /** Every route that the key opens, typed from the OpenAPI document; with the same retries, and no errors thrown. */
  readonly api: Client<paths>;

  constructor({ apiKey, baseUrl, retry = {}, fetch: send = fetch }: ClientOptions) {
    // What can not be sent is refused here: later it would be an answer that never came.
    new Request(baseUrl, { headers: { 'x-api-key': apiKey } });
    const world = { fetch: send, pause, random: Math.random };
    this.api = createClient<paths>({
      baseUrl,
      headers: { 'x-api-key': apiKey },
      // The key is for this address alone, and a POST that is followed elsewhere may become a GET.
      redirect: 'manual',
      fetch: retryingFetch(retry, world),
    });
  }

  /**
   * Pays. A repetition pays nothing more, and answers how the payment stands now: see `replayed` and `status`. Every
   * error has the payment's `idempotencyKey`. Throws {@link PaymentBlockedError} when a rule of the wallet blocked it, `PossibleDuplicateError`,
   * `ValidationError`, `AuthenticationError`, `IdempotencyKeyReusedError`, `UnavailableError` (nothing was carried out)
   * and `OutcomeUnknownError`, after which the same call with the same key is safe and finds out; aborted, it is a
   * {@link PaymentAbortedError}.
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
    // The bank is told after the commit: until then the transfer is on its way.
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

  /** A payment that was made before, as it stands now; null when the service does not say in time. */
  private async readNow(
    id: string,
    key: string,
    signal = new AbortController().signal,
  ): Promise<PaymentRecord | null> {
    try {
      return await within(READ_MS_MAX, signal, (inTime) => this.look(id, inTime));
    } catch (error) {
      if (signal.aborted && error instanceof Error && error.name === 'AbortError') {
        throw new PaymentAbortedError(error, key);
      }
      return null;
    }
  }

  /** What {@link pay} would decide now, by the same checks. Nothing is stored, held or moved. */
  async quote(intent: PaymentIntent): Promise<Quote> {
    const request = this.api.POST('/api/payment-intent/quote', { body: intent });
    return (await answered(request, ({ data }) => data)).found;
  }

  /** The wallet of the key: balance, limits and what they leave. */
  async getWallet(): Promise<Wallet> {
    return (await answered(this.api.GET('/api/wallet'), ({ data }) => data)).found;
  }

  /** One attempt to pay, with how far its transfer is. Throws `NotFoundError`. */
  async getPayment(id: string): Promise<PaymentRecord> {
    return this.look(id);
  }

  /** One page of the wallet's attempts, newest first. */
  async listPayments(filter: PaymentFilter = {}): Promise<PaymentPage> {
    const request = this.api.GET('/api/payment-intent', { params: { query: filter } });
    return (await answered(request, (page) => (Array.isArray(page.data) ? page : undefined))).found;
  }

  /** The name that the bank has for an account. Throws `NotFoundError` when it knows none. */
  async resolveAccount(account: Schemas['ResolveRequest']): Promise<string> {
    const request = this.api.POST('/v1/accounts/resolve', { body: account });
    return (await answered(request, ({ accountName }) => accountName)).found;
  }

  /** The banks that can be paid to. */
  async listBanks(): Promise<readonly Bank[]> {
    const request = this.api.GET('/v1/banks');
    return (await answered(request, (banks) => (Array.isArray(banks) ? banks : undefined))).found;
  }

  /**
   * Waits until a person has decided on a pending payment. Answers it once it is approved; throws
   * {@link PaymentBlockedError} (`APPROVAL_DENIED`, `APPROVAL_EXPIRED`) and {@link ApprovalTimeoutError}.
   */
  async waitForApproval(
    payment: string | { readonly id: string },
    { timeoutMs = HOUR_MS, pollMsMax = 10_000, signal = new AbortController().signal }: WaitOptions = {},
  ): Promise<PaymentRecord> {
    const id = typeof payment === 'string' ? payment : payment.id;
    const giveUpAt = Date.now() + timeoutMs;
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, pollMsMax)) {
      signal.throwIfAborted();
      const record = await this.lookBy(giveUpAt, id, signal);
      const decision: string = record.decision;
      if (decision === 'approved') return record;
      if (decision !== 'pending') throw blocked(record);
      const left = giveUpAt - Date.now();
      if (left <= 0) throw new ApprovalTimeoutError(id);
      await pause(Math.min(pauseMs, left), signal);
    }
  }

  /** Throws {@link ApprovalTimeoutError} when no answer has come by `giveUpAt`, or two seconds from now where that is later. */
  private async lookBy(giveUpAt: number, id: string, signal: AbortSignal): Promise<PaymentRecord> {
    const ms = Math.max(giveUpAt - Date.now(), LAST_LOOK_MS);
    return within(ms, signal, async (inTime) => {
      try {
        return await this.look(id, inTime);
      } catch (error) {
        if (inTime.aborted && error instanceof UnavailableError) throw new ApprovalTimeoutError(id);
        throw error;
      }
    });
  }

  private async look(id: string, signal?: AbortSignal): Promise<PaymentRecord> {
    const request = this.api.GET('/api/payment-intent/{transactionId}', {
      params: { path: { transactionId: id } },
      ...(signal && { signal }),
    });
    return (await answered(request, ({ data }) => (data.id ? data : undefined))).found;
  }
}

/** A payment in the answers of the payment intent, approved at once or waiting for a person. */
interface PayData {
  readonly transaction: Omit<Payment, 'status' | 'settlement' | 'approval' | 'replayed' | 'idempotencyKey'>;
  readonly settlement?: { readonly reference: string } | null;
  readonly approval?: Payment['approval'];
}

/** As the service would say: some of these keys no header takes, so that they would never reach it. */
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
