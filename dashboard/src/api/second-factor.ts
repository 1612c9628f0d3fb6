import type { Middleware } from 'openapi-fetch';

/*
 * A call that needs a second factor asks for a proof and is sent again with it, wherever it was made. Nothing was
 * done by the first one.
 */

/** The header that it travels in: a code, or what a passkey answered. */
export type Proof = readonly [header: 'x-totp-code' | 'x-passkey', value: string];

/** What a proof is asked for. */
export interface Asking {
  /** The call that needs it, as `POST /v1/wallets/resume`. */
  readonly call: string;
  /** The proof before was. */
  readonly wasWrong: boolean;
}

/** Asks a person for a proof; null when they would rather not. */
type Prompt = (asking: Asking) => Promise<Proof | null>;

let prompt: Prompt | null = null;

/** Registers the part of the screen that asks the user. The function that is answered takes it back. */
export function providePrompt(ask: Prompt): () => void {
  prompt = ask;
  return () => {
    if (prompt === ask) prompt = null;
  };
}

async function codeOf(response: Response): Promise<string | undefined> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: string; error?: { code?: string } } | null;
  return body?.error?.code ?? body?.code;
}

/** Bodies can be read once: a copy of each request that is under way, to send again. */
const copies = new Map<string, Request>();

export const secondFactor: Middleware = {
  onRequest({ request, id }) {
    if (request.method !== 'GET') copies.set(id, request.clone());
  },
  async onResponse({ id, response, schemaPath }) {
    const copy = copies.get(id);
    copies.delete(id);
    // Signing in takes the code with the password.
    if (!copy || response.status !== 403 || schemaPath === '/v1/auth/login') return;
    let answer = response;
    // What calls a code wrong that was never in the header took it in its body, and has a field for it.
    let asks = (await codeOf(answer)) === 'TWO_FACTOR_REQUIRED';
    for (let wasWrong = false; prompt && asks; wasWrong = true) {
      const proof = await prompt({ call: `${copy.method} ${schemaPath}`, wasWrong });
      if (proof === null) return answer;
      const again = new Request(copy.clone());
      again.headers.set(...proof);
      answer = await fetch(again);
      asks = (await codeOf(answer)) === 'INVALID_TWO_FACTOR_CODE';
    }
    return answer;
  },
  onError({ id }) {
    copies.delete(id);
  },
};
