Object.defineProperty(exports, Symbol.toStringTag, { value: "Module" });
// node_modules/openapi-fetch/dist/index.mjs
const PATH_PARAM_RE = /\{[^{}]+\}/g;
const supportsRequestInitExt = () => {
	return typeof process === "object" && Number.parseInt(process?.versions?.node?.substring(0, 2)) >= 18 && process.versions.undici;
};
function randomID() {
	return Math.random().toString(36).slice(2, 11);
}
function createClient(clientOptions) {
	let { baseUrl = "", Request: CustomRequest = globalThis.Request, fetch: baseFetch = globalThis.fetch, querySerializer: globalQuerySerializer, bodySerializer: globalBodySerializer, pathSerializer: globalPathSerializer, headers: baseHeaders, requestInitExt = void 0, ...baseOptions } = { ...clientOptions };
	requestInitExt = supportsRequestInitExt() ? requestInitExt : void 0;
	baseUrl = removeTrailingSlash(baseUrl);
	const globalMiddlewares = [];
	async function coreFetch(schemaPath, fetchOptions) {
		const { baseUrl: localBaseUrl, fetch = baseFetch, Request = CustomRequest, headers, params = {}, parseAs = "json", querySerializer: requestQuerySerializer, bodySerializer = globalBodySerializer ?? defaultBodySerializer, pathSerializer: requestPathSerializer, body, middleware: requestMiddlewares = [], ...init } = fetchOptions || {};
		let finalBaseUrl = baseUrl;
		if (localBaseUrl) finalBaseUrl = removeTrailingSlash(localBaseUrl) ?? baseUrl;
		let querySerializer = typeof globalQuerySerializer === "function" ? globalQuerySerializer : createQuerySerializer(globalQuerySerializer);
		if (requestQuerySerializer) querySerializer = typeof requestQuerySerializer === "function" ? requestQuerySerializer : createQuerySerializer({
			...typeof globalQuerySerializer === "object" ? globalQuerySerializer : {},
			...requestQuerySerializer
		});
		const pathSerializer = requestPathSerializer || globalPathSerializer || defaultPathSerializer;
		const serializedBody = body === void 0 ? void 0 : bodySerializer(body, mergeHeaders(baseHeaders, headers, params.header));
		const finalHeaders = mergeHeaders(serializedBody === void 0 || serializedBody instanceof FormData ? {} : { "Content-Type": "application/json" }, baseHeaders, headers, params.header);
		const finalMiddlewares = [...globalMiddlewares, ...requestMiddlewares];
		const requestInit = {
			redirect: "follow",
			...baseOptions,
			...init,
			body: serializedBody,
			headers: finalHeaders
		};
		let id;
		let options;
		let request = new Request(createFinalURL(schemaPath, {
			baseUrl: finalBaseUrl,
			params,
			querySerializer,
			pathSerializer
		}), requestInit);
		let response;
		for (const key in init) if (!(key in request)) request[key] = init[key];
		if (finalMiddlewares.length) {
			id = randomID();
			options = Object.freeze({
				baseUrl: finalBaseUrl,
				fetch,
				parseAs,
				querySerializer,
				bodySerializer,
				pathSerializer
			});
			for (const m of finalMiddlewares) if (m && typeof m === "object" && typeof m.onRequest === "function") {
				const result = await m.onRequest({
					request,
					schemaPath,
					params,
					options,
					id
				});
				if (result) {
					if (result instanceof Request) request = result;
					else if (result instanceof Response) {
						response = result;
						break;
					} else throw new Error("onRequest: must return new Request() or Response() when modifying the request");
				}
			}
		}
		if (!response) {
			try {
				response = await fetch(request, requestInitExt);
			} catch (error2) {
				let errorAfterMiddleware = error2;
				if (finalMiddlewares.length) for (let i = finalMiddlewares.length - 1; i >= 0; i--) {
					const m = finalMiddlewares[i];
					if (m && typeof m === "object" && typeof m.onError === "function") {
						const result = await m.onError({
							request,
							error: errorAfterMiddleware,
							schemaPath,
							params,
							options,
							id
						});
						if (result) {
							if (result instanceof Response) {
								errorAfterMiddleware = void 0;
								response = result;
								break;
							}
							if (result instanceof Error) {
								errorAfterMiddleware = result;
								continue;
							}
							throw new Error("onError: must return new Response() or instance of Error");
						}
					}
				}
				if (errorAfterMiddleware) throw errorAfterMiddleware;
			}
			if (finalMiddlewares.length) for (let i = finalMiddlewares.length - 1; i >= 0; i--) {
				const m = finalMiddlewares[i];
				if (m && typeof m === "object" && typeof m.onResponse === "function") {
					const result = await m.onResponse({
						request,
						response,
						schemaPath,
						params,
						options,
						id
					});
					if (result) {
						if (!(result instanceof Response)) throw new Error("onResponse: must return new Response() when modifying the response");
						response = result;
					}
				}
			}
		}
		const contentLength = response.headers.get("Content-Length");
		if (response.status === 204 || request.method === "HEAD" || contentLength === "0" && !response.headers.get("Transfer-Encoding")?.includes("chunked")) return response.ok ? {
			data: void 0,
			response
		} : {
			error: void 0,
			response
		};
		if (response.ok) {
			const getResponseData = async () => {
				if (parseAs === "stream") return response.body;
				if (parseAs === "json" && !contentLength) {
					const raw = await response.text();
					return raw ? JSON.parse(raw) : void 0;
				}
				return await response[parseAs]();
			};
			return {
				data: await getResponseData(),
				response
			};
		}
		let error = await response.text();
		try {
			error = JSON.parse(error);
		} catch {}
		return {
			error,
			response
		};
	}
	return {
		request(method, url, init) {
			return coreFetch(url, {
				...init,
				method: method.toUpperCase()
			});
		},
		/** Call a GET endpoint */
		GET(url, init) {
			return coreFetch(url, {
				...init,
				method: "GET"
			});
		},
		/** Call a PUT endpoint */
		PUT(url, init) {
			return coreFetch(url, {
				...init,
				method: "PUT"
			});
		},
		/** Call a POST endpoint */
		POST(url, init) {
			return coreFetch(url, {
				...init,
				method: "POST"
			});
		},
		/** Call a DELETE endpoint */
		DELETE(url, init) {
			return coreFetch(url, {
				...init,
				method: "DELETE"
			});
		},
		/** Call a OPTIONS endpoint */
		OPTIONS(url, init) {
			return coreFetch(url, {
				...init,
				method: "OPTIONS"
			});
		},
		/** Call a HEAD endpoint */
		HEAD(url, init) {
			return coreFetch(url, {
				...init,
				method: "HEAD"
			});
		},
		/** Call a PATCH endpoint */
		PATCH(url, init) {
			return coreFetch(url, {
				...init,
				method: "PATCH"
			});
		},
		/** Call a TRACE endpoint */
		TRACE(url, init) {
			return coreFetch(url, {
				...init,
				method: "TRACE"
			});
		},
		/** Register middleware */
		use(...middleware) {
			for (const m of middleware) {
				if (!m) continue;
				if (typeof m !== "object" || !("onRequest" in m || "onResponse" in m || "onError" in m)) throw new Error("Middleware must be an object with one of `onRequest()`, `onResponse() or `onError()`");
				globalMiddlewares.push(m);
			}
		},
		/** Unregister middleware */
		eject(...middleware) {
			for (const m of middleware) {
				const i = globalMiddlewares.indexOf(m);
				if (i !== -1) globalMiddlewares.splice(i, 1);
			}
		}
	};
}
function serializePrimitiveParam(name, value, options) {
	if (value === void 0 || value === null) return "";
	if (typeof value === "object") throw new Error("Deeply-nested arrays/objects aren’t supported. Provide your own `querySerializer()` to handle these.");
	return `${name}=${options?.allowReserved === true ? value : encodeURIComponent(value)}`;
}
function serializeObjectParam(name, value, options) {
	if (!value || typeof value !== "object") return "";
	const values = [];
	const joiner = {
		simple: ",",
		label: ".",
		matrix: ";"
	}[options.style] || "&";
	if (options.style !== "deepObject" && options.explode === false) {
		for (const k in value) values.push(k, options.allowReserved === true ? value[k] : encodeURIComponent(value[k]));
		const final2 = values.join(",");
		switch (options.style) {
			case "form": return `${name}=${final2}`;
			case "label": return `.${final2}`;
			case "matrix": return `;${name}=${final2}`;
			default: return final2;
		}
	}
	for (const k in value) {
		const finalName = options.style === "deepObject" ? `${name}[${k}]` : k;
		values.push(serializePrimitiveParam(finalName, value[k], options));
	}
	const final = values.join(joiner);
	return options.style === "label" || options.style === "matrix" ? `${joiner}${final}` : final;
}
function serializeArrayParam(name, value, options) {
	if (!Array.isArray(value)) return "";
	if (options.explode === false) {
		const joiner2 = {
			form: ",",
			spaceDelimited: "%20",
			pipeDelimited: "|"
		}[options.style] || ",";
		const final = (options.allowReserved === true ? value : value.map((v) => encodeURIComponent(v))).join(joiner2);
		switch (options.style) {
			case "simple": return final;
			case "label": return `.${final}`;
			case "matrix": return `;${name}=${final}`;
			default: return `${name}=${final}`;
		}
	}
	const joiner = {
		simple: ",",
		label: ".",
		matrix: ";"
	}[options.style] || "&";
	const values = [];
	for (const v of value) if (options.style === "simple" || options.style === "label") values.push(options.allowReserved === true ? v : encodeURIComponent(v));
	else values.push(serializePrimitiveParam(name, v, options));
	return options.style === "label" || options.style === "matrix" ? `${joiner}${values.join(joiner)}` : values.join(joiner);
}
function createQuerySerializer(options) {
	return function querySerializer(queryParams) {
		const search = [];
		if (queryParams && typeof queryParams === "object") for (const name in queryParams) {
			const value = queryParams[name];
			if (value === void 0 || value === null) continue;
			if (Array.isArray(value)) {
				if (value.length === 0) continue;
				search.push(serializeArrayParam(name, value, {
					style: "form",
					explode: true,
					...options?.array,
					allowReserved: options?.allowReserved || false
				}));
				continue;
			}
			if (typeof value === "object") {
				search.push(serializeObjectParam(name, value, {
					style: "deepObject",
					explode: true,
					...options?.object,
					allowReserved: options?.allowReserved || false
				}));
				continue;
			}
			search.push(serializePrimitiveParam(name, value, options));
		}
		return search.join("&");
	};
}
function defaultPathSerializer(pathname, pathParams) {
	let nextURL = pathname;
	for (const match of pathname.match(PATH_PARAM_RE) ?? []) {
		let name = match.substring(1, match.length - 1);
		let explode = false;
		let style = "simple";
		if (name.endsWith("*")) {
			explode = true;
			name = name.substring(0, name.length - 1);
		}
		if (name.startsWith(".")) {
			style = "label";
			name = name.substring(1);
		} else if (name.startsWith(";")) {
			style = "matrix";
			name = name.substring(1);
		}
		if (!pathParams || pathParams[name] === void 0 || pathParams[name] === null) continue;
		const value = pathParams[name];
		if (Array.isArray(value)) {
			nextURL = nextURL.replace(match, serializeArrayParam(name, value, {
				style,
				explode
			}));
			continue;
		}
		if (typeof value === "object") {
			nextURL = nextURL.replace(match, serializeObjectParam(name, value, {
				style,
				explode
			}));
			continue;
		}
		if (style === "matrix") {
			nextURL = nextURL.replace(match, `;${serializePrimitiveParam(name, value)}`);
			continue;
		}
		nextURL = nextURL.replace(match, style === "label" ? `.${encodeURIComponent(value)}` : encodeURIComponent(value));
	}
	return nextURL;
}
function defaultBodySerializer(body, headers) {
	if (body instanceof FormData) return body;
	if (headers) {
		if ((headers.get instanceof Function ? headers.get("Content-Type") ?? headers.get("content-type") : headers["Content-Type"] ?? headers["content-type"]) === "application/x-www-form-urlencoded") return new URLSearchParams(body).toString();
	}
	return JSON.stringify(body);
}
function createFinalURL(pathname, options) {
	let finalURL = `${options.baseUrl}${pathname}`;
	if (options.params?.path) finalURL = options.pathSerializer(finalURL, options.params.path);
	let search = options.querySerializer(options.params.query ?? {});
	if (search.startsWith("?")) search = search.substring(1);
	if (search) finalURL += `?${search}`;
	return finalURL;
}
function mergeHeaders(...allHeaders) {
	const finalHeaders = new Headers();
	for (const h of allHeaders) {
		if (!h || typeof h !== "object") continue;
		const iterator = h instanceof Headers ? h.entries() : Object.entries(h);
		for (const [k, v] of iterator) if (v === null) finalHeaders.delete(k);
		else if (Array.isArray(v)) for (const v2 of v) finalHeaders.append(k, v2);
		else if (v !== void 0) finalHeaders.set(k, v);
	}
	return finalHeaders;
}
function removeTrailingSlash(url) {
	if (url.endsWith("/")) return url.substring(0, url.length - 1);
	return url;
}
// sdk/src/errors.ts
/** Refusal by the service, or a missing answer. Go by `code` or the class. */
var WalletError = class extends Error {
	status;
	code;
	/** Id of the request in the service's log. */
	requestId;
	/** Set on every error of a payment: the key to retry with. */
	idempotencyKey;
	constructor({ status, code, message, requestId, idempotencyKey = null, cause }) {
		super(message, { cause });
		this.name = new.target.name;
		this.status = status;
		this.code = code;
		this.requestId = requestId;
		this.idempotencyKey = idempotencyKey;
	}
};
/** A rule blocked the payment, or a person denied it. No money moved; the attempt is on record. */
var PaymentBlockedError = class extends WalletError {
	transactionId;
	/** True if an earlier request with this key was blocked. The advice is current. */
	replayed;
	hint;
	/** Largest amount that would pass, in kobo; 0 if none. */
	maxAmountNow;
	/** Earliest time at which it would pass; null if waiting alone does not help. */
	earliestPassAt;
	details;
	constructor(facts, refusal) {
		super(facts);
		this.transactionId = refusal.transactionId;
		this.replayed = refusal.replayed === true;
		this.hint = refusal.hint ?? null;
		this.maxAmountNow = refusal.maxAmountNow ?? null;
		this.earliestPassAt = refusal.earliestPassAt ? new Date(refusal.earliestPassAt) : null;
		this.details = refusal.details ?? {};
	}
};
/**
* The same was just paid or requested (`duplicateOf`). To pay it again, send that id as `confirmSecondPurchase` with
* a new key.
*/
var PossibleDuplicateError = class extends WalletError {
	duplicateOf;
	/** True if an earlier request with this key got this answer. */
	replayed;
	constructor(facts, { details, transactionId, replayed }) {
		super(facts);
		this.replayed = replayed === true;
		this.duplicateOf = details?.["duplicateOf"]?.toString() ?? transactionId ?? null;
	}
};
var ValidationError = class extends WalletError {
	fields;
	constructor(facts, fields) {
		super(facts);
		this.fields = fields;
	}
};
/** The key is missing, unknown, expired or revoked. */
var AuthenticationError = class extends WalletError {};
var NotFoundError = class extends WalletError {};
/**
* The idempotency key belongs to another payment, `transactionId`. Nothing was carried out. Read that payment first:
* a new key for the same purchase would pay twice.
*/
var IdempotencyKeyReusedError = class extends WalletError {
	transactionId;
	constructor(facts, { transactionId }) {
		super(facts);
		this.transactionId = transactionId ?? null;
	}
};
/** Rate limited, or the service or its bank is unavailable: nothing was carried out. Try again later. */
var UnavailableError = class extends WalletError {
	retryAfterSeconds;
	constructor(facts, retryAfterSeconds) {
		super(facts);
		this.retryAfterSeconds = retryAfterSeconds;
	}
};
/**
* No answer tells if the request was carried out. Retrying with the same idempotency key is safe, and finds out.
*/
var OutcomeUnknownError = class extends WalletError {};
/**
* The caller's signal ended a payment that may have been made. Its `name` is `AbortError`, `cause` the signal's
* reason. Retry with the same key to find out.
*/
var PaymentAbortedError = class extends OutcomeUnknownError {
	name = "AbortError";
	constructor(cause, idempotencyKey) {
		const message = `The payment was aborted, and may have been made under the key ${idempotencyKey}.`;
		super({
			status: 0,
			code: "ABORTED",
			message,
			idempotencyKey,
			cause
		});
	}
};
/** No decision was seen within the timeout: the payment is probably still pending. */
var ApprovalTimeoutError = class extends WalletError {
	paymentId;
	constructor(paymentId) {
		super({
			status: 0,
			code: "APPROVAL_TIMEOUT",
			message: `No decision on ${paymentId} was seen yet.`
		});
		this.paymentId = paymentId;
	}
};
/**
* Error after an earlier try in doubt. A refusal for rules, body or key settles the earlier try too, as both have one
* key; any other settles only the last.
*/
function inDoubt(error) {
	return [
		PaymentBlockedError,
		PossibleDuplicateError,
		ValidationError,
		IdempotencyKeyReusedError
	].some((one) => error instanceof one) ? error : new OutcomeUnknownError(error);
}
function errorOf(response, body, idempotencyKey) {
	const { error, ...bare } = typeof body === "object" && body !== null ? body : {};
	const refusal = error ?? bare;
	const { status, headers } = response;
	const facts = {
		status,
		code: refusal.code ?? (status >= 500 ? "INTERNAL_ERROR" : "BAD_REQUEST"),
		message: refusal.message ?? `The service answered ${status}${movedTo(headers)}.`,
		requestId: headers.get("x-request-id") ?? void 0,
		idempotencyKey
	};
	const { transactionId } = refusal;
	switch (facts.code) {
		case "VALIDATION_ERROR": return new ValidationError(facts, refusal.errors ?? []);
		case "POSSIBLE_DUPLICATE": return new PossibleDuplicateError(facts, refusal);
		case "IDEMPOTENCY_KEY_REUSED": return new IdempotencyKeyReusedError(facts, refusal);
		case "OUTCOME_UNKNOWN":
		case "INTERNAL_ERROR": return new OutcomeUnknownError(facts);
	}
	if (transactionId !== void 0 && (status === 402 || status === 403)) return new PaymentBlockedError(facts, {
		...refusal,
		transactionId
	});
	if (status === 401) return new AuthenticationError(facts);
	if (status === 404) return new NotFoundError(facts);
	if (status === 429 || status === 503 || facts.code === "REQUEST_TIMEOUT") return new UnavailableError(facts, secondsOf(headers));
	return status >= 500 || status === 408 ? new OutcomeUnknownError(facts) : new WalletError(facts);
}
function movedTo(headers) {
	const location = headers.get("location");
	return location === null ? "" : ` and points to ${location}, which is not followed: correct baseUrl`;
}
/** Cap, since timers hold about three weeks. */
const ASKED_SECONDS_MAX = 999999;
/** Seconds from `Retry-After`, else null. */
function secondsOf(headers) {
	const text = headers.get("retry-after") ?? "";
	return /^\d+$/.test(text) ? Math.min(Number(text), ASKED_SECONDS_MAX) : null;
}
// sdk/src/retry.ts
const AGAIN = /* @__PURE__ */ new Set([
	408,
	429,
	500,
	502,
	503,
	504
]);
const afterUnknownOutcome = /* @__PURE__ */ new WeakSet();
/** True if an earlier try of the same request has an unknown outcome. */
const followsUnknownOutcome = (response) => afterUnknownOutcome.has(response);
/** They change nothing, so they need no key. */
const READING_POSTS = /\/(quote|resolve)$/;
/**
* Retries requests that change nothing, or have an `Idempotency-Key`, which the service carries out at most once. The
* key stays the same. Pauses are random below a doubling bound, and at least `Retry-After`. A try includes reading
* the body.
*/
function retryingFetch({ retriesMax = 5, timeoutMs = 2e4, backoffMs = 250, backoffMsMax = 15e3 }, { fetch, pause, random }) {
	return async (request) => {
		const tries = isRepeatable(request) ? retriesMax : 0;
		let isInDoubt = false;
		for (let tried = 0;; tried += 1) {
			const isLast = tried >= tries;
			let asked = 0;
			try {
				const response = await within(timeoutMs, request.signal, async (signal) => readWhole(await fetch(request.clone(), { signal })));
				asked = (secondsOf(response.headers) ?? 0) * 1e3;
				if (isLast || !AGAIN.has(response.status) || asked > backoffMsMax) {
					if (isInDoubt) afterUnknownOutcome.add(response);
					return response;
				}
				const body = await response.json().catch(() => null);
				isInDoubt ||= errorOf(response, body, null) instanceof OutcomeUnknownError;
			} catch (error) {
				if (isLast || request.signal.aborted) throw error;
				isInDoubt = true;
			}
			const backoff = Math.min(backoffMs * 2 ** tried, backoffMsMax) * random();
			await pause(Math.max(asked, backoff), request.signal);
		}
	};
}
function isRepeatable({ method, url, headers }) {
	return method === "GET" || headers.has("idempotency-key") || READING_POSTS.test(new URL(url).pathname);
}
const TIMER_MS_MAX = 2 ** 31 - 1;
/**
* Runs `work` with a signal that aborts after `ms` or with `outer`. The timer holds the signal: Node may collect one
* of `AbortSignal.any`, or of an unreferenced `Request`, and the work would never end.
*/
async function within(ms, outer, work) {
	const inner = new AbortController();
	const stop = () => inner.abort(outer.reason);
	const timer = setTimeout(() => inner.abort(new DOMException("It took too long.", "TimeoutError")), Math.min(ms, TIMER_MS_MAX));
	if (outer.aborted) stop();
	else outer.addEventListener("abort", stop);
	try {
		return await work(inner.signal);
	} finally {
		clearTimeout(timer);
		outer.removeEventListener("abort", stop);
	}
}
async function readWhole(response) {
	const body = await response.arrayBuffer();
	const { status, statusText, headers } = response;
	return new Response(body.byteLength > 0 ? body : null, {
		status,
		statusText,
		headers
	});
}
/** Rejects with the signal's reason once aborted. */
function pause(ms, signal) {
	return new Promise((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(signal.reason);
		};
		const timer = setTimeout(() => {
			signal.removeEventListener("abort", stop);
			resolve();
		}, ms);
		if (signal.aborted) stop();
		else signal.addEventListener("abort", stop, { once: true });
	});
}
// sdk/src/answers.ts
/**
* Returns what `read` finds in a successful response; anything else throws its error. A proxy may answer in place of
* the service, in which case `read` finds nothing.
*/
async function answered(request, read, idempotencyKey = null) {
	const unclear = (status, code, message, cause) => idempotencyKey === null ? new UnavailableError({
		status,
		code,
		message,
		cause
	}, null) : new OutcomeUnknownError({
		status,
		code,
		message,
		cause,
		idempotencyKey
	});
	let answer;
	try {
		answer = await request;
	} catch (cause) {
		if (cause instanceof Error && cause.name === "AbortError") throw idempotencyKey === null ? cause : new PaymentAbortedError(cause, idempotencyKey);
		throw unclear(0, "NO_ANSWER", "The service did not answer.", cause);
	}
	const { data, error, response } = answer;
	if (!response.ok) {
		const refusal = errorOf(response, error, idempotencyKey);
		throw idempotencyKey !== null && followsUnknownOutcome(response) ? inDoubt(refusal) : refusal;
	}
	let found;
	try {
		found = read(data);
	} catch {
		found = void 0;
	}
	if (found !== void 0 && found !== null) return {
		found,
		response
	};
	throw unclear(response.status, "UNKNOWN_ANSWER", `The answer ${response.status} is none of the service's.`);
}
// sdk/src/client.ts
const HOUR_MS = 36e5;
const FIRST_POLL_MS = 500;
const LAST_POLL_MS_MIN = 2e3;
/** Bound on reading the state of a replayed payment. */
const READ_MS_MAX = 5e3;
/**
* Pays from one wallet with its API key. Each method returns the service's answer or throws a `WalletError`. Safe
* requests are retried when no answer comes or the service is unavailable.
*/
var WalletClient = class {
	/**
	* All routes open to the key, typed from the OpenAPI document; with the same retries, without thrown errors.
	*/
	api;
	constructor({ apiKey, baseUrl, retry = {}, fetch: send = fetch }) {
		new Request(baseUrl, { headers: { "x-api-key": apiKey } });
		const world = {
			fetch: send,
			pause,
			random: Math.random
		};
		this.api = createClient({
			baseUrl,
			headers: { "x-api-key": apiKey },
			redirect: "manual",
			fetch: retryingFetch(retry, world)
		});
	}
	/**
	* Pays. A retry pays nothing more, and returns the present state: see `replayed` and `status`. Every error has the
	* payment's `idempotencyKey`. Throws {@link PaymentBlockedError} when a rule blocked it, `PossibleDuplicateError`,
	* `ValidationError`, `AuthenticationError`, `IdempotencyKeyReusedError`, `UnavailableError` (nothing was carried
	* out), {@link PaymentAbortedError}, and `OutcomeUnknownError`, after which the same call with the same key is safe
	* and finds out.
	*/
	async pay(intent, { idempotencyKey = crypto.randomUUID(), signal } = {}) {
		if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) throw unusableKey(idempotencyKey);
		const answer = await answered(this.api.POST("/api/payment-intent", {
			body: intent,
			params: { header: { "Idempotency-Key": idempotencyKey } },
			...signal && { signal }
		}), ({ data }) => data.transaction.id ? data : void 0, idempotencyKey);
		const { transaction, settlement, approval } = answer.found;
		const replayed = answer.response.headers.get("idempotency-replayed") === "true";
		const now = replayed ? await this.readNow(transaction.id, idempotencyKey, signal) : null;
		if (now && now.decision === "blocked") throw blocked(now, idempotencyKey);
		const transfer = replayed ? "unknown" : "processing";
		return {
			id: transaction.id,
			decision: now?.decision ?? transaction.decision,
			status: now?.status ?? (transaction.decision === "pending" ? "awaiting_approval" : transfer),
			amount: transaction.amount,
			merchantName: transaction.merchantName,
			recipientAccountNo: transaction.recipientAccountNo,
			recipientBankCode: transaction.recipientBankCode,
			reason: transaction.reason,
			createdAt: transaction.createdAt,
			settlement: now ? now.settlement : settlement ? {
				...settlement,
				status: transfer
			} : null,
			approval: (now ? now.approval : approval) ?? null,
			replayed,
			idempotencyKey
		};
	}
	/** State of an earlier payment; null if the service does not answer in time. */
	async readNow(id, key, signal = new AbortController().signal) {
		try {
			return await within(READ_MS_MAX, signal, (inTime) => this.readPayment(id, inTime));
		} catch (error) {
			if (signal.aborted && error instanceof Error && error.name === "AbortError") throw new PaymentAbortedError(error, key);
			return null;
		}
	}
	/** Returns what {@link pay} would decide now. Nothing is stored, held or moved. */
	async quote(intent) {
		return (await answered(this.api.POST("/api/payment-intent/quote", { body: intent }), ({ data }) => data)).found;
	}
	/** Balance, limits and what they leave. */
	async getWallet() {
		return (await answered(this.api.GET("/api/wallet"), ({ data }) => data)).found;
	}
	/** Payment attempt with the state of its transfer. Throws `NotFoundError`. */
	async getPayment(id) {
		return this.readPayment(id);
	}
	/** Newest first. */
	async listPayments(filter = {}) {
		return (await answered(this.api.GET("/api/payment-intent", { params: { query: filter } }), (page) => Array.isArray(page.data) ? page : void 0)).found;
	}
	/** Name that the bank has for an account. Throws `NotFoundError`. */
	async resolveAccount(account) {
		return (await answered(this.api.POST("/v1/accounts/resolve", { body: account }), ({ accountName }) => accountName)).found;
	}
	/** Banks that can be paid to. */
	async listBanks() {
		return (await answered(this.api.GET("/v1/banks"), (banks) => Array.isArray(banks) ? banks : void 0)).found;
	}
	/**
	* Waits for the decision on a pending payment and returns it once approved. Throws {@link PaymentBlockedError}
	* (`APPROVAL_DENIED`, `APPROVAL_EXPIRED`) and {@link ApprovalTimeoutError}.
	*/
	async waitForApproval(payment, { timeoutMs = HOUR_MS, pollMsMax = 1e4, signal = new AbortController().signal } = {}) {
		const id = typeof payment === "string" ? payment : payment.id;
		const giveUpAt = Date.now() + timeoutMs;
		for (let pauseMs = FIRST_POLL_MS;; pauseMs = Math.min(pauseMs * 2, pollMsMax)) {
			signal.throwIfAborted();
			const record = await this.readPaymentBy(giveUpAt, id, signal);
			const decision = record.decision;
			if (decision === "approved") return record;
			if (decision !== "pending") throw blocked(record);
			const left = giveUpAt - Date.now();
			if (left <= 0) throw new ApprovalTimeoutError(id);
			await pause(Math.min(pauseMs, left), signal);
		}
	}
	/**
	* Throws {@link ApprovalTimeoutError} without an answer by `giveUpAt`, or within two seconds if that is later.
	*/
	async readPaymentBy(giveUpAt, id, signal) {
		return within(Math.max(giveUpAt - Date.now(), LAST_POLL_MS_MIN), signal, async (inTime) => {
			try {
				return await this.readPayment(id, inTime);
			} catch (error) {
				if (inTime.aborted && error instanceof UnavailableError) throw new ApprovalTimeoutError(id);
				throw error;
			}
		});
	}
	async readPayment(id, signal) {
		return (await answered(this.api.GET("/api/payment-intent/{transactionId}", {
			params: { path: { transactionId: id } },
			...signal && { signal }
		}), ({ data }) => data.id ? data : void 0)).found;
	}
};
/** Checked here, since some of these keys fit in no header and would never reach the service. */
function unusableKey(idempotencyKey) {
	const message = "must be 1 to 255 visible ASCII characters";
	return new ValidationError({
		status: 0,
		code: "VALIDATION_ERROR",
		message: `Idempotency-Key: ${message}`,
		idempotencyKey
	}, [{
		field: "Idempotency-Key",
		message
	}]);
}
function blocked({ id, blockReason }, idempotencyKey = null) {
	const code = blockReason ?? "BLOCKED";
	return new PaymentBlockedError({
		status: 200,
		code,
		message: `The payment ${id} was not approved (${code}).`,
		idempotencyKey
	}, {
		transactionId: id,
		replayed: idempotencyKey !== null
	});
}
exports.ApprovalTimeoutError = ApprovalTimeoutError;
exports.AuthenticationError = AuthenticationError;
exports.IdempotencyKeyReusedError = IdempotencyKeyReusedError;
exports.NotFoundError = NotFoundError;
exports.OutcomeUnknownError = OutcomeUnknownError;
exports.PaymentAbortedError = PaymentAbortedError;
exports.PaymentBlockedError = PaymentBlockedError;
exports.PossibleDuplicateError = PossibleDuplicateError;
exports.UnavailableError = UnavailableError;
exports.ValidationError = ValidationError;
exports.WalletClient = WalletClient;
exports.WalletError = WalletError;
exports.errorOf = errorOf;
exports.inDoubt = inDoubt;
exports.secondsOf = secondsOf;
