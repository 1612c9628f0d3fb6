import { Injectable, Logger } from '@nestjs/common';
import { Bank } from '../../bank/bank.port.js';
import { NameEnquiry } from '../../bank/name-enquiry.port.js';
import { Wallets } from '../../wallet/wallet.port.js';
import { readFor } from '../../../platform/observability/request-id.js';
import { LimitedLog } from '../../../platform/observability/limited-log.js';
import type { Facts, Intent } from '../checks/facts.port.js';
import type { PassesWhen } from '../checks/check.domain.js';
import { decisionOf } from '../payments.domain.js';
import { recipientOf } from '../payments.port.js';
import { firstFailed } from '../checks/decide.domain.js';
import type { BlockReason } from '../../../kernel/errors.js';
import { type Advice, hintAnew, hintOf, maxAmount, waitsFor } from './advice.domain.js';
import { AuthorizeService } from './authorize.service.js';
import type { PaymentRequest } from './payments.aggregate.js';
import { type WindowRelease, WindowReleaseStore } from './window-release.store.js';

export interface BlockedAttempt {
  readonly walletId: string;
  readonly keyId: string | null;
  readonly facts: Facts;
  readonly intent: Intent;
  /** Null for a quote. */
  readonly transactionId: string | null;
}

/** Milliseconds to wait for the bank before advice assumes that an account exists. */
const RECIPIENT_MS_MAX = 2_000;

@Injectable()
export class AdviceService {
  private readonly log = new LimitedLog(new Logger(AdviceService.name));

  constructor(
    private readonly releases: WindowReleaseStore,
    private readonly wallets: Wallets,
    private readonly bank: Bank,
    private readonly names: NameEnquiry,
    private readonly payments: AuthorizeService,
  ) {}

  maxAmountOf(facts: Facts, intent: Intent): number {
    return maxAmount(facts, intent, this.bank.capabilities);
  }

  /** Best effort: never fails the response. */
  async of(attempt: BlockedAttempt): Promise<Advice> {
    const { intent, walletId, keyId } = attempt;
    readFor({ kind: 'key', id: keyId ?? walletId }, { kind: 'user', id: walletId });
    const facts = await this.recipientAsked(attempt.facts, intent);
    const maxAmountNow = this.maxAmountOf(facts, intent);
    let earliestPassAt: string | null | undefined;
    try {
      earliestPassAt = await this.earliest({ ...attempt, facts });
    } catch (error) {
      this.log.warn(`when a blocked payment would pass can not be found out: ${String(error)}`);
    }
    const advice = { maxAmountNow, ...(earliestPassAt !== undefined && { earliestPassAt }) };
    return { ...advice, hint: hintOf(facts, intent, advice) };
  }

  /** Advice for a replayed block, on a decision made now. Never throws. */
  async anew(
    request: PaymentRequest,
    blockReason: BlockReason,
  ): Promise<Partial<Advice> & Pick<Advice, 'hint'>> {
    try {
      const intent = { ...request, idempotencyKey: null };
      const quote = await this.payments.quote(intent, RECIPIENT_MS_MAX);
      const decision = decisionOf(quote);
      const { hint, ...advice } =
        decision === 'blocked'
          ? await this.of({ ...quote, intent, transactionId: null })
          : { maxAmountNow: this.maxAmountOf(quote.facts, intent), earliestPassAt: null, hint: '' };
      return { ...advice, hint: hintAnew(blockReason, { decision, hint }) };
    } catch (error) {
      this.log.warn(`what would pass instead of a blocked payment can not be determined: ${String(error)}`);
      return { hint: hintAnew(blockReason, null) };
    }
  }

  /**
   * A payment blocked by something else was decided without the bank. On timeout, assume the account exists.
   */
  private async recipientAsked(facts: Facts, intent: Intent): Promise<Facts> {
    if (facts.recipient !== 'unasked') return facts;
    const known: Facts = { ...facts, recipient: 'known' };
    if (this.maxAmountOf(known, intent) === 0 && !waitsFor(known, intent)) return known;
    try {
      return { ...facts, recipient: await this.names.verify(recipientOf(intent), RECIPIENT_MS_MAX) };
    } catch {
      return known;
    }
  }

  /** First time at which every check passes; null if the key has ended by then. */
  private async earliest(attempt: BlockedAttempt): Promise<string | null> {
    const { facts, intent } = attempt;
    const waits = waitsFor(facts, intent);
    if (!waits || waits.length === 0) return null;
    let later = facts;
    let at = Date.parse(facts.now);
    for (const wait of waits) {
      if ('until' in wait) at = Math.max(at, Date.parse(wait.until));
      else {
        const release = await this.releaseFor(wait, attempt);
        if (!release) return null;
        at = Math.max(at, release.at.getTime());
        later = wait.after(later, release.spent);
      }
    }
    later = { ...later, now: new Date(at).toISOString() };
    if (firstFailed(later, intent) !== null) return null;
    const { keyId } = attempt;
    return keyId !== null && (await this.wallets.keyEndsBy(keyId, new Date(at))) ? null : later.now;
  }

  private releaseFor(
    { spendOf, days, room }: Extract<PassesWhen, { spendOf: string }>,
    { walletId, keyId, facts, transactionId }: BlockedAttempt,
  ): Promise<WindowRelease | null> | null {
    const { now } = facts;
    if (spendOf === 'wallet') {
      return this.releases.ofWallet({ walletId, now, days, room, before: transactionId });
    }
    return keyId === null ? null : this.releases.ofKey({ walletId, keyId, now, days, room });
  }
}
