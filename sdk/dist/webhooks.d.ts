/** What came with a webhook: `Headers`, or an object of names in any case, as Node and serverless platforms have it. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;
/** A webhook that was not signed with the secret, is too old, or is not whole: do not act on it, and answer 400. */
export declare class WebhookVerificationError extends Error {
    readonly name = "WebhookVerificationError";
}
export interface VerifyOptions {
    /** How far the signed time may lie from now, in seconds, either way; 300 unless told. */
    readonly toleranceSeconds?: number;
    /** The time now; the clock's unless told. */
    readonly now?: Date;
}
/**
 * Checks a webhook by the rules of Standard Webhooks and answers what its JSON holds.
 *
 * `body` is the text or the bytes exactly as received, before they are parsed: the signature is over the bytes. `secret`
 * is the endpoint's `whsec_…`; while it is being rotated, both. The same `webhook-id` may come more than once: act on it
 * once. Throws {@link WebhookVerificationError}, and TypeError for a body that was parsed already or a secret that is
 * none: an empty or a short one would let anyone sign.
 */
export declare function verifyWebhook<Event = unknown>(body: string | Uint8Array, headers: WebhookHeaders, secret: string | readonly string[], { toleranceSeconds, now }?: VerifyOptions): Promise<Event>;
