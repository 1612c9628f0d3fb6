import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Events } from '../../../platform/events/events.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Findings, reconcileDaily, type Step, Tally } from '../../../platform/jobs/reconciliation.js';
import { CaseOpened } from '../../operations/operations.events.js';
import { type WalletHold, WalletHolds } from '../../wallet/wallet-holds.port.js';
import { ApprovalsStore, type PendingSum } from './approvals.store.js';

export class HoldTally {
  readonly listed = new Tally();
  readonly pending = new Tally();
  /** Wallets whose two sides differ. */
  readonly contradictions = new Tally();
  wallets = 0;
  /** Held less pending, in kobo. */
  difference = 0n;
  readonly findings = new Findings();
}

const PAGE = 500;

/** Moves nothing. */
@Injectable()
export class HoldsReconciliation {
  private readonly log = new Logger(HoldsReconciliation.name);

  constructor(
    private readonly holds: WalletHolds,
    private readonly approvals: ApprovalsStore,
    private readonly database: Database,
    private readonly events: Events,
    jobs: Jobs,
  ) {
    reconcileDaily(jobs, database, 'payments.reconcile-holds', '02:30', (_, step) => this.runDaily(step));
  }

  private async runDaily(step: Step): Promise<string | null> {
    const { next, tally } = await this.run(step);
    if (tally.findings.list.length > 0) {
      this.log.warn({ findings: tally.findings.list.length }, 'reconciled holds');
    }
    return next;
  }

  /** Stops after the last (`next` is null) or once `msMax` has passed. */
  async run({ after = null, msMax = Infinity, report }: Step = {}): Promise<{
    next: string | null;
    tally: HoldTally;
  }> {
    const tally = new HoldTally();
    const total = report ? await this.holds.count() : 0;
    const endsAt = performance.now() + msMax;
    let next = after;
    do {
      const { wallets, pending } = await this.read(next);
      const mismatches = wallets.flatMap((wallet) => judge(wallet, pending.get(wallet.walletId), tally));
      if (mismatches.length > 0) await this.database.transaction((tx) => this.events.publish(mismatches, tx));
      report?.(tally.wallets, total);
      if (wallets.length < PAGE) return { next: null, tally };
      next = wallets.at(-1)?.walletId ?? null;
    } while (performance.now() < endsAt);
    return { next, tally };
  }

  /** One snapshot for both sides. */
  private read(
    after: string | null,
  ): Promise<{ wallets: readonly WalletHold[]; pending: ReadonlyMap<string, PendingSum> }> {
    return this.database.transaction(async (tx) => {
      tx.write('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      const wallets = await this.holds.page(after, PAGE, tx);
      const ids = wallets.map(({ walletId }) => walletId);
      const pending = await this.approvals.pendingSums(ids, tx);
      return { wallets, pending: new Map(pending.map((each) => [each.walletId, each])) };
    });
  }
}

function judge({ walletId, held, heldCount }: WalletHold, waits: PendingSum | undefined, tally: HoldTally) {
  const { count, kobo } = waits ?? { count: 0, kobo: '0' };
  const difference = BigInt(held) - BigInt(kobo);
  tally.wallets += 1;
  if (heldCount > 0 || held !== 0) tally.listed.add(held);
  if (count > 0) tally.pending.add(BigInt(kobo));
  if (difference === 0n && heldCount === count) return [];
  tally.contradictions.add(difference < 0n ? -difference : difference);
  tally.difference += difference;
  const description = `holds ${held} kobo for ${heldCount} payments; ${kobo} kobo of ${count} wait for approval`;
  tally.findings.add(description, walletId, walletId);
  // The case opens again if it was closed without a mend.
  return [new CaseOpened({ kind: 'hold-mismatch', subject: walletId, walletId, description, reopens: true })];
}
