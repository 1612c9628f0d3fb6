import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FundedWallet } from '../support/wallet-owner.ts';

const ANSWER_MS_MAX = 20_000;
/** A client asks for so long whether it paid; every fault is over before. */
const PATIENCE_MS = 180_000;
const PAUSE_MS = 15;

export interface Acknowledged {
  readonly walletId: string;
  readonly id: string;
  readonly amount: number;
}

/** Clients that pay one payment after the other, each with its key, until they are told that they paid. */
export class Payers {
  /** By idempotency key. */
  readonly acknowledged = new Map<string, Acknowledged>();
  /** Answers that no client should ever get, and clients that never got one. */
  readonly unexpected: string[] = [];
  /** Answers that are no payment, by code. */
  readonly refusals = new Map<string, number>();
  private readonly url: string;
  private readonly wallets: readonly FundedWallet[];
  private lastAt = performance.now();
  private isMeasured = false;
  private gapMsMax = 0;
  private isWorking = false;
  private loops: Promise<void>[] = [];

  constructor(url: string, wallets: readonly FundedWallet[]) {
    this.url = url;
    this.wallets = wallets;
  }

  start(count: number): void {
    this.isWorking = true;
    this.loops = Array.from({ length: count }, async () => {
      while (this.isWorking) {
        await this.payOnce();
        await sleep(Math.random() * 2 * PAUSE_MS);
      }
    });
  }

  /** Lets every client end what it began. */
  async finish(): Promise<void> {
    this.isWorking = false;
    await Promise.all(this.loops);
  }

  /** From now on the longest time without an acknowledgment counts. */
  measure(): void {
    this.isMeasured = true;
    this.gapMsMax = 0;
  }

  /** Longest time without an acknowledgment, in milliseconds; one that lasts still included. */
  get silenceMs(): number {
    return Math.max(this.gapMsMax, performance.now() - this.lastAt);
  }

  private async payOnce(): Promise<void> {
    const wallet = this.wallets[Math.floor(Math.random() * this.wallets.length)] as FundedWallet;
    const key = randomUUID();
    const amount = 1 + Math.floor(Math.random() * 200);
    const giveUp = performance.now() + PATIENCE_MS;
    while (performance.now() < giveUp) {
      if (await this.tryToPay(wallet, key, amount)) return;
      await sleep(20 + Math.random() * 100);
    }
    this.unexpected.push('never answered');
  }

  private async tryToPay(wallet: FundedWallet, key: string, amount: number): Promise<boolean> {
    try {
      const answer = await fetch(`${this.url}/api/payment-intent`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': wallet.key, 'idempotency-key': key },
        body: JSON.stringify({
          amount,
          merchantName: 'Jumia',
          recipientAccountNo: '0123456789',
          recipientBankCode: '058',
        }),
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      type Body = { code?: string; data?: { transaction: { id: string } } };
      const body = (await answer.json()) as Body;
      if (answer.status === 201 && body.data) {
        this.noteAnswer();
        this.acknowledged.set(key, { walletId: wallet.id, id: body.data.transaction.id, amount });
        return true;
      }
      this.count(body.code ?? String(answer.status));
      if (answer.status !== 503 || answer.headers.get('retry-after') === null)
        this.unexpected.push(`${answer.status} ${JSON.stringify(body)}`);
    } catch (error) {
      // The connection broke, or what answered was no JSON.
      if (error instanceof SyntaxError) this.unexpected.push(`no JSON: ${error.message}`);
      this.count('connection lost');
    }
    return false;
  }

  private count(refusal: string): void {
    this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1);
  }

  private noteAnswer(): void {
    const now = performance.now();
    if (this.isMeasured) this.gapMsMax = Math.max(this.gapMsMax, now - this.lastAt);
    this.lastAt = now;
  }
}
