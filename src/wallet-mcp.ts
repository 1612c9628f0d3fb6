#!/usr/bin/env node
/**
 * The wallet's tools over stdio, for desktop clients: each call is a request to `WALLET_URL` under
 * `WALLET_KEY`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { toolError } from './contexts/agents/tools/refusals.js';
import { walletServer } from './contexts/agents/tools/tools.js';
import type { ApiAnswer, WalletApi } from './contexts/agents/tools/wallet-api.js';

const HELP = `An MCP server over stdio that pays from one wallet. MCP clients start it; it takes no arguments.

  WALLET_URL   the service, e.g. https://pay.example.ng; http://127.0.0.1:3000 unless set
  WALLET_KEY   the wallet's API key, apw_live_…

  {
    "mcpServers": {
      "wallet": {
        "command": "wallet-mcp",
        "env": { "WALLET_URL": "https://pay.example.ng", "WALLET_KEY": "apw_live_…" }
      }
    }
  }

  --help
`;

const ATTEMPTS_MAX = 4;
const ANSWER_MS_MAX = 20_000;
const PAUSE_MS = 250;
const PAUSE_MS_MAX = 10_000;

/** The request may have been carried out. */
const IN_DOUBT: ReadonlySet<string> = new Set(['OUTCOME_UNKNOWN', 'INTERNAL_ERROR']);
/** Beside a block: proves that no try under the key was carried out, or only with other arguments. */
const TELLING: ReadonlySet<string> = new Set(['VALIDATION_ERROR', 'IDEMPOTENCY_KEY_REUSED']);

/** The last answer while an earlier try is in doubt. A momentary refusal is of the last try alone. */
function behindDoubt(answer: ApiAnswer): ApiAnswer {
  if (answer.status < 300) return answer;
  const { code, message, transactionId } = toolError(answer, true);
  if (transactionId !== undefined || TELLING.has(code)) return answer;
  const told = `It is not known whether an earlier try was carried out. The last one was refused: ${message}`;
  return { ...answer, status: 503, body: { code: 'OUTCOME_UNKNOWN', message: told } };
}

/**
 * Requests without an answer, or told to come again, are repeated a few times; a payment carries its
 * Idempotency-Key.
 */
function apiAt(base: string, key: string): WalletApi {
  const request: WalletApi = async ({ method, path, body, headers }) => {
    const response = await fetch(base.replace(/\/+$/, '') + path, {
      method,
      headers: {
        ...headers,
        'x-api-key': key,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      // The key is for this address alone.
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      const message = `The service points to ${location}, which is not followed: WALLET_URL has to be corrected.`;
      return { status: response.status, body: { code: 'BAD_REQUEST', message }, header: () => undefined };
    }
    const json: unknown = JSON.parse(await response.text());
    return { status: response.status, body: json, header: (name) => response.headers.get(name) ?? undefined };
  };
  return async (asked) => {
    const pays = asked.headers?.['idempotency-key'] !== undefined;
    let isInDoubt = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await request(asked);
        const saysAgain = answer.status >= 500 || answer.status === 408 || answer.status === 429;
        if (!saysAgain || attempt === ATTEMPTS_MAX) return pays && isInDoubt ? behindDoubt(answer) : answer;
        isInDoubt ||= IN_DOUBT.has(toolError(answer, pays).code);
        const seconds = Number(answer.header('retry-after') ?? 0);
        await sleep(Math.min(seconds * 1_000, PAUSE_MS_MAX));
      } catch (error) {
        if (attempt === ATTEMPTS_MAX) throw error;
        isInDoubt = true;
      }
      await sleep(PAUSE_MS * 2 ** attempt * Math.random());
    }
  };
}

function fail(line: string): never {
  process.stderr.write(`wallet-mcp: ${line}\n`);
  process.exit(2);
}

function wantsHelp(): boolean {
  try {
    return parseArgs({ options: { help: { type: 'boolean', short: 'h', default: false } } }).values.help;
  } catch (error) {
    return fail(`${(error as Error).message}; see wallet-mcp --help`);
  }
}

function main(): void {
  if (wantsHelp()) {
    process.stdout.write(HELP);
    return;
  }
  const { WALLET_URL = 'http://127.0.0.1:3000', WALLET_KEY = '' } = process.env;
  if (!/^https?:$/.test(URL.parse(WALLET_URL)?.protocol ?? ''))
    fail('WALLET_URL: must be an http or https address');
  // No header takes it; each call would seem unanswered.
  if (!/^[\x21-\x7e]+$/.test(WALLET_KEY.trim()))
    fail("WALLET_KEY: must be the wallet's API key; see wallet-mcp --help");
  const api = apiAt(WALLET_URL, WALLET_KEY.trim());
  serveStdio(() => walletServer(api));
}

main();
