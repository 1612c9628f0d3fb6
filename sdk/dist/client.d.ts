import { type Client } from './openapi-fetch.js';
import { type RetryOptions } from './retry.js';
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
    readonly approval: {
        readonly id: string;
        readonly expiresAt: string;
    } | null;
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
/**
 * Pays from one wallet with its API key. Each method returns the service's answer or throws a `WalletError`. Safe
 * requests are retried when no answer comes or the service is unavailable.
 */
export declare class WalletClient {
    /**
     * All routes open to the key, typed from the OpenAPI document; with the same retries, without thrown errors.
     */
    readonly api: Client<paths>;
    constructor({ apiKey, baseUrl, retry, fetch: send }: ClientOptions);
    /**
     * Pays. A retry pays nothing more, and returns the present state: see `replayed` and `status`. Every error has the
     * payment's `idempotencyKey`. Throws {@link PaymentBlockedError} when a rule blocked it, `PossibleDuplicateError`,
     * `ValidationError`, `AuthenticationError`, `IdempotencyKeyReusedError`, `UnavailableError` (nothing was carried
     * out), {@link PaymentAbortedError}, and `OutcomeUnknownError`, after which the same call with the same key is safe
     * and finds out.
     */
    pay(intent: PaymentIntent, { idempotencyKey, signal }?: PayOptions): Promise<Payment>;
    /** State of an earlier payment; null if the service does not answer in time. */
    private readNow;
    /** Returns what {@link pay} would decide now. Nothing is stored, held or moved. */
    quote(intent: PaymentIntent): Promise<Quote>;
    /** Balance, limits and what they leave. */
    getWallet(): Promise<Wallet>;
    /** Payment attempt with the state of its transfer. Throws `NotFoundError`. */
    getPayment(id: string): Promise<PaymentRecord>;
    /** Newest first. */
    listPayments(filter?: PaymentFilter): Promise<PaymentPage>;
    /** Name that the bank has for an account. Throws `NotFoundError`. */
    resolveAccount(account: Schemas['ResolveRequest']): Promise<string>;
    /** Banks that can be paid to. */
    listBanks(): Promise<readonly Bank[]>;
    /**
     * Waits for the decision on a pending payment and returns it once approved. Throws {@link PaymentBlockedError}
     * (`APPROVAL_DENIED`, `APPROVAL_EXPIRED`) and {@link ApprovalTimeoutError}.
     */
    waitForApproval(payment: string | {
        readonly id: string;
    }, { timeoutMs, pollMsMax, signal }?: WaitOptions): Promise<PaymentRecord>;
    /**
     * Throws {@link ApprovalTimeoutError} without an answer by `giveUpAt`, or within two seconds if that is later.
     */
    private readPaymentBy;
    private readPayment;
}
