import { Injectable } from '@nestjs/common';
import { merchantIdentity } from '../../kernel/text.js';
import { turn } from '../../platform/batching/turns.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { AccountActed } from '../identity/identity.events.js';
import type { Actor } from '../identity/identity.port.js';
import { assertOpen } from '../wallet/open-wallet.port.js';
import { Wallets } from '../wallet/wallet.port.js';
import { Backtest, type OtherRules } from './backtest.domain.js';
import { blockedByCheck } from './replay.domain.js';
import { Decisions, RecordedAttempts } from '../payments/payments.port.js';
import type { ShadowRules, TrialRules } from './shadow.entity.js';
import { type Judged, type ListedFlip, ShadowStore } from './shadow.store.js';

export interface Trial {
  readonly record: ShadowRules;
  readonly flips: readonly ListedFlip[];
}

// Bounds of a run, every two seconds.
const EVERY_MS = 2_000;
const WALLETS_AT_ONCE = 100;
const PAGE_SIZE = 500;
const PAGES_AT_ONCE = 20;
const FLIPS_LISTED_MAX = 100;
const ATTEMPTS_PER_TURN = 20;

/** On stored facts. Each attempt counts once, in order, whichever replica records it. */
@Injectable()
export class ShadowService {
  constructor(
    private readonly store: ShadowStore,
    private readonly recorded: RecordedAttempts,
    private readonly decisions: Decisions,
    private readonly wallets: Wallets,
    private readonly events: Events,
    jobs: Jobs,
  ) {
    jobs.every(EVERY_MS, async () => {
      for (const walletId of await this.store.behind(WALLETS_AT_ONCE)) await this.judgeNewAttempts(walletId);
    });
  }

  /** Null: no trial. Throws `WALLET_NOT_FOUND`. */
  async read(walletId: string, accountId: string): Promise<Trial | null> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    await this.judgeNewAttempts(id);
    const record = await this.store.find(id);
    return record && { record, flips: await this.changesOf(id) };
  }

  /**
   * Restarts; null removes one, and the last ends the trial. Throws `WALLET_NOT_FOUND` and `WALLET_CLOSED`.
   */
  async change(
    walletId: string,
    { accountId, userId }: Actor,
    change: { readonly [Name in keyof TrialRules]: TrialRules[Name] | null },
  ): Promise<Trial | null> {
    const wallet = await this.wallets.requireOwned(walletId, accountId);
    assertOpen(wallet);
    const { id } = wallet;
    const merged = (present: TrialRules): TrialRules | null => {
      const entries = Object.entries({ ...present, ...change }).filter(([, value]) => value != null);
      return entries.length > 0 ? Object.fromEntries(entries) : null;
    };
    const record = await this.store.replace(id, merged, (before, after, tx) => {
      const acted = { accountId, userId, act: 'wallet.trial-changed', subject: id, before, after };
      return this.events.publish([new AccountActed(acted)], tx);
    });
    // No read after the commit: a failed one would deny it.
    return record && { record, flips: [] };
  }

  private async changesOf(walletId: string): Promise<ListedFlip[]> {
    const blocks = new Map(
      (await this.store.flips(walletId, FLIPS_LISTED_MAX)).map((flip) => [flip.seq, flip.blockReason]),
    );
    const attempts = await this.recorded.at(walletId, [...blocks.keys()]);
    return attempts.map((attempt) => ({ ...attempt, underRules: blocks.get(attempt.seq) ?? null }));
  }

  private async judgeNewAttempts(walletId: string): Promise<void> {
    for (let page = 0; page < PAGES_AT_ONCE; page += 1) {
      const record = await this.store.find(walletId);
      if (!record || !(await this.judgePage(record))) return;
    }
  }

  /** True if there may be more. */
  private async judgePage(record: ShadowRules): Promise<boolean> {
    const { walletId, judgedSeq: from } = record;
    const rules = otherRules(record.rules);
    const days = rules.periodWindowDays ?? null;
    const upTo = Number.MAX_SAFE_INTEGER;
    const attempts = await this.recorded.page(walletId, { after: from, upTo, limit: PAGE_SIZE, days });
    const last = attempts.at(-1);
    if (!last) return false;
    const flips: Judged['flips'][number][] = [];
    for (const [i, attempt] of attempts.entries()) {
      if (i % ATTEMPTS_PER_TURN === 0) await turn();
      // Each alone, on the wallet's real spend.
      const decided = new Backtest(rules, this.decisions).decide({ ...attempt, refundedAt: null });
      const isFlip = (decided === null) !== (blockedByCheck(attempt.blockReason) === null);
      const { seq, id: transactionId, amount } = attempt;
      if (isFlip) flips.push({ seq, transactionId, amount, blockReason: decided });
    }
    await this.store.record(record, { from, upTo: last.seq, count: attempts.length, flips });
    return attempts.length === PAGE_SIZE;
  }
}

function otherRules({ merchantAllowlist, expiry, ...rules }: TrialRules): OtherRules {
  return {
    ...rules,
    ...(expiry !== undefined && { expiry: new Date(expiry) }),
    ...(merchantAllowlist && {
      useAllowlist: rules.useAllowlist ?? true,
      allowedMerchants: new Set(merchantAllowlist.map(merchantIdentity)),
    }),
  };
}
