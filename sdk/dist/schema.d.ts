export interface paths {
    "/api/payment-intent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List this wallet's attempts to pay
         * @description Approved and blocked attempts, newest first, as the history shows them. A key with limits sees its own, and those of the keys with limits that it replaced.
         */
        get: operations["listPayments"];
        put?: never;
        /**
         * Pay: six checks approve or block
         * @description Authenticated with the API key of the wallet. The checks run in this order and the first that fails decides: the wallet is active, it is not expired, the amount is within the limit of one payment, it is within what the period leaves, the merchant is on the allowlist (if one is used), the balance suffices. Every attempt is stored. Approved: the wallet is debited and the bank is instructed to pay. Blocked: nothing moves. What the owner asked for beyond these comes after them: limits of the key, the payee, cooling off, approval. Where payments above a threshold wait for approval, one that passes is answered 202: its amount is held until the owner approves it, denies it, or it expires. Poll it, or listen to `approval.decided`.
         */
        post: operations["pay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-intent/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See whether a payment would pass now, and if not, what would
         * @description The same body, the same checks and the same reading as a payment, all of them to the end; nothing is stored, held or moved, and another payment may come first. Always 200: `decision` says what a payment would be.
         */
        post: operations["quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-intent/{transactionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how a payment of this wallet stands
         * @description The attempt as the history shows it, for the agent that made it.
         */
        get: operations["getPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the wallet of the key: its balance, its limits and what they leave
         * @description For the agent that pays from it. Nothing of the owner is shown. Of each limit that the wallet and the key have, the narrower one is shown.
         */
        get: operations["getOwnWallet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/banks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the banks that can be paid to
         * @description With a session token or an API key; a bare array.
         */
        get: operations["listBanks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for the name behind an account
         * @description With a session token or an API key. Recommended before a payment: a completed transfer can not be recalled.
         */
        post: operations["resolveAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/payment-intent/{transactionId}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a signed receipt of an attempt
         * @description With a key of the wallet or a session of its owner. Anyone can check a receipt without asking the service, by the keys of `/.well-known/jwks.json`: it is a JWT signed with EdDSA, which any JOSE library verifies. `node scripts/verify-receipt.mjs receipt.jws jwks.json` does, with a receipt that the dashboard downloaded or with this answer.
         */
        get: operations["getReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "wallet.funded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Money arrived and the wallet was credited.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["WalletFundedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.approved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * All six checks passed: the wallet was debited and the money is on its way.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["PaymentApprovedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.blocked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A check failed: nothing moved.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["PaymentBlockedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.settled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The bank has paid the recipient.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["PaymentSettledEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The bank did not pay the recipient: the money is back in the wallet.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["PaymentRefundedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.returned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The bank sent a payment back after it had paid it. That is being resolved: the wallet is not refunded by this.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["PaymentReturnedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.low_balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The balance fell from at or above the threshold of the wallet to below it.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["WalletLowBalanceEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.limit_warning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Payments reached 80 or 100 % of a limit for a period, or of the total limit of a key: once in its window, and again after a change of the limit.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["WalletLimitWarningEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "wallet.status_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The owner suspended the wallet, let it pay again, or closed it.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["WalletStatusChangedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "approval.requested": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment waits for approval: its amount is held until the owner decides or it expires.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["ApprovalRequestedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "approval.decided": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A payment waits no more: it was `approved`, `denied`, or has `expired`. `payment.approved` or `payment.blocked` is sent too.
         * @description Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by webhook-id. Verify with a Standard Webhooks library before reading the body.
         */
        post: operations["ApprovalDecidedEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        WalletFundedEvent: {
            /**
             * @example wallet.funded
             * @enum {string}
             */
            event: "wallet.funded";
            data: components["schemas"]["WalletFundedEventData"];
        };
        WalletFundedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 5000000 */
            amountCredited: number;
            /** @example 7500000 */
            newBalance: number;
            /** @example NGN */
            currency: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:30:00.000Z
             */
            fundedAt: string;
        };
        PaymentApprovedEvent: {
            /**
             * @example payment.approved
             * @enum {string}
             */
            event: "payment.approved";
            data: components["schemas"]["PaymentApprovedEventData"];
        };
        PaymentApprovedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /** @example jumia */
            merchant: string;
            /** @example Jumia */
            merchantName: string;
            /** @example 0123456789 */
            recipientAccountNo: string;
            /** @example 058 */
            recipientBankCode: string;
            /** @example Office supplies */
            reason: string | null;
            /**
             * Format: uuid
             * @example 019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90
             */
            keyId?: string;
            /** @example apw_live_7Qm2xKd */
            keyPrefix?: string;
            /** @example Shopping agent */
            keyName?: string | null;
            /** @example Supplies for the Lagos office */
            purpose?: string;
            /** @example run-0417 */
            runId?: string;
            /** @example The printer has paper for two days. */
            rationale?: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            approvedAt: string;
        };
        PaymentBlockedEvent: {
            /**
             * @example payment.blocked
             * @enum {string}
             */
            event: "payment.blocked";
            data: components["schemas"]["PaymentBlockedEventData"];
        };
        PaymentBlockedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /** @example jumia */
            merchant: string;
            /** @example Jumia */
            merchantName: string;
            /** @example 0123456789 */
            recipientAccountNo: string;
            /** @example 058 */
            recipientBankCode: string;
            /** @example Office supplies */
            reason: string | null;
            /**
             * Format: uuid
             * @example 019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90
             */
            keyId?: string;
            /** @example apw_live_7Qm2xKd */
            keyPrefix?: string;
            /** @example Shopping agent */
            keyName?: string | null;
            /** @example Supplies for the Lagos office */
            purpose?: string;
            /** @example run-0417 */
            runId?: string;
            /** @example The printer has paper for two days. */
            rationale?: string;
            /** @example MERCHANT_NOT_ALLOWED */
            blockReason: string;
            /** @example The merchant Jumia is not on the allowlist of this wallet. */
            message: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            blockedAt: string;
        };
        PaymentSettledEvent: {
            /**
             * @example payment.settled
             * @enum {string}
             */
            event: "payment.settled";
            data: components["schemas"]["PaymentSettledEventData"];
        };
        PaymentSettledEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:02.000Z
             */
            settledAt: string;
        };
        PaymentRefundedEvent: {
            /**
             * @example payment.refunded
             * @enum {string}
             */
            event: "payment.refunded";
            data: components["schemas"]["PaymentRefundedEventData"];
        };
        PaymentRefundedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amountRefunded: number;
            /** @example 7500000 */
            newBalance: number;
            /** @example NGN */
            currency: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:05.000Z
             */
            refundedAt: string;
        };
        PaymentReturnedEvent: {
            /**
             * @example payment.returned
             * @enum {string}
             */
            event: "payment.returned";
            data: components["schemas"]["PaymentReturnedEventData"];
        };
        PaymentReturnedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /** @example The destination bank sent the money back. */
            reason: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:12:40.000Z
             */
            returnedAt: string;
        };
        WalletLowBalanceEvent: {
            /**
             * @example wallet.low_balance
             * @enum {string}
             */
            event: "wallet.low_balance";
            data: components["schemas"]["WalletLowBalanceEventData"];
        };
        WalletLowBalanceEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 1000000 */
            threshold: number;
            /** @example 900000 */
            newBalance: number;
            /** @example NGN */
            currency: string;
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            reachedAt: string;
        };
        WalletLimitWarningEvent: {
            /**
             * @example wallet.limit_warning
             * @enum {string}
             */
            event: "wallet.limit_warning";
            data: components["schemas"]["WalletLimitWarningEventData"];
        };
        WalletLimitWarningEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90
             */
            keyId: string | null;
            /** @example period */
            budget: string;
            /** @example 80 */
            percent: number;
            /** @example 10000000 */
            limit: number;
            /** @example 8050000 */
            spent: number;
            /** @example NGN */
            currency: string;
            /** @example 7 */
            periodWindowDays: number | null;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            reachedAt: string;
        };
        WalletStatusChangedEvent: {
            /**
             * @example wallet.status_changed
             * @enum {string}
             */
            event: "wallet.status_changed";
            data: components["schemas"]["WalletStatusChangedEventData"];
        };
        WalletStatusChangedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example ACTIVE */
            previousStatus: string;
            /** @example SUSPENDED */
            status: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            changedAt: string;
        };
        ApprovalRequestedEvent: {
            /**
             * @example approval.requested
             * @enum {string}
             */
            event: "approval.requested";
            data: components["schemas"]["ApprovalRequestedEventData"];
        };
        ApprovalRequestedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /** @example jumia */
            merchant: string;
            /** @example Jumia */
            merchantName: string;
            /** @example 0123456789 */
            recipientAccountNo: string;
            /** @example 058 */
            recipientBankCode: string;
            /** @example Office supplies */
            reason: string | null;
            /**
             * Format: uuid
             * @example 019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90
             */
            keyId?: string;
            /** @example apw_live_7Qm2xKd */
            keyPrefix?: string;
            /** @example Shopping agent */
            keyName?: string | null;
            /** @example Supplies for the Lagos office */
            purpose?: string;
            /** @example run-0417 */
            runId?: string;
            /** @example The printer has paper for two days. */
            rationale?: string;
            /**
             * Format: date-time
             * @example 2026-11-21T06:31:00.000Z
             */
            requestedAt: string;
            /**
             * Format: date-time
             * @example 2026-11-22T06:31:00.000Z
             */
            expiresAt: string;
        };
        ApprovalDecidedEvent: {
            /**
             * @example approval.decided
             * @enum {string}
             */
            event: "approval.decided";
            data: components["schemas"]["ApprovalDecidedEventData"];
        };
        ApprovalDecidedEventData: {
            /**
             * Format: uuid
             * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
             */
            transactionId: string;
            /**
             * Format: uuid
             * @example 019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10
             */
            walletId: string;
            /** @example 250000 */
            amount: number;
            /** @example NGN */
            currency: string;
            /** @example jumia */
            merchant: string;
            /** @example Jumia */
            merchantName: string;
            /** @example 0123456789 */
            recipientAccountNo: string;
            /** @example 058 */
            recipientBankCode: string;
            /** @example Office supplies */
            reason: string | null;
            /**
             * Format: uuid
             * @example 019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90
             */
            keyId?: string;
            /** @example apw_live_7Qm2xKd */
            keyPrefix?: string;
            /** @example Shopping agent */
            keyName?: string | null;
            /** @example Supplies for the Lagos office */
            purpose?: string;
            /** @example run-0417 */
            runId?: string;
            /** @example The printer has paper for two days. */
            rationale?: string;
            /** @example approved */
            outcome: string;
            /**
             * Format: uuid
             * @example 019a9f2e-0a00-7f10-9d42-3b1c8e5a7d20
             */
            decidedById: string | null;
            /** @example Agreed with the office manager */
            note: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T07:02:00.000Z
             */
            decidedAt: string;
        };
        PaymentIntentRequest: {
            /**
             * Format: int64
             * @description In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description Compared with the allowlist regardless of case and of spaces around and between words.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description What the payment is for.
             * @example Milk and bread
             */
            reason?: string | null;
            /**
             * @description The run of the agent that the payment belongs to: groups its payments. An API key can require it.
             * @example run-2026-11-28-0417
             */
            runId?: string | null;
            /**
             * @description Why the agent makes this payment, in its own words. An API key can require it.
             * @example Milk is below two litres and the office opens at 8.
             */
            rationale?: string | null;
            /**
             * Format: uuid
             * @description The payment that this one repeats on purpose: the duplicateOf of a POSSIBLE_DUPLICATE.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            confirmSecondPurchase?: string | null;
            /**
             * @description Amounts are in naira; any other currency is refused.
             * @example NGN
             * @enum {string|null}
             */
            currency?: "NGN" | null;
        };
        PaymentResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Payment"];
        };
        Payment: {
            /** @description The payment. The wallet is debited. */
            transaction: components["schemas"]["ApprovedTransaction"];
            /** @description The transfer to the recipient; the history shows its status. */
            settlement: components["schemas"]["SettlementReference"];
        };
        ApprovedTransaction: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description All six checks passed.
             * @example approved
             * @enum {string}
             */
            decision: "approved";
            /**
             * @description Null: nothing blocked it.
             * @example null
             */
            blockReason: null;
        };
        SettlementReference: {
            /**
             * Format: uuid
             * @description The reference of the transfer at the bank.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            reference: string;
        };
        PendingPaymentResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["PendingPayment"];
        };
        PendingPayment: {
            /** @description The payment. Its amount is held, and nothing has moved. */
            transaction: components["schemas"]["PendingTransaction"];
            /** @description What it waits for. */
            approval: components["schemas"]["WaitingFor"];
        };
        PendingTransaction: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description All checks passed; the owner has to approve it.
             * @example pending
             * @enum {string}
             */
            decision: "pending";
            /**
             * @description Null: nothing blocked it.
             * @example null
             */
            blockReason: null;
        };
        WaitingFor: {
            /**
             * Format: uuid
             * @description The approval; also the id of the payment.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: date-time
             * @description When it expires: from then on it can not be approved, and the payment is blocked. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiresAt: string;
        };
        /** @description The envelope of the payment intent. */
        PaymentError: {
            /** @enum {boolean} */
            success: false;
            /** @description For people; programs go by the code. */
            message: string;
            code: components["schemas"]["ErrorCode"];
            /** @description One entry for each failing field. */
            errors?: components["schemas"]["FieldError"][];
            /**
             * Format: uuid
             * @description The stored attempt, when one of the six checks or a rule of the owner blocked it. Of `IDEMPOTENCY_KEY_REUSED`: the attempt that the key was used for.
             */
            transactionId?: string;
            /**
             * @description Only present where an earlier request with this `Idempotency-Key` was blocked: this is its answer, and nothing was decided now.
             * @enum {boolean}
             */
            replayed?: true;
            /** @description Of a rule of the owner: what was compared, such as the limit. */
            details?: {
                [key: string]: string | number;
            };
            /**
             * Format: int64
             * @description Of a blocked attempt: the most, in kobo, that it could be now; 0 when no amount passes. Absent when it could not be determined.
             */
            maxAmountNow?: number;
            /**
             * Format: date-time
             * @description Of a blocked attempt: from then on it passes if nothing else happens. Null when waiting alone does not help, or when a repeated one would pass now; absent when it could not be determined.
             */
            earliestPassAt?: string | null;
            /** @description Of a blocked attempt: what to do instead. Of a repeated one: what would pass now, under a new `Idempotency-Key`. */
            hint?: string;
        };
        /**
         * @description Stable; programs go by it.
         * @enum {string}
         */
        ErrorCode: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | "VALIDATION_ERROR" | "EXPIRY_IN_PAST" | "ALLOWLIST_REQUIRED" | "PERIOD_LIMIT_TOO_LOW" | "UNAUTHORIZED" | "INVALID_CREDENTIALS" | "WRONG_PASSWORD" | "INVALID_RESET_TOKEN" | "TWO_FACTOR_REQUIRED" | "INVALID_TWO_FACTOR_CODE" | "TWO_FACTOR_DEMANDED" | "TWO_FACTOR_ALREADY_ENABLED" | "TWO_FACTOR_NOT_ENABLED" | "INVALID_PASSKEY" | "PUSH_SUBSCRIPTION_NOT_FOUND" | "PASSKEY_NOT_FOUND" | "PASSKEY_LIMIT_REACHED" | "SESSION_NOT_FOUND" | "MAIL_UNAVAILABLE" | "MISSING_API_KEY" | "INVALID_API_KEY" | "INVALID_SIGNATURE" | "FORBIDDEN" | "WALLET_NOT_FOUND" | "USER_NOT_FOUND" | "MEMBER_NOT_FOUND" | "INVITATION_NOT_FOUND" | "ALREADY_MEMBER" | "MEMBER_LIMIT_REACHED" | "LAST_OWNER" | "BUSINESS_REQUIRED" | "ACCOUNT_NOT_EMPTY" | "TRANSACTION_NOT_FOUND" | "NOTE_NOT_FOUND" | "NOTE_LIMIT_REACHED" | "FILE_NOT_FOUND" | "FILE_LIMIT_REACHED" | "FILE_STORAGE_FULL" | "STATEMENT_NOT_FOUND" | "WITHDRAWAL_NOT_FOUND" | "APPROVAL_NOT_FOUND" | "REQUESTER_CANNOT_APPROVE" | "APPROVAL_ALREADY_DECIDED" | "KEY_NOT_FOUND" | "KEY_LIMIT_REACHED" | "PAYEE_NOT_FOUND" | "PAYEE_LIMIT_REACHED" | "WEBHOOK_ENDPOINT_NOT_FOUND" | "WEBHOOK_DELIVERY_NOT_FOUND" | "WEBHOOK_ENDPOINT_DISABLED" | "WEBHOOK_LIMIT_REACHED" | "ACCOUNT_NOT_FOUND" | "BAD_REQUEST" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "EMAIL_ALREADY_REGISTERED" | "WALLET_LIMIT_REACHED" | "OPERATOR_SUBJECT_NOT_FOUND" | "OPERATOR_ACT_REFUSED" | "VERSION_CONFLICT" | "WALLET_CLOSED" | "WALLET_NOT_EMPTY" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "IDEMPOTENCY_KEY_REUSED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN" | "BANK_UNAVAILABLE";
        FieldError: {
            /** @description A dotted path. */
            field: string;
            message: string;
        };
        TransactionsResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            /** @description Newest first. */
            data: components["schemas"]["Transaction"][];
            pagination: components["schemas"]["Pagination"];
        };
        Transaction: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description The identity of the merchant: how names are compared.
             * @example shoprite
             */
            merchant: string;
            /**
             * @description `pending` while it waits for an approval; else final.
             * @example approved
             * @enum {string}
             */
            decision: "approved" | "blocked" | "pending";
            /**
             * @description The check that blocked it; null when approved.
             * @example null
             * @enum {string|null}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /** @description Each step, in order: the checks up to a failing one, then the settlement. */
            auditEvents: components["schemas"]["AuditEventView"][];
            /** @description The transfer to the recipient; null when blocked or pending. */
            settlement: components["schemas"]["SettlementView"] | null;
            /** @description There while it is pending. */
            approval?: components["schemas"]["WaitingFor"];
        };
        AuditEventView: {
            /**
             * @description What happened.
             * @example check.passed
             * @enum {string}
             */
            type: "check.passed" | "check.failed" | "check.warned" | "approval.requested" | "approval.approved" | "approval.denied" | "approval.expired" | "settlement.started" | "settlement.succeeded" | "settlement.failed" | "refund.posted";
            /**
             * Format: date-time
             * @description When. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            at: string;
            /** @description What was compared, or the reason that the bank gave. */
            detail: components["schemas"]["AuditDetail"];
        };
        AuditDetail: {
            /**
             * @description Of a check: the code it blocks with.
             * @example WALLET_INACTIVE
             * @enum {string}
             */
            check?: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
            /**
             * @description Of a check: what it allows, in kobo, as a status or as a time.
             * @example 50000
             */
            limit?: number | string;
            /**
             * @description Of a check: what was found.
             * @example 40000
             */
            actual?: number | string;
            /**
             * Format: uuid
             * @description Of the duplicate-purchase guard: the payment that this one repeats.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            duplicateOf?: string;
            /**
             * @description Of a limit of the key: its name.
             * @example expiry
             * @enum {string}
             */
            keyLimit?: "expiry" | "spendLimitPerTx" | "spendLimitPeriod" | "allowedMerchants" | "payee" | "totalCap" | "maxPayments";
            /**
             * @description Of the check of a payee: what the wallet asks for.
             * @example first_use
             * @enum {string}
             */
            payeePolicy?: "first_use" | "strict" | "warn";
            /**
             * @description Of a cooling-off check: what is new.
             * @example key
             * @enum {string}
             */
            coolingOff?: "key" | "payee" | "key, payee";
            /**
             * Format: date-time
             * @description Of a cooling-off check that failed: when the payment would pass. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            earliestPassAt?: string;
            /**
             * @description Of a failed settlement: the reason that the bank gave.
             * @example the account is closed
             */
            reason?: string;
            /**
             * @deprecated
             * @description Deprecated, removed in the next release: read `reason`.
             * @example the account is closed
             */
            why?: string;
            /**
             * @description Of a settlement that succeeded: the NIP session id, where the bank gave one.
             * @example 000014261121063000123456789012
             */
            sessionId?: string;
            /**
             * @description Of an approval: the note of the owner.
             * @example Agreed with the office manager
             */
            note?: string;
            /**
             * Format: uuid
             * @description Of an approval, to members of the account: the user who decided.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            decidedBy?: string;
            /**
             * Format: int64
             * @description Of a refund: what was given back. In kobo.
             * @example 40000
             */
            amount?: number;
        };
        SettlementView: {
            /**
             * Format: uuid
             * @description The reference of the transfer at the bank.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            reference: string;
            /**
             * @description The status of the transfer. After `failed` the wallet is refunded; after `reversed`, once `refundedAt` is there.
             * @example succeeded
             * @enum {string}
             */
            status: "succeeded" | "pending" | "processing" | "failed" | "reversed";
            /**
             * Format: date-time
             * @description When the bank sent the transfer back. There when it is `reversed`. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            reversedAt?: string;
            /**
             * Format: date-time
             * @description When the wallet got the money back; null while operators of the service resolve that. There when it is `reversed`. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            refundedAt?: string | null;
        };
        Pagination: {
            /**
             * @description The page, from 1.
             * @example 1
             */
            page: number;
            /**
             * @description The most rows a page has.
             * @example 10
             */
            pageSize: number;
            /**
             * @description All rows of the list.
             * @example 2
             */
            totalCount: number;
            /**
             * @description All pages of the list; 0 when it is empty.
             * @example 1
             */
            totalPages: number;
        };
        QuoteResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Quote"];
        };
        Quote: {
            /**
             * @description What would be decided now; `pending`: the payment would wait for approval.
             * @example approved
             * @enum {string}
             */
            decision: "approved" | "blocked" | "pending";
            /**
             * @description The first check that fails; null when all pass.
             * @example null
             * @enum {string|null}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /**
             * @description Why it would be blocked; null when all pass.
             * @example The wallet is not active (SUSPENDED).
             */
            message: string | null;
            /** @description Every check that applies, in order. */
            checks: components["schemas"]["QuotedCheck"][];
            /**
             * Format: date-time
             * @description When the quote was made. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            at: string;
            /**
             * Format: int64
             * @description The balance after the payment; the present balance when it would be blocked. In kobo.
             * @example 65055
             */
            balanceAfter: number;
            /**
             * Format: int64
             * @description The largest amount that would pass now; 0 when none would. In kobo.
             * @example 50000
             */
            maxAmountNow: number;
            /**
             * Format: date-time
             * @description The earliest time at which it would pass if nothing else changes. Null when it passes now, or when waiting alone does not help; absent when it could not be determined. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            earliestPassAt?: string | null;
            /**
             * @description What to do instead, in one sentence; null when it passes now.
             * @example At most ₦3,200.00 now; ₦5,000.00 passes after 14:05 WAT.
             */
            hint: string | null;
        };
        QuotedCheck: {
            /**
             * @description The code that it blocks with.
             * @example WALLET_INACTIVE
             * @enum {string}
             */
            check: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
            /**
             * @description Whether it passes; the checks after the first failure are evaluated too.
             * @example true
             */
            passed: boolean;
            /**
             * @description What was compared: `limit` is what the check allows, `actual` what was found.
             * @example {
             *       "limit": 50000,
             *       "actual": 40000
             *     }
             */
            compared: {
                [key: string]: string | number;
            };
        };
        TransactionResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["TransactionDetails"];
        };
        TransactionDetails: {
            /**
             * Format: uuid
             * @description The attempt; for an approved one also the reference of its settlement.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            walletId: string;
            /**
             * Format: int64
             * @description The amount. In kobo.
             * @example 40000
             */
            amount: number;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            recipientAccountNo: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            recipientBankCode: string;
            /**
             * @description As supplied by the caller, also of a blocked attempt.
             * @example Milk and bread
             */
            reason: string | null;
            /**
             * @description The purpose of the key that was used; only present where its owner gave it one.
             * @example Groceries
             */
            purpose?: string;
            /**
             * @description The run of the agent that it belongs to; only present where it was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description Why the agent made it, in its own words; only present where it was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
            /**
             * Format: date-time
             * @description When it was requested; decided at once, unless it waited for the owner. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            createdAt: string;
            /**
             * @description The identity of the merchant: how names are compared.
             * @example shoprite
             */
            merchant: string;
            /**
             * @description `pending` while it waits for an approval; else final.
             * @example approved
             * @enum {string}
             */
            decision: "approved" | "blocked" | "pending";
            /**
             * @description The check that blocked it; null when approved.
             * @example null
             * @enum {string|null}
             */
            blockReason: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "INSUFFICIENT_FUNDS" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "POSSIBLE_DUPLICATE" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED" | null;
            /** @description Each step, in order: the checks up to a failing one, then the settlement. */
            auditEvents: components["schemas"]["AuditEventView"][];
            /** @description The transfer to the recipient; null when blocked or pending. */
            settlement: components["schemas"]["SettlementView"] | null;
            /** @description There while it is pending. */
            approval?: components["schemas"]["WaitingFor"];
            /**
             * @description The final status. `failed` was refunded; `returned` was sent back by the bank, and is refunded once `settlement.refundedAt` is a time; `denied` was blocked by the owner, `expired` because no decision was made in time.
             * @example paid
             * @enum {string}
             */
            status: "paid" | "processing" | "awaiting_approval" | "failed" | "returned" | "blocked" | "denied" | "expired";
            /** @description The key that asked for it, also where it is dead by now; absent of attempts from before keys were noted. Shown to members alone, never to an agent. */
            key?: components["schemas"]["PayingKey"];
            /**
             * @description The `x-request-id` of the request that asked for it; absent of attempts from before it was noted.
             * @example order-1843
             */
            requestId?: string;
            /**
             * @description What it was for, only present where a member set it.
             * @example Milk for the office
             */
            memo?: string;
            /**
             * @description Its category, only present where a member set it.
             * @example Groceries
             */
            category?: string;
            /**
             * @description Who bears it, only present where a member set it.
             * @example Lagos office
             */
            costCentre?: string;
        };
        PayingKey: {
            /**
             * Format: uuid
             * @description The key.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description Its first 16 characters.
             * @example apw_live_Zm9vYmF
             */
            prefix: string;
            /**
             * @description What its owner calls it now; null: the key that came with the wallet.
             * @example Groceries
             */
            name: string | null;
        };
        OwnWalletResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["OwnWallet"];
        };
        OwnWallet: {
            /**
             * Format: uuid
             * @description The wallet.
             * @example 019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f
             */
            id: string;
            /**
             * @description What the wallet is for.
             * @example Shopping agent
             */
            name: string;
            /**
             * @description The purpose that the owner gave the key; null without one.
             * @example Groceries
             */
            purpose: string | null;
            /**
             * @description Only an active wallet pays.
             * @example ACTIVE
             * @enum {string}
             */
            status: "ACTIVE" | "SUSPENDED" | "CLOSED";
            /**
             * Format: int64
             * @description The money in the wallet, with what payments hold of it that wait for approval. In kobo.
             * @example 105055
             */
            balance: number;
            /**
             * Format: int64
             * @description What of it is not held, and so can be spent. In kobo.
             * @example 105055
             */
            available: number;
            /**
             * Format: int64
             * @description The most one payment may be. In kobo.
             * @example 50000
             */
            spendLimitPerTx: number;
            /**
             * Format: int64
             * @description The most that may be spent within the window. In kobo.
             * @example 120000
             */
            spendLimitPeriod: number;
            /**
             * @description Days of the rolling window, 24 hours each.
             * @example 30
             */
            periodWindowDays: number;
            /**
             * Format: int64
             * @description Approved and not refunded spend of the window. In kobo.
             * @example 40000
             */
            spentThisPeriod: number;
            /**
             * Format: int64
             * @description What the limit of the period still leaves. In kobo.
             * @example 80000
             */
            remainingAllowance: number;
            /**
             * Format: date-time
             * @description From then on every payment is blocked. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            expiry: string;
            /**
             * @description Whether the expiry has passed.
             * @example false
             */
            expired: boolean;
            /**
             * Format: date-time
             * @description When the key itself expires; null: it does not. UTC, ISO 8601.
             * @example 2026-11-21T06:30:00.000Z
             */
            keyExpiresAt: string | null;
            /**
             * @description Whether only the merchants of the allowlist may be paid.
             * @example true
             */
            useAllowlist: boolean;
            /**
             * @description As the owner supplied it; empty when useAllowlist is false.
             * @example [
             *       "Shoprite",
             *       "Jumia"
             *     ]
             */
            merchantAllowlist: string[];
            /**
             * Format: int64
             * @description The most the key may spend in its life; only if it has such a limit. In kobo.
             * @example 100000
             */
            totalCap?: number;
            /**
             * @description The most payments the key may make in its life; only if it has such a limit.
             * @example 3
             */
            maxPayments?: number;
            /**
             * @description How many of them are left.
             * @example 2
             */
            paymentsLeft?: number;
            /** @description The only account the key may pay; only if it has such a limit. */
            payee?: components["schemas"]["OwnPayee"];
        };
        OwnPayee: {
            /**
             * @description The account.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description The code of its bank.
             * @example 044
             */
            bankCode: string;
        };
        /** @description The envelope of wallets, lists, stats, ledgers, webhooks and everything else. */
        ApiError: {
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description For people; programs go by the code. */
                message: string;
                /** @description One entry for each failing field. */
                errors?: components["schemas"]["FieldError"][];
            };
        };
        PayableBankResponse: {
            /**
             * @description The code to send as `recipientBankCode`.
             * @example 044
             */
            code: string;
            /**
             * @description The name of the bank.
             * @example Access Bank
             */
            name: string;
        };
        ResolveRequest: {
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            bankCode: string;
        };
        ResolvedAccountResponse: {
            /**
             * @description The name of the account holder, as the bank has it.
             * @example CHIDI OKAFOR
             */
            accountName: string;
        };
        ReceiptResponse: {
            /**
             * @example true
             * @enum {boolean}
             */
            success: true;
            data: components["schemas"]["Receipt"];
        };
        Receipt: {
            /**
             * @description A compact JWS (EdDSA) under a key of `/.well-known/jwks.json`. It holds neither account numbers nor names.
             * @example eyJhbGciOiJFZERTQSJ9.eyJvdXRjb21lIjoiYXBwcm92ZWQifQ.c2lnbmF0dXJl
             */
            receipt: string;
            /**
             * @description For its holder alone: the hashes of the receipt are SHA-256, base64url, of this, a full stop and the canonical JSON (RFC 8785) of `payee`, `facts`, `runId` and `rationale`. To prove one of them, show it together with the salt.
             * @example dGhlIHNhbHQgb2YgdGhpcyB0cmFuc2FjdGlvbg
             */
            salt: string;
            /** @description The input of `payeeHash`. */
            payee: components["schemas"]["ReceiptPayee"];
            /**
             * @description The input of `factsHash`: the facts that the decision was made on, as they were then.
             * @example {
             *       "status": "ACTIVE",
             *       "balance": 105055
             *     }
             */
            facts: {
                [key: string]: unknown;
            };
            /**
             * @description The input of `runIdHash`; absent: none was given.
             * @example run-0417
             */
            runId?: string;
            /**
             * @description The input of `rationaleHash`; absent: none was given.
             * @example Milk is below two litres.
             */
            rationale?: string;
        };
        ReceiptPayee: {
            /**
             * @description The recipient's account number.
             * @example 0123456789
             */
            accountNumber: string;
            /**
             * @description The code of the recipient's bank.
             * @example 044
             */
            bankCode: string;
            /**
             * @description As supplied, trimmed.
             * @example Shoprite
             */
            merchantName: string;
        };
    };
    responses: {
        /** @description What every route can answer: 400 `VALIDATION_ERROR`, 400 `BAD_REQUEST`, 405 `METHOD_NOT_ALLOWED`, 408 `REQUEST_TIMEOUT`, 413 `PAYLOAD_TOO_LARGE`, 415 `UNSUPPORTED_MEDIA_TYPE`, 431 `HEADERS_TOO_LARGE`, 429 `RATE_LIMITED`, 500 `INTERNAL_ERROR`, 503 `OVERLOADED`, 503 `DATABASE_UNAVAILABLE`, 503 `OUTCOME_UNKNOWN`, 503 `SHUTTING_DOWN`. */
        OtherPaymentErrors: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                /** @description Of 405: the methods that the address takes. */
                Allow?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PaymentError"];
            };
        };
        /** @description What every route can answer: 400 `VALIDATION_ERROR`, 400 `BAD_REQUEST`, 405 `METHOD_NOT_ALLOWED`, 408 `REQUEST_TIMEOUT`, 413 `PAYLOAD_TOO_LARGE`, 415 `UNSUPPORTED_MEDIA_TYPE`, 431 `HEADERS_TOO_LARGE`, 429 `RATE_LIMITED`, 500 `INTERNAL_ERROR`, 503 `OVERLOADED`, 503 `DATABASE_UNAVAILABLE`, 503 `OUTCOME_UNKNOWN`, 503 `SHUTTING_DOWN`. */
        OtherErrors: {
            headers: {
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                /** @description Of 405: the methods that the address takes. */
                Allow?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPayments: {
        parameters: {
            query?: {
                /** @description Which page, from 1. */
                page?: number;
                /** @description Rows on a page; more than 100 counts as 100. */
                pageSize?: number;
                /** @description Only these attempts; the totals are theirs. */
                decision?: "approved" | "blocked" | "pending";
                /** @description Only attempts of this time or later; without a zone it is UTC. */
                from?: string;
                /** @description Only attempts before this time; without a zone it is UTC. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionsResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "VALIDATION_ERROR" | "BAD_REQUEST";
                    };
                };
            };
            /**
             * @description `MISSING_API_KEY`: No API key was sent, in x-api-key or as Authorization: Bearer.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "MISSING_API_KEY" | "INVALID_API_KEY";
                    };
                };
            };
            default: components["responses"]["OtherPaymentErrors"];
        };
    };
    pay: {
        parameters: {
            query?: never;
            header?: {
                /** @description Asks for the duplicate-purchase guard where the owner of the wallet did not choose: what the same key paid to the same account within so many minutes is not paid again by accident. Send it with every payment: one that was made without it is not compared with. */
                "Duplicate-Guard-Minutes"?: number;
                /** @description Makes a repetition safe: the payment is carried out at most once per wallet and Idempotency-Key. Each API key with limits has Idempotency-Keys of its own, which the API key that replaces it takes over. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentIntentRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentResponse"];
                };
            };
            /** @description It waits for approval. */
            202: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingPaymentResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "VALIDATION_ERROR" | "BAD_REQUEST";
                    };
                };
            };
            /**
             * @description `MISSING_API_KEY`: No API key was sent, in x-api-key or as Authorization: Bearer.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "MISSING_API_KEY" | "INVALID_API_KEY";
                    };
                };
            };
            /** @description `INSUFFICIENT_FUNDS`: The amount is more than the balance. */
            402: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "INSUFFICIENT_FUNDS";
                    };
                };
            };
            /**
             * @description `WALLET_INACTIVE`: The wallet is not active.
             *
             *     `WALLET_EXPIRED`: The expiry of the wallet has passed.
             *
             *     `SPEND_LIMIT_PER_TX_EXCEEDED`: The amount is more than the wallet may spend at a time.
             *
             *     `SPEND_LIMIT_PER_PERIOD_EXCEEDED`: With this amount the wallet would spend more than its limit for the period.
             *
             *     `MERCHANT_NOT_ALLOWED`: The wallet has an allowlist and the merchant is not on it.
             *
             *     `KEY_LIMIT_EXCEEDED`: The payment is more than the limits of its key allow; the details name the limit.
             *
             *     `PAYEE_NOT_ALLOWED`: The wallet may not pay this merchant at this account.
             *
             *     `COOLING_OFF`: The key or the payee is new: so much may not be paid yet.
             *
             *     `APPROVAL_LIMIT_REACHED`: There are as many payments of the wallet, or of the key, waiting for approval as there can be.
             *
             *     `APPROVAL_DENIED`: The owner of the wallet denied the payment.
             *
             *     `APPROVAL_EXPIRED`: The payment was not approved in time.
             */
            403: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "WALLET_INACTIVE" | "WALLET_EXPIRED" | "SPEND_LIMIT_PER_TX_EXCEEDED" | "SPEND_LIMIT_PER_PERIOD_EXCEEDED" | "MERCHANT_NOT_ALLOWED" | "KEY_LIMIT_EXCEEDED" | "PAYEE_NOT_ALLOWED" | "COOLING_OFF" | "APPROVAL_LIMIT_REACHED" | "APPROVAL_DENIED" | "APPROVAL_EXPIRED";
                    };
                };
            };
            /** @description `POSSIBLE_DUPLICATE`: The same was paid shortly before, or waits for approval. To pay it again, send the id in details.duplicateOf as confirmSecondPurchase. */
            409: {
                headers: {
                    /** @description Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "POSSIBLE_DUPLICATE";
                    };
                };
            };
            /** @description `IDEMPOTENCY_KEY_REUSED`: The Idempotency-Key belongs to another payment; nothing was carried out now. Read that payment before you pay. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "IDEMPOTENCY_KEY_REUSED";
                    };
                };
            };
            /** @description `RATE_LIMITED`: Too many requests or attempts; nothing was carried out. The header Retry-After says when to come back. */
            429: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                    };
                };
            };
            /**
             * @description `OVERLOADED`: Too much at once: nothing was carried out. Come back after Retry-After seconds.
             *
             *     `OUTCOME_UNKNOWN`: The answer of the database was lost: the request may or may not have been carried out. Repeat it with the same Idempotency-Key; if the route takes none, look first what there is.
             *
             *     `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out.
             */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "OVERLOADED" | "OUTCOME_UNKNOWN" | "BANK_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "SHUTTING_DOWN";
                    };
                };
            };
            default: components["responses"]["OtherPaymentErrors"];
        };
    };
    quote: {
        parameters: {
            query?: never;
            header?: {
                /** @description Asks for the duplicate-purchase guard where the owner of the wallet did not choose: what the same key paid to the same account within so many minutes is not paid again by accident. Send it with every payment: one that was made without it is not compared with. */
                "Duplicate-Guard-Minutes"?: number;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentIntentRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuoteResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "VALIDATION_ERROR" | "BAD_REQUEST";
                    };
                };
            };
            /**
             * @description `MISSING_API_KEY`: No API key was sent, in x-api-key or as Authorization: Bearer.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "MISSING_API_KEY" | "INVALID_API_KEY";
                    };
                };
            };
            /**
             * @description `OVERLOADED`: Too much at once: nothing was carried out. Come back after Retry-After seconds.
             *
             *     `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out.
             */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "OVERLOADED" | "BANK_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                    };
                };
            };
            default: components["responses"]["OtherPaymentErrors"];
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an attempt of the wallet, approved, blocked or pending. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionResponse"];
                };
            };
            /**
             * @description `MISSING_API_KEY`: No API key was sent, in x-api-key or as Authorization: Bearer.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "MISSING_API_KEY" | "INVALID_API_KEY";
                    };
                };
            };
            /** @description `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "TRANSACTION_NOT_FOUND";
                    };
                };
            };
            default: components["responses"]["OtherPaymentErrors"];
        };
    };
    getOwnWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnWalletResponse"];
                };
            };
            /**
             * @description `MISSING_API_KEY`: No API key was sent, in x-api-key or as Authorization: Bearer.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "MISSING_API_KEY" | "INVALID_API_KEY";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    listBanks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayableBankResponse"][];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /**
             * @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED" | "INVALID_API_KEY";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "BANK_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    resolveAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolvedAccountResponse"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field of the request fails validation. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "VALIDATION_ERROR" | "BAD_REQUEST";
                        };
                    };
                };
            };
            /**
             * @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "UNAUTHORIZED" | "INVALID_API_KEY";
                        };
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "TWO_FACTOR_DEMANDED";
                        };
                    };
                };
            };
            /** @description `ACCOUNT_NOT_FOUND`: The bank knows no such account. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "ACCOUNT_NOT_FOUND";
                        };
                    };
                };
            };
            /** @description `BANK_UNAVAILABLE`: The bank did not answer; nothing was carried out. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"] & {
                        error: {
                            /** @enum {string} */
                            code: "BANK_UNAVAILABLE" | "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                        };
                    };
                };
            };
            default: components["responses"]["OtherErrors"];
        };
    };
    getReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an attempt, approved or blocked. */
                transactionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptResponse"];
                };
            };
            /**
             * @description `UNAUTHORIZED`: The session token is missing, invalid or expired, or its session was ended.
             *
             *     `INVALID_API_KEY`: Invalid API key: it is unknown, expired or revoked.
             */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "UNAUTHORIZED" | "INVALID_API_KEY";
                    };
                };
            };
            /** @description `TWO_FACTOR_DEMANDED`: The business demands two-factor authentication of its members: set up an authenticator app or a passkey, or keep the last one. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "TWO_FACTOR_DEMANDED";
                    };
                };
            };
            /** @description `TRANSACTION_NOT_FOUND`: Transaction not found, or not yours. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "TRANSACTION_NOT_FOUND";
                    };
                };
            };
            /** @description `OVERLOADED`: Too much at once: nothing was carried out. Come back after Retry-After seconds. */
            503: {
                headers: {
                    /** @description Seconds to wait. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentError"] & {
                        /** @enum {string} */
                        code: "OVERLOADED" | "DATABASE_UNAVAILABLE" | "OUTCOME_UNKNOWN" | "SHUTTING_DOWN";
                    };
                };
            };
            default: components["responses"]["OtherPaymentErrors"];
        };
    };
    WalletFundedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "wallet.funded",
                 *       "data": {
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amountCredited": 5000000,
                 *         "newBalance": 7500000,
                 *         "currency": "NGN",
                 *         "fundedAt": "2026-11-21T06:30:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WalletFundedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PaymentApprovedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.approved",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "merchant": "jumia",
                 *         "merchantName": "Jumia",
                 *         "recipientAccountNo": "0123456789",
                 *         "recipientBankCode": "058",
                 *         "reason": "Office supplies",
                 *         "keyId": "019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90",
                 *         "keyPrefix": "apw_live_7Qm2xKd",
                 *         "keyName": "Shopping agent",
                 *         "purpose": "Supplies for the Lagos office",
                 *         "runId": "run-0417",
                 *         "rationale": "The printer has paper for two days.",
                 *         "approvedAt": "2026-11-21T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PaymentApprovedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PaymentBlockedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.blocked",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "merchant": "jumia",
                 *         "merchantName": "Jumia",
                 *         "recipientAccountNo": "0123456789",
                 *         "recipientBankCode": "058",
                 *         "reason": "Office supplies",
                 *         "keyId": "019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90",
                 *         "keyPrefix": "apw_live_7Qm2xKd",
                 *         "keyName": "Shopping agent",
                 *         "purpose": "Supplies for the Lagos office",
                 *         "runId": "run-0417",
                 *         "rationale": "The printer has paper for two days.",
                 *         "blockReason": "MERCHANT_NOT_ALLOWED",
                 *         "message": "The merchant Jumia is not on the allowlist of this wallet.",
                 *         "blockedAt": "2026-11-21T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PaymentBlockedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PaymentSettledEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.settled",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "settledAt": "2026-11-21T06:31:02.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PaymentSettledEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PaymentRefundedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.refunded",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amountRefunded": 250000,
                 *         "newBalance": 7500000,
                 *         "currency": "NGN",
                 *         "refundedAt": "2026-11-21T06:31:05.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PaymentRefundedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    PaymentReturnedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.returned",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "reason": "The destination bank sent the money back.",
                 *         "returnedAt": "2026-11-21T09:12:40.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PaymentReturnedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    WalletLowBalanceEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "wallet.low_balance",
                 *       "data": {
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "threshold": 1000000,
                 *         "newBalance": 900000,
                 *         "currency": "NGN",
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "reachedAt": "2026-11-21T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WalletLowBalanceEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    WalletLimitWarningEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "wallet.limit_warning",
                 *       "data": {
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "keyId": "019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90",
                 *         "budget": "period",
                 *         "percent": 80,
                 *         "limit": 10000000,
                 *         "spent": 8050000,
                 *         "currency": "NGN",
                 *         "periodWindowDays": 7,
                 *         "reachedAt": "2026-11-21T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WalletLimitWarningEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    WalletStatusChangedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "wallet.status_changed",
                 *       "data": {
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "previousStatus": "ACTIVE",
                 *         "status": "SUSPENDED",
                 *         "changedAt": "2026-11-21T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WalletStatusChangedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApprovalRequestedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "approval.requested",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "merchant": "jumia",
                 *         "merchantName": "Jumia",
                 *         "recipientAccountNo": "0123456789",
                 *         "recipientBankCode": "058",
                 *         "reason": "Office supplies",
                 *         "keyId": "019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90",
                 *         "keyPrefix": "apw_live_7Qm2xKd",
                 *         "keyName": "Shopping agent",
                 *         "purpose": "Supplies for the Lagos office",
                 *         "runId": "run-0417",
                 *         "rationale": "The printer has paper for two days.",
                 *         "requestedAt": "2026-11-21T06:31:00.000Z",
                 *         "expiresAt": "2026-11-22T06:31:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ApprovalRequestedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApprovalDecidedEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The same over retries and replays.
                 * @example 019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970 of this attempt.
                 * @example 1795242600
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more, separated by spaces: one for each active secret.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "approval.decided",
                 *       "data": {
                 *         "transactionId": "019a9f2e-3b7c-7cc1-9a51-0d6f3c1b2a40",
                 *         "walletId": "019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10",
                 *         "amount": 250000,
                 *         "currency": "NGN",
                 *         "merchant": "jumia",
                 *         "merchantName": "Jumia",
                 *         "recipientAccountNo": "0123456789",
                 *         "recipientBankCode": "058",
                 *         "reason": "Office supplies",
                 *         "keyId": "019a9f2e-2b11-7c0d-8f43-1d2e6a7b8c90",
                 *         "keyPrefix": "apw_live_7Qm2xKd",
                 *         "keyName": "Shopping agent",
                 *         "purpose": "Supplies for the Lagos office",
                 *         "runId": "run-0417",
                 *         "rationale": "The printer has paper for two days.",
                 *         "outcome": "approved",
                 *         "decidedById": "019a9f2e-0a00-7f10-9d42-3b1c8e5a7d20",
                 *         "note": "Agreed with the office manager",
                 *         "decidedAt": "2026-11-21T07:02:00.000Z"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ApprovalDecidedEvent"];
            };
        };
        responses: {
            /** @description Received. Anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
