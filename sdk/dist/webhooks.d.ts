/** `Headers`, or an object of names in any case, as from Node and serverless platforms. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;
/** The webhook is not signed with the secret, too old, or incomplete: do not act on it, and answer 400. */
export declare class WebhookVerificationError extends Error {
    readonly name = "WebhookVerificationError";
}
export interface VerifyOptions {
    /** Largest distance of the signed time from now in seconds; default 300. */
    readonly toleranceSeconds?: number;
    /** Default: the clock. */
    readonly now?: Date;
}
/**
 * Verifies a webhook by Standard Webhooks and returns its JSON. `body` is the text or bytes exactly as received,
 * before parsing, since the signature covers the bytes. `secret` is the endpoint's `whsec_…`, or both during a
 * rotation. Webhooks may repeat: act once per `webhook-id`. Throws {@link WebhookVerificationError}, and TypeError
 * for a parsed body or a secret too short to be safe.
 */
export declare function verifyWebhook<Event = unknown>(body: string | Uint8Array, headers: WebhookHeaders, secret: string | readonly string[], { toleranceSeconds, now }?: VerifyOptions): Promise<Event>;
