import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { turn } from '../../../platform/batching/turns.js';
import { Config } from '../../../platform/config.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { LimitedLog } from '../../../platform/observability/limited-log.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import { LedgerBooks } from '../../ledger/ledger.port.js';
import { PaymentBooks } from '../../payments/payment-books.port.js';
import { Settlements } from '../../settlement/settlement.port.js';
import { type WalletHold, WalletHolds } from '../../wallet/wallet-holds.port.js';
import { CaseOpened } from '../operations.events.js';
import { type Breach, type Invariant, INVARIANTS, type Range, rangesOf } from './invariants.domain.js';

/** Wallets per snapshot, and rows of each. */
const SAMPLE = { walletsMax: 20, depthMax: 100 };
const WHOLE = { walletsMax: 5, depthMax: 20_000 };
const STATEMENT_MS_MAX = 8_000;
const STEP_MS_MAX = 20_000;
const DAILY_JOB = 'operations.check-invariants';
const BREACHES_KEPT_MAX = 10_000;
/** Until a breach is reported again. */
const REPORTED_MS = 60 * 60_000;

/**
 * Compares the books in read-only snapshots without locks: a sample all the time, by one replica, and all
 * once a day.
 */
@Injectable()
export class InvariantsService {
  private readonly log = new Logger(InvariantsService.name);
  private readonly limitedLog = new LimitedLog(this.log);
  private readonly breaches;
  private readonly checked;
  private readonly failures;
  private readonly reported = new LRUCache<string, true>({ max: BREACHES_KEPT_MAX, ttl: REPORTED_MS });
  private readonly share: Database;
  private sampledUpTo: string | null = null;

  constructor(
    private readonly wallets: WalletHolds,
    private readonly ledger: LedgerBooks,
    private readonly payments: PaymentBooks,
    private readonly settlements: Settlements,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
    metrics: Metrics,
    { INVARIANT_CHECK_SECONDS: seconds }: Config,
  ) {
    this.share = database.share(1);
    this.breaches = metrics.counter(
      'apw_invariant_breaches_total',
      'Wallets found to break an invariant; the same one once an hour',
      INVARIANTS.map((invariant) => ({ invariant })),
    );
    this.checked = metrics.counter(
      'apw_invariant_wallets_checked_total',
      'Wallets whose invariants were checked',
      ['sample', 'whole'].map((depth) => ({ depth })),
    );
    this.failures = metrics.counter('apw_invariant_check_failures_total', 'Checks that did not end');
    if (seconds > 0) jobs.every(seconds * 1_000, () => this.checkSample());
    jobs.define<{ after: string | null }>(DAILY_JOB, async ({ after }) => {
      const next = await this.checkWhole(after, STEP_MS_MAX);
      if (next !== null) await database.transaction((tx) => jobs.schedule(tx, DAILY_JOB, { after: next }));
    });
    jobs.daily(`${DAILY_JOB}-daily`, '03:00', () =>
      database.transaction((tx) => jobs.schedule(tx, DAILY_JOB, { after: null })),
    );
  }

  async checkSample(): Promise<void> {
    const after = this.sampledUpTo;
    try {
      const page = await this.check(after, SAMPLE.walletsMax, SAMPLE.depthMax, true);
      if (page) this.sampledUpTo = page.length < SAMPLE.walletsMax ? null : (page.at(-1)?.walletId ?? null);
      this.checked.add(page?.length ?? 0, { depth: 'sample' });
    } catch (error) {
      this.failures.add(1);
      this.limitedLog.warn(`invariants could not be checked: ${String(error)}`);
    }
  }

  /** Returns where to go on, or null. */
  async checkWhole(from: string | null, msMax: number): Promise<string | null> {
    const endsAt = performance.now() + msMax;
    let after = from;
    do {
      const page = await this.check(after, WHOLE.walletsMax, WHOLE.depthMax, false).catch(
        (error: unknown) => {
          this.failures.add(1);
          throw error;
        },
      );
      this.checked.add(page?.length ?? 0, { depth: 'whole' });
      after = page && page.length === WHOLE.walletsMax ? (page.at(-1)?.walletId ?? null) : null;
    } while (after !== null && performance.now() < endsAt);
    return after;
  }

  /** Returns the wallets; null if another replica checks. */
  private async check(
    after: string | null,
    limit: number,
    depth: number,
    alone: boolean,
  ): Promise<readonly WalletHold[] | null> {
    const found: Breach[] = [];
    const page = await this.share.transaction(async (tx) => {
      tx.write('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      tx.write(`SET LOCAL statement_timeout = ${STATEMENT_MS_MAX}`);
      if (alone && !(await isFirst(tx))) return null;
      const wallets = await this.wallets.page(after, limit, tx);
      const note = (invariant: Invariant, broken: readonly Omit<Breach, 'invariant'>[]): void => {
        for (const { walletId, description } of broken) found.push({ invariant, walletId, description });
      };
      note('balance', await this.ledger.balanceMismatches(wallets, tx));
      note('holds', await this.payments.holdMismatches(wallets, tx));
      const entries = wallets.map(({ walletId, entryCount }) => ({ walletId, count: entryCount }));
      for (const ranges of rangesOf(entries, depth)) {
        await turn();
        note('balance', await this.ledger.brokenChains(ranges, tx));
      }
      const attempts = wallets.map(({ walletId, attemptCount }) => ({ walletId, count: attemptCount }));
      for (const ranges of rangesOf(attempts, depth)) {
        await turn();
        note('period-cap', await this.payments.brokenCaps(ranges, tx));
        note('settlement', await this.unsettled(ranges, tx));
      }
      return wallets;
    });
    await this.report(found);
    return page;
  }

  private async unsettled(ranges: readonly Range[], tx: Tx): Promise<Omit<Breach, 'invariant'>[]> {
    const approved = await this.payments.approvedIn(ranges, tx);
    const ids = approved.map(({ id }) => id);
    const settlements = await this.settlements.booked(ids, tx);
    const refunds = await this.ledger.refundsOf(ids, tx);
    return approved.flatMap(({ id, walletId, amount }) => {
      const settled = settlements.get(id);
      const [refunded, due] = [refunds.get(id) ?? 0, settled?.isRefunded ? amount : 0];
      if (settled?.walletId === walletId && settled.amount === amount && refunded === due) return [];
      const has = settled ? `a settlement of ${settled.amount} kobo of ${settled.walletId}` : 'no settlement';
      const back = `and ${refunded} kobo of refunds, where ${due} are due`;
      return [{ walletId, description: `the payment ${id} of ${amount} kobo has ${has}, ${back}` }];
    });
  }

  private async report(found: readonly Breach[]): Promise<void> {
    const fresh = new Map<string, Breach>();
    for (const breach of found) {
      const key = `${breach.invariant} ${breach.walletId}`;
      if (!this.reported.has(key) && !fresh.has(key)) fresh.set(key, breach);
    }
    if (fresh.size === 0) return;
    const cases = [...fresh].map(
      ([subject, { walletId, description }]) =>
        new CaseOpened({ kind: 'invariant-broken', subject, walletId, description, reopens: true }),
    );
    for (const breach of fresh.values()) {
      this.log.error({ ...breach }, 'the books contradict each other');
      this.breaches.add(1, { invariant: breach.invariant });
    }
    await this.database.transaction((tx) => this.events.publish(cases, tx));
    for (const key of fresh.keys()) this.reported.set(key, true);
  }
}

/** Holds a lock until `tx` ends. */
async function isFirst(tx: Tx): Promise<boolean> {
  const [lock] = await tx.query<{ isFree: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('${DAILY_JOB}')) AS "isFree"`,
  );
  return lock?.isFree === true;
}
