import { type Client } from './openapi-fetch.js';
import { type RetryOptions } from './retry.js';
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
    readonly approval: {
        readonly id: string;
        readonly expiresAt: string;
    } | null;
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
/**
 * Pays from one wallet, under its API key. Each method answers what the service says, and throws a `WalletError` for
 * everything else. What is safe to repeat is repeated when no answer comes or the service is away for a moment.
 */
export declare class WalletClient {
    /** Every route that the key opens, typed from the OpenAPI document; with the same retries, and no errors thrown. */
    readonly api: Client<paths>;
    constructor({ apiKey, baseUrl, retry, fetch: send }: ClientOptions);
    /**
     * Pays. A repetition pays nothing more, and answers how the payment stands now: see `replayed` and `status`. Every
     * error has the payment's `idempotencyKey`. Throws {@link PaymentBlockedError} when a rule of the wallet blocked it, `PossibleDuplicateError`,
     * `ValidationError`, `AuthenticationError`, `IdempotencyKeyReusedError`, `UnavailableError` (nothing was carried out)
     * and `OutcomeUnknownError`, after which the same call with the same key is safe and finds out; aborted, it is a
     * {@link PaymentAbortedError}.
     */
    pay(intent: PaymentIntent, { idempotencyKey, signal }?: PayOptions): Promise<Payment>;
    /** A payment that was made before, as it stands now; null when the service does not say in time. */
    private readNow;
    /** What {@link pay} would decide now, by the same checks. Nothing is stored, held or moved. */
    quote(intent: PaymentIntent): Promise<Quote>;
    /** The wallet of the key: balance, limits and what they leave. */
    getWallet(): Promise<Wallet>;
    /** One attempt to pay, with how far its transfer is. Throws `NotFoundError`. */
    getPayment(id: string): Promise<PaymentRecord>;
    /** One page of the wallet's attempts, newest first. */
    listPayments(filter?: PaymentFilter): Promise<PaymentPage>;
    /** The name that the bank has for an account. Throws `NotFoundError` when it knows none. */
    resolveAccount(account: Schemas['ResolveRequest']): Promise<string>;
    /** The banks that can be paid to. */
    listBanks(): Promise<readonly Bank[]>;
    /**
     * Waits until a person has decided on a pending payment. Answers it once it is approved; throws
     * {@link PaymentBlockedError} (`APPROVAL_DENIED`, `APPROVAL_EXPIRED`) and {@link ApprovalTimeoutError}.
     */
    waitForApproval(payment: string | {
        readonly id: string;
    }, { timeoutMs, pollMsMax, signal }?: WaitOptions): Promise<PaymentRecord>;
    /** Throws {@link ApprovalTimeoutError} when no answer has come by `giveUpAt`, or two seconds from now where that is later. */
    private lookBy;
    private look;
}
