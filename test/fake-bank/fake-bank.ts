import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeBooks, type BankOptions } from './bank.ts';
import { Chaos } from './chaos.ts';
import { Clock } from './clock.ts';
import { control, stateOf } from './control.ts';
import { isObject, parseSource, toKobo } from './json.ts';
import { answer, type Answer, type ApiCall } from './kora-api.ts';
import { Outbox } from './outbox.ts';
import { Random } from './random.ts';
import { Script, type Matchable, type Rule } from './script.ts';

const API = '/merchant/api/v1';
const BODY_BYTES_MAX = 1024 * 1024;
const CALLS_MAX = 100_000;

/** The settings of a fake bank; what is not given is chosen for tests: real milliseconds are few. */
export interface FakeBankOptions {
  readonly port?: number;
  /** Signs the webhooks. */
  readonly secret?: string;
  readonly webhookUrl?: string;
  readonly payoutWebhookUrl?: string;
  readonly seed?: number;
  /** Virtual per real time; 0: time stands until it is moved on, and no answer is delayed. */
  readonly speed?: number;
  /** What the operator has with the bank, in decimal naira. */
  readonly balanceNaira?: string;
  readonly payoutFeeNaira?: string;
  readonly accountsMax?: number;
  /** Virtual ms: of answers (median and 99th percentile), to a payout's end, to a webhook's first attempt. */
  readonly latencyMs?: readonly [median: number, p99: number];
  readonly settleMs?: readonly [number, number];
  readonly firstTryMs?: readonly [number, number];
  readonly retryMs?: readonly number[];
  readonly giveUpMs?: number;
  /** Real ms a webhook may take. */
  readonly webhookTimeoutMs?: number;
}

export interface CallRecord {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly reference: string | null;
  /** The received text, for looking at how a number was written. */
  readonly text: string;
  readonly traceparent: string | undefined;
  /** The status that the bank's own rules gave; null where the call was not taken on (yet). */
  status: number | null;
  readonly scripted: boolean;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * Kora's part of the world, on loopback: its paths under `url`, signed webhooks, and a control plane under
 * `/__fake` whose commands are also methods here. It is made from a seed, in memory, and forgets all at `reset`.
 */
export class FakeBank {
  readonly script = new Script();
  calls: CallRecord[] = [];
  /** Called when a call has had its effect and is left without an answer. */
  onSilence: () => void = () => undefined;
  clock: Clock;
  chaos!: Chaos;
  books!: FakeBooks;
  #random!: Random;
  readonly #options: FakeBankOptions;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(options: FakeBankOptions = {}) {
    this.#options = options;
    this.clock = new Clock(0);
    this.reset();
  }

  /** The base URL that an adapter is given. */
  get url(): string {
    return `${this.origin}${API}`;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get outbox(): Outbox {
    return this.books.outbox;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port ?? 0, '127.0.0.1', resolve);
    });
    return this;
  }

  async close(): Promise<void> {
    this.clock.clear();
    this.hangUp();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Breaks every connection, also of those who wait for an answer. */
  hangUp(): void {
    this.#server.closeAllConnections();
  }

  /** Starts anew, from `seed` when it is given. */
  reset(seed = this.#options.seed ?? 1): void {
    this.clock.clear();
    this.script.clear();
    this.calls = [];
    const { secret = 'sk_test_fake_bank', speed = 100, firstTryMs = [100, 5_000], ...rest } = this.#options;
    this.clock = new Clock(speed);
    this.#random = new Random(seed);
    const random = this.#random;
    // A stream of its own: what goes wrong does not change what the bank makes up.
    this.chaos = new Chaos(new Random(seed ^ 0x5eed));
    const outbox = new Outbox(this.clock, {
      fault: () => this.chaos.webhook(),
      secret,
      firstTry: () => random.between(...(firstTryMs as [number, number])),
      retryMs: rest.retryMs ?? [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR],
      giveUpMs: rest.giveUpMs ?? 72 * HOUR,
      timeoutMs: rest.webhookTimeoutMs ?? 10_000,
    });
    const options: BankOptions = {
      webhookUrl: rest.webhookUrl,
      payoutWebhookUrl: rest.payoutWebhookUrl,
      balance: toKobo(rest.balanceNaira ?? '100000000.00') ?? 0n,
      payoutFee: toKobo(rest.payoutFeeNaira ?? '32.25') ?? 0n,
      accountsMax: rest.accountsMax ?? 1_000_000,
      settleMs: rest.settleMs ?? [2_000, 20_000],
    };
    this.books = new FakeBooks(options, this.clock, random, outbox);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const text = await readBody(request);
      const url = new URL(request.url ?? '/', 'http://fake');
      if (url.pathname.startsWith('/__fake')) {
        const result = await control(this, request.method ?? 'GET', url.pathname, parsePlain(text));
        send(response, result);
      } else {
        await this.#serveApi(request, response, url, text);
      }
    } catch (error) {
      send(response, { status: 400, body: { error: (error as Error).message } });
    }
  }

  async #serveApi(request: IncomingMessage, response: ServerResponse, url: URL, text: string): Promise<void> {
    const path = url.pathname.startsWith(API) ? url.pathname.slice(API.length) : url.pathname;
    const call: ApiCall = {
      method: request.method ?? 'GET',
      path,
      query: url.searchParams,
      key: /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null,
      body: text ? parseSource(text) : undefined,
    };
    const match = matchableOf(call);
    const rule = this.script.take(match) ?? this.chaos.rule(match);
    const { reference } = match;
    const at = this.clock.iso();
    const record: CallRecord = {
      at,
      method: call.method,
      path,
      query: url.search,
      reference,
      text,
      traceparent: [request.headers['traceparent']].flat()[0],
      status: null,
      scripted: !!rule,
    };
    if (this.calls.push(record) > CALLS_MAX) this.calls.shift();

    const act = (): Answer => {
      const result = answer(this.books, call);
      record.status = result.status;
      return result;
    };
    const result = this.#accept(rule, act);
    if (rule?.settleFirst && reference && this.books.payouts.get(reference)?.status === 'processing') {
      const delivery = this.books.settle(reference, 'success', { mode: 'hold' });
      await this.outbox.redeliver(delivery.id);
    }
    const [median, p99] = this.#options.latencyMs ?? [150, 2_000];
    await this.clock.sleep(this.#random.latency(median, p99));
    if (rule?.answer === 'none') this.onSilence();
    else deliver(response, result, rule);
  }

  #accept(rule: Rule | null, act: () => Answer): Answer {
    const accept = rule?.accept ?? true;
    if (accept === true) return act();
    if (accept !== false) this.clock.after(accept.afterMs, act);
    return { status: 503, body: { status: false, message: 'Service unavailable', data: null } };
  }

  state(): Record<string, unknown> {
    return stateOf(this);
  }
}

/** Starts a fake bank in this process, on a free port unless one is given. */
export function startFakeBank(options: FakeBankOptions = {}): Promise<FakeBank> {
  return new FakeBank(options).listen();
}

function matchableOf({ method, path, body }: ApiCall): Matchable {
  const given = isObject(body) ? body : {};
  const destination = isObject(given.destination) ? given.destination : {};
  const bankAccount = isObject(destination.bank_account) ? destination.bank_account : {};
  const inPath = /^\/(?:charges|transactions|virtual-bank-account)\/([^/]+)$/.exec(path)?.[1];
  const reference = given.reference ?? given.account_reference ?? (inPath && decodeURIComponent(inPath));
  const textOr = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    method,
    path,
    reference: textOr(reference),
    bank: textOr(bankAccount.bank),
    account: textOr(bankAccount.account ?? given.account),
  };
}

function deliver(response: ServerResponse, normal: Answer, rule: Rule | null): void {
  const how = rule?.answer ?? 'normal';
  if (how === 'none') return;
  if (how === 'normal') {
    send(response, normal);
    return;
  }
  if (how === 'reset') return void response.destroy();
  if (how === 'reset-mid-body' || 'slowBodyMs' in how) {
    const body = Buffer.from(JSON.stringify(normal.body));
    const half = Math.floor(body.length / 2);
    response.writeHead(normal.status, { 'content-type': 'application/json', 'content-length': body.length });
    response.write(body.subarray(0, half));
    if (how === 'reset-mid-body') setTimeout(() => response.destroy(), 20);
    else setTimeout(() => response.end(body.subarray(half)), how.slowBodyMs).unref();
    return;
  }
  send(response, { status: how.status, headers: how.headers, body: how.body ?? '' });
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) throw new Error('too long a body');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsePlain(text: string): unknown {
  return text ? JSON.parse(text) : {};
}
