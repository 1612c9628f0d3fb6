import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FundedWallet, transfer } from '../support/wallet-owner.ts';

const ANSWER_MS_MAX = 20_000;
/** A client gives up long after everything must be up again. */
const PATIENCE_MS = 90_000;

/** One payment as its client knows it. */
export interface Payment {
  readonly key: string;
  readonly wallet: FundedWallet;
  readonly amount: number;
  /** What was answered, once for each time it was asked to the end. */
  readonly answers: PaymentAnswer[];
}

interface PaymentAnswer {
  readonly status: number;
  readonly transactionId: string;
  readonly replayed: boolean;
}

/** One transfer as the bank knows it. */
export interface TopUp {
  readonly reference: string;
  readonly walletId: string;
  readonly kobo: number;
  acknowledged: number;
}

/** Numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The clients and the bank: they send to any replica, again and again until they are answered, and remember. */
export class Clients {
  readonly payments: Payment[] = [];
  readonly topUps: TopUp[] = [];
  /** Answers that no client should ever get, and clients that never got one. */
  readonly unexpected: string[] = [];
  repeats = 0;
  lastAnswerAt = 0;
  private onPaid: () => void = () => undefined;
  private readonly ports: readonly number[];
  private readonly random: () => number;
  private wallets: readonly FundedWallet[] = [];
  private working = false;
  private loops: Promise<void>[] = [];

  constructor(ports: readonly number[], random: () => number) {
    this.ports = ports;
    this.random = random;
  }

  /** The moment at which the next client is told that it paid. */
  nextPaid(): Promise<void> {
    return new Promise((resolve) => (this.onPaid = resolve));
  }

  spendFrom(wallets: readonly FundedWallet[]): void {
    this.wallets = wallets;
  }

  start(payers: number, banks: number): void {
    this.working = true;
    this.loops = [
      ...Array.from({ length: payers }, () => this.loop(10, () => this.payOnce())),
      ...Array.from({ length: banks }, () => this.loop(200, () => this.topUpOnce())),
    ];
  }

  /** Lets everyone finish what they began: no request is left without an answer. */
  async finish(): Promise<void> {
    this.working = false;
    await Promise.all(this.loops);
  }

  private async loop(pauseMs: number, work: () => Promise<unknown>): Promise<void> {
    while (this.working) {
      await work();
      await sleep(this.random() * pauseMs);
    }
  }

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  /** Some are sent to both replicas at the same moment, as by a client whose first request seems to hang. */
  private async payOnce(): Promise<void> {
    const wallet = this.pick(this.wallets);
    const payment = { key: randomUUID(), wallet, amount: 1 + Math.floor(this.random() * 200), answers: [] };
    this.payments.push(payment);
    await Promise.all(this.ports.slice(0, this.random() < 0.25 ? undefined : 1).map(() => this.pay(payment)));
  }

  async pay({ key, wallet, amount, answers }: Payment): Promise<void> {
    const body = {
      amount,
      merchantName: 'Jumia',
      recipientAccountNo: '0123456789',
      recipientBankCode: '058',
    };
    const answer = await this.untilAnswered('/api/payment-intent', body, [201, 402, 403], {
      'x-api-key': wallet.key,
      'idempotency-key': key,
    });
    if (!answer) return;
    type Body = { transactionId?: string; data?: { transaction: { id: string } } };
    const { transactionId, data } = answer.body as Body;
    const replayed = answer.headers.get('idempotency-replayed') === 'true';
    answers.push({
      status: answer.status,
      transactionId: transactionId ?? data?.transaction.id ?? '',
      replayed,
    });
  }

  private async topUpOnce(): Promise<void> {
    await this.topUp(
      this.pick(this.wallets).id,
      1 + Math.floor(this.random() * 300),
      Math.ceil(this.random() * 3),
    );
  }

  /** Delivers one transfer `deliveries` times at once, each until it is acknowledged. */
  async topUp(walletId: string, kobo: number, deliveries: number): Promise<void> {
    const topUp: TopUp = { reference: randomUUID(), walletId, kobo, acknowledged: 0 };
    this.topUps.push(topUp);
    const body = transfer(walletId, kobo / 100, topUp.reference);
    const delivered = Array.from({ length: deliveries }, () =>
      this.untilAnswered('/api/webhooks', body, [200]),
    );
    topUp.acknowledged = (await Promise.all(delivered)).filter(Boolean).length;
  }

  /** Sends a request to any replica until it is answered as `expected`; null when it never is. */
  async untilAnswered(
    path: string,
    body: object,
    expected: readonly number[],
    headers: Readonly<Record<string, string>> = {},
    method = 'POST',
  ): Promise<{ status: number; headers: Headers; body: unknown } | null> {
    const giveUp = Date.now() + PATIENCE_MS;
    for (; Date.now() < giveUp; this.repeats += 1) {
      try {
        const answer = await fetch(`http://127.0.0.1:${this.pick(this.ports)}${path}`, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(ANSWER_MS_MAX),
        });
        if (answer.status === 201) this.onPaid();
        const content: unknown = await answer.json();
        if (expected.includes(answer.status)) {
          this.lastAnswerAt = Date.now();
          return { status: answer.status, headers: answer.headers, body: content };
        }
        if (answer.status !== 503)
          this.unexpected.push(`${path}: ${answer.status} ${JSON.stringify(content)}`);
      } catch {
        // Not there, or gone in the middle: nobody knows what became of it, so it is sent again.
      }
      await sleep(60 + this.random() * 200);
    }
    this.unexpected.push(`${path}: never answered`);
    return null;
  }
}
