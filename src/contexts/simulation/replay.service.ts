import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { AppError } from '../../kernel/errors.js';
import { cappedSum } from '../../kernel/money.js';
import { turn } from '../../platform/batching/turns.js';
import { Settlements } from '../settlement/settlement.port.js';
import { Wallets } from '../wallet/wallet.port.js';
import { Backtest, type DecisionChange, type OtherRules, type RecordedAttempt } from './backtest.domain.js';
import { blockedByCheck, type Difference, differenceOf } from './replay.domain.js';
import { Decisions, type PlacedAttempt, RecordedAttempts } from '../payments/payments.port.js';

export interface ReplayReport {
  readonly attempts: number;
  /** All of them; `listed` has the first. */
  readonly differences: number;
  readonly listed: readonly Difference[];
}

/** Sums stop at the largest amount. */
interface CountAndSum {
  readonly count: number;
  readonly kobo: number;
}

export interface BacktestReport {
  /** Null: no attempts. */
  readonly from: Date | null;
  readonly to: Date | null;
  readonly attempts: number;
  /** False: only the newest attempts. */
  readonly complete: boolean;
  readonly recorded: { readonly approved: CountAndSum; readonly blocked: CountAndSum };
  readonly underRules: { readonly approved: CountAndSum; readonly blocked: CountAndSum };
  readonly toApproved: CountAndSum;
  readonly toBlocked: CountAndSum;
  readonly flips: readonly DecisionChange[];
}

const PAGE_SIZE = 500;
const ATTEMPTS_MAX = 20_000;
const DIFFERENCES_LISTED_MAX = 1_000;
const FLIPS_LISTED_MAX = 100;
const BACKTESTS_AT_ONCE = 1;
const BACKTESTS_WAITING_MAX = 20;
const RETRY_AFTER_SECONDS = 5;
const BACKTESTS_OF_USER_MAX = 3;
const ATTEMPTS_PER_TURN = 20;

class Total implements CountAndSum {
  count = 0;
  kobo = 0;

  add(amount: number): void {
    this.count += 1;
    this.kobo = cappedSum(this.kobo, amount);
  }
}

/** Writes nothing. */
@Injectable()
export class ReplayService {
  private readonly backtests = pLimit(BACKTESTS_AT_ONCE);
  private readonly ofUsers = new Map<string, number>();

  constructor(
    private readonly store: RecordedAttempts,
    private readonly decisions: Decisions,
    private readonly wallets: Wallets,
    private readonly settlements: Settlements,
  ) {}

  /** By the present code; `report` gets the progress. */
  async replay(
    walletId: string,
    report: (done: number, total: number) => void = () => undefined,
  ): Promise<ReplayReport> {
    const { last } = await this.store.edges(walletId, 0);
    const listed: Difference[] = [];
    let [attempts, differences] = [0, 0];
    for (let after = 0; after < last; after += PAGE_SIZE) {
      const query = { after, upTo: last, limit: PAGE_SIZE, days: null };
      for (const attempt of await this.store.page(walletId, query)) {
        attempts += 1;
        const difference = differenceOf(attempt, this.decisions);
        if (!difference) continue;
        differences += 1;
        if (listed.length < DIFFERENCES_LISTED_MAX) listed.push(difference);
      }
      report(attempts, last);
    }
    return { attempts, differences, listed };
  }

  /**
   * At most the newest 20,000 attempts, one run at a time. Throws `WALLET_NOT_FOUND`, `RATE_LIMITED` with too
   * many of the user's waiting, `OVERLOADED` with too many in all.
   */
  async backtest(
    walletId: string,
    accountId: string,
    rules: OtherRules,
    days: number,
  ): Promise<BacktestReport> {
    const { id } = await this.wallets.requireOwned(walletId, accountId);
    const others = this.ofUsers.get(accountId) ?? 0;
    if (others >= BACKTESTS_OF_USER_MAX) {
      throw new AppError(
        'RATE_LIMITED',
        `${others} of your backtests have not ended. Wait for their results.`,
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    }
    if (this.backtests.pendingCount >= BACKTESTS_WAITING_MAX) {
      throw new AppError('OVERLOADED', 'Too many backtests at once. Try again shortly.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.ofUsers.set(accountId, others + 1);
    try {
      return await this.backtests(() => this.run(id, rules, days));
    } finally {
      const left = (this.ofUsers.get(accountId) ?? 1) - 1;
      if (left === 0) this.ofUsers.delete(accountId);
      else this.ofUsers.set(accountId, left);
    }
  }

  private async run(walletId: string, rules: OtherRules, days: number): Promise<BacktestReport> {
    const { before, last } = await this.store.edges(walletId, days);
    const first = Math.max(before, last - ATTEMPTS_MAX);
    const backtest = new Backtest(rules, this.decisions);
    const recorded = { approved: new Total(), blocked: new Total() };
    const underRules = { approved: new Total(), blocked: new Total() };
    const [toApproved, toBlocked] = [new Total(), new Total()];
    const flips: DecisionChange[] = [];
    let from: Date | null = null;
    let to: Date | null = null;
    for (let after = first; after < last; after += PAGE_SIZE) {
      const began = performance.now();
      const query = {
        after,
        upTo: last,
        limit: PAGE_SIZE,
        days: rules.periodWindowDays ?? null,
      };
      const page = await this.withRefunds(await this.store.page(walletId, query));
      for (const [i, attempt] of page.entries()) {
        if (i % ATTEMPTS_PER_TURN === 0) await turn();
        const decided = backtest.decide(attempt);
        const { amount, blockReason, createdAt } = attempt;
        // A person's denial stays.
        const outcome = decided === null && blockedByCheck(blockReason) === null ? blockReason : decided;
        recorded[blockReason === null ? 'approved' : 'blocked'].add(amount);
        underRules[outcome === null ? 'approved' : 'blocked'].add(amount);
        from ??= createdAt;
        to = createdAt;
        if ((outcome === null) === (blockReason === null)) continue;
        (outcome === null ? toApproved : toBlocked).add(amount);
        if (flips.length < FLIPS_LISTED_MAX)
          flips.push({ transaction: attempt, recorded: blockReason, underRules: outcome });
      }
      // Leaves half of the time to payments.
      if (after + PAGE_SIZE < last) await sleep(performance.now() - began);
    }
    const attempts = last - first;
    return {
      from,
      to,
      attempts,
      complete: first === before,
      recorded,
      underRules,
      toApproved,
      toBlocked,
      flips,
    };
  }

  /** From the steps of settlements. */
  private async withRefunds(attempts: readonly PlacedAttempt[]): Promise<RecordedAttempt[]> {
    const ids = attempts.flatMap(({ id, isRefunded }) => (isRefunded ? [id] : []));
    const settlements = ids.length > 0 ? await this.settlements.of(ids) : new Map<string, never>();
    return attempts.map((attempt) => {
      const posted = settlements.get(attempt.id)?.steps.find(({ type }) => type === 'refund.posted');
      return { ...attempt, refundedAt: posted ? new Date(posted.at) : null };
    });
  }
}
