Object.defineProperty(exports, Symbol.toStringTag, { value: "Module" });
// sdk/src/webhooks.ts
/** The webhook is not signed with the secret, too old, or incomplete: do not act on it, and answer 400. */
var WebhookVerificationError = class extends Error {
	name = "WebhookVerificationError";
};
/** Minimum of Standard Webhooks. */
const SECRET_BYTES_MIN = 24;
/**
* Verifies a webhook by Standard Webhooks and returns its JSON. `body` is the text or bytes exactly as received,
* before parsing, since the signature covers the bytes. `secret` is the endpoint's `whsec_…`, or both during a
* rotation. Webhooks may repeat: act once per `webhook-id`. Throws {@link WebhookVerificationError}, and TypeError
* for a parsed body or a secret too short to be safe.
*/
async function verifyWebhook(body, headers, secret, { toleranceSeconds = 300, now = /* @__PURE__ */ new Date() } = {}) {
	const bytes = bytesOf(body);
	const keys = await Promise.all((typeof secret === "string" ? [secret] : secret).map(keyOf));
	if (keys.length === 0) throw new TypeError("there is no secret to check the webhook with");
	const id = header(headers, "webhook-id");
	const timestamp = header(headers, "webhook-timestamp");
	const signatures = header(headers, "webhook-signature");
	if (!id || !timestamp || !signatures) throw new WebhookVerificationError("A webhook header is missing.");
	if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError("webhook-timestamp is no time.");
	if (Math.abs(now.getTime() / 1e3 - Number(timestamp)) > toleranceSeconds) throw new WebhookVerificationError("The webhook was signed too long ago, or in the future.");
	const start = new TextEncoder().encode(`${id}.${timestamp}.`);
	const signed = new Uint8Array(start.length + bytes.length);
	signed.set(start);
	signed.set(bytes, start.length);
	const given = signatures.split(" ").flatMap((each) => {
		const [version, signature] = each.split(",");
		const bytes = version === "v1" && signature ? fromBase64(signature) : null;
		return bytes ? [bytes] : [];
	});
	for (const key of keys) for (const signature of given) if (await crypto.subtle.verify("HMAC", key, signature, signed)) return JSON.parse(new TextDecoder().decode(bytes));
	throw new WebhookVerificationError("No signature of the webhook was made with this secret.");
}
function bytesOf(body) {
	if (typeof body === "string") return new TextEncoder().encode(body);
	if (body instanceof Uint8Array) return body;
	throw new TypeError("the body of a webhook is its text or its bytes, as they were received");
}
async function keyOf(secret) {
	const bytes = fromBase64(secret.replace(/^whsec_/, ""));
	if (!bytes || bytes.length < SECRET_BYTES_MIN) throw new TypeError(`the secret of a webhook has the form whsec_<base64 of ${SECRET_BYTES_MIN} bytes or more>`);
	return crypto.subtle.importKey("raw", bytes, {
		name: "HMAC",
		hash: "SHA-256"
	}, false, ["verify"]);
}
/** Null if it is not base64. */
function fromBase64(text) {
	try {
		return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
	} catch {
		return null;
	}
}
function header(headers, name) {
	if (headers instanceof Headers) return headers.get(name);
	const key = Object.keys(headers).find((each) => each.toLowerCase() === name);
	const value = key === void 0 ? void 0 : headers[key];
	return (Array.isArray(value) ? value[0] : value) ?? null;
}
exports.WebhookVerificationError = WebhookVerificationError;
exports.verifyWebhook = verifyWebhook;
