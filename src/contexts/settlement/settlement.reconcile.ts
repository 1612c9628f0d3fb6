import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import pLimit from 'p-limit';
import { Bank, type PayoutState } from '../bank/bank.port.js';
import { CaseOpened } from '../operations/operations.events.js';
import { Database } from '../../platform/database/database.js';
import { AppError } from '../../kernel/errors.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import {
  Findings,
  reconcileDaily,
  type Step,
  Tally,
  type TimeRange,
} from '../../platform/jobs/reconciliation.js';
import { isOpen, isTakenBack, toSettlementOutcome } from './settlement.domain.js';
import { SettlementService } from './settlement.service.js';
import { type SettlementRow, SettlementStore } from './settlement.store.js';

export class PayoutTally {
  readonly listed = new Tally();
  readonly paid = new Tally();
  readonly refunded = new Tally();
  /** Taken back by the bank and not refunded: an operator case is open. */
  readonly returned = new Tally();
  readonly open = new Tally();
  readonly contradictions = new Tally();
  /** Final here, no answer from the bank. */
  readonly unanswered = new Tally();
  /** Paid in our books minus paid at the bank, in kobo, without open ones. */
  difference = 0n;
  readonly findings = new Findings();
}

const PAGE = 200;
const ASKED_MAX = 3;
const PAUSE_MS = 1_000;

/** Asks the bank for every settlement of a time range, final ones too: banks change their answers. */
@Injectable()
export class SettlementReconciliation {
  private readonly log = new Logger(SettlementReconciliation.name);

  constructor(
    private readonly store: SettlementStore,
    private readonly settlements: SettlementService,
    private readonly bank: Bank,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
  ) {
    reconcileDaily(jobs, database, 'settlement.reconcile', '02:00', (range, step) =>
      this.runDaily(range, step),
    );
  }

  private async runDaily(range: TimeRange, step: Step): Promise<string | null> {
    const { next, tally } = await this.run(range, step);
    if (tally.findings.list.length > 0) {
      this.log.warn({ findings: tally.findings.list.length }, 'reconciled payouts');
    }
    return next;
  }

  /**
   * By reference, until the end (`next` is null) or `msMax`. Throws `BANK_UNAVAILABLE` if the bank answers
   * for none of a page, denies access, or asks for a longer pause.
   */
  async run(
    range: TimeRange,
    { after = null, msMax = Infinity, report }: Step = {},
  ): Promise<{ next: string | null; tally: PayoutTally }> {
    const tally = new PayoutTally();
    const total = report ? await this.store.countIn(range.from, range.to) : 0;
    const endsAt = performance.now() + msMax;
    const limit = pLimit(this.bank.capabilities.payoutConcurrency);
    const aborted = new AbortController();
    let next = after;
    let asked = 0;
    do {
      const page = await this.store.page(range.from, range.to, next, PAGE);
      const answers = await Promise.all(
        page.map((settlement, i) =>
          limit(async () => {
            // Calls start in order, so the rest of the page is left for the next step.
            if (i > 0 && performance.now() >= endsAt) return null;
            const state = await this.askFor(settlement, endsAt, aborted.signal);
            if (state) report?.((asked += 1), total);
            return state;
          }),
        ),
      ).catch((error: unknown) => {
        limit.clearQueue();
        aborted.abort();
        throw error;
      });
      const end = answers.indexOf(null);
      const states = (end < 0 ? answers : answers.slice(0, end)) as PayoutState[];
      if (page.length > 0 && states.length === 0) throw bankUnavailable('The bank asks for a longer pause.');
      if (states.length > 1 && states.every(({ kind }) => kind === 'unknown')) {
        throw bankUnavailable('The bank does not answer for payouts.');
      }
      for (const [i, state] of states.entries()) await this.judge(page[i] as SettlementRow, state, tally);
      if (page.length < PAGE && states.length === page.length) return { next: null, tally };
      next = page[states.length - 1]?.reference ?? null;
      if (states.length < page.length) break;
    } while (performance.now() < endsAt);
    return { next, tally };
  }

  /** Retries until `endsAt`. Null if the bank circuit stays open until then. */
  private async askFor(
    settlement: SettlementRow,
    endsAt: number,
    signal: AbortSignal,
  ): Promise<PayoutState | null> {
    for (let times = 1; ; times += 1) {
      for (let waitMs; (waitMs = this.settlements.circuitOpenMs()) > 0;) {
        if (performance.now() + waitMs >= endsAt) return null;
        await sleep(Math.ceil(waitMs), undefined, { signal });
      }
      const state = await this.settlements.askFor(settlement);
      const refused = 'circuitOpen' in state && state.circuitOpen?.needsOperator;
      if (refused) throw bankUnavailable(`The bank denies access: ${state.reason}`);
      if (state.kind !== 'unknown' || times === ASKED_MAX || performance.now() >= endsAt) return state;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }

  private async judge(asked: SettlementRow, state: PayoutState, tally: PayoutTally): Promise<void> {
    const { reference, walletId, amount } = asked;
    tally.listed.add(amount);
    if (isOpen(asked.status) && !toSettlementOutcome(state)) {
      tally.open.add(amount);
      return;
    }
    if (state.kind === 'unknown') {
      tally.unanswered.add(amount);
      tally.findings.add(`the bank did not answer: ${state.reason}`, reference, walletId);
      return;
    }
    // Reads it again: this answer or another one may have changed it since.
    const isStale = isOpen(asked.status) || isTakenBack(asked.status, toSettlementOutcome(state));
    const { status, isRefunded } = isStale ? ((await this.store.find(reference)) ?? asked) : asked;
    const isPaidHere = status === 'succeeded';
    const isPaidThere = state.kind === 'succeeded' || state.kind === 'accepted';
    const isUnresolved = status === 'reversed' && !isRefunded;
    if (isUnresolved && !isPaidThere) {
      tally.returned.add(amount);
      tally.difference += BigInt(amount);
      tally.findings.add('sent back by the bank, and not refunded', reference, walletId);
      return;
    }
    const paidThere = state.kind === 'succeeded' ? (state.amount ?? amount) : amount;
    const isOtherAmount = isPaidHere && isPaidThere && paidThere !== amount;
    if (isPaidHere === isPaidThere && !isOpen(status) && !isOtherAmount) {
      tally[isPaidHere ? 'paid' : 'refunded'].add(amount);
      return;
    }
    tally.contradictions.add(amount);
    tally.difference += BigInt(isPaidHere || isUnresolved ? amount : 0) - BigInt(isPaidThere ? paidThere : 0);
    const what = isOtherAmount
      ? `on record as ${status} with ${amount} kobo; the bank says ${paidThere} kobo`
      : `on record as ${status}; the bank says ${state.kind}`;
    tally.findings.add(what, reference, walletId);
    // Contradicting results and amounts opened their case when they were recorded.
    const kind = isPaidHere
      ? state.kind === 'not-found' && 'payout-unknown-to-bank'
      : state.kind === 'accepted' && !isUnresolved && 'payout-under-way-after-refund';
    if (kind) {
      await this.database.transaction((tx) =>
        this.events.publish([new CaseOpened({ kind, subject: reference, walletId, description: what })], tx),
      );
    }
  }
}

function bankUnavailable(message: string): AppError {
  return new AppError('BANK_UNAVAILABLE', message);
}
