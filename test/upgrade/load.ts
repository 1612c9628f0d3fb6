import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { FundedWallet, WalletOwner } from '../support/wallet-owner.ts';

const PAYERS = 24;
const PAUSE_MS_MAX = 20;
const ANSWER_MS_MAX = 30_000;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A wallet whose account the sandbox bank keeps. */
export interface BankedWallet extends FundedWallet {
  readonly accountNumber: string;
}

/** A payment as it was sent, and what was answered. */
export interface Sent {
  readonly wallet: FundedWallet;
  readonly idempotencyKey: string;
  readonly body: string;
  readonly answer: Answer;
}

/** A client of one address, with connections that it keeps. */
export class Client {
  private readonly pool: Pool;

  constructor(port: number, connections: number) {
    this.pool = new Pool(`http://127.0.0.1:${port}`, { connections, headersTimeout: ANSWER_MS_MAX });
  }

  async get(path: string, headers: Record<string, string>): Promise<Answer> {
    const { statusCode, body } = await this.pool.request({ method: 'GET', path, headers });
    return { status: statusCode, text: await body.text() };
  }

  async post(path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await this.pool.request({
      method: 'POST',
      path,
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  pay({ key }: FundedWallet, idempotencyKey: string, body: string): Promise<Answer> {
    return this.post('/api/payment-intent', body, { 'x-api-key': key, 'idempotency-key': idempotencyKey });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }
}

export const paymentOf = (amount: number): string =>
  JSON.stringify({
    amount,
    merchantName: `Shop ${amount % 50}`,
    recipientAccountNo: '0123456789',
    recipientBankCode: '058',
  });

/** Has the sandbox bank take in a transfer to a wallet, and report it. */
export function collect(
  client: Client,
  { token }: WalletOwner,
  { accountNumber }: BankedWallet,
  amount: number,
): Promise<Answer> {
  const body = JSON.stringify({ accountNumber, amount });
  return client.post('/v1/sandbox/transfers', body, { authorization: `Bearer ${token}` });
}

/** Agents that pay, owners that look, and a bank that reports transfers: each request is sent once, whatever comes of it. */
export class Load {
  requests = 0;
  payments = 0;
  longestPaymentMs = 0;
  readonly failed: string[] = [];
  private readonly client: Client;
  private readonly wallets: readonly BankedWallet[];
  private readonly owner: WalletOwner;
  private isOn = true;
  private readonly loops: Promise<void>[];

  constructor(client: Client, wallets: readonly BankedWallet[], owner: WalletOwner) {
    this.client = client;
    this.wallets = wallets;
    this.owner = owner;
    this.loops = [
      ...Array.from({ length: PAYERS }, (_, i) => this.loop(PAUSE_MS_MAX, (n) => this.pay(i + n))),
      ...Array.from({ length: 4 }, () => this.loop(100, (n) => this.look(n))),
      this.loop(100, (n) => this.topUp(n)),
    ];
  }

  async stop(): Promise<void> {
    this.isOn = false;
    await Promise.all(this.loops);
  }

  private async loop(pauseMs: number, work: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; this.isOn; n += 1) {
      await work(n);
      await sleep(Math.random() * pauseMs);
    }
  }

  private wallet(n: number): BankedWallet {
    return this.wallets[n % this.wallets.length] as BankedWallet;
  }

  private async pay(n: number): Promise<void> {
    const from = performance.now();
    await this.expect(
      201,
      'payment',
      this.client.pay(this.wallet(n), randomUUID(), paymentOf(1 + (n % 500))),
    );
    this.payments += 1;
    this.longestPaymentMs = Math.max(this.longestPaymentMs, performance.now() - from);
  }

  private async look(n: number): Promise<void> {
    const paths = ['', '/transactions?limit=20', '/ledgers?limit=20', '/keys'];
    const path = `/api/wallets/${this.wallet(n >> 2).id}${paths[n % 4] ?? ''}`;
    await this.expect(200, path, this.client.get(path, { authorization: `Bearer ${this.owner.token}` }));
  }

  private async topUp(n: number): Promise<void> {
    await this.expect(201, 'top-up', collect(this.client, this.owner, this.wallet(n), 1_000));
  }

  private async expect(status: number, what: string, answer: Promise<Answer>): Promise<void> {
    this.requests += 1;
    try {
      const got = await answer;
      if (got.status !== status) this.fail(`${what}: ${got.status} ${got.text}`);
    } catch (error) {
      this.fail(`${what}: ${(error as Error).message}`);
    }
  }

  private fail(line: string): void {
    this.failed.push(`${new Date().toISOString().slice(11, 23)} ${line.slice(0, 300)}`);
  }
}
