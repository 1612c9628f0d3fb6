import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import { InTransaction } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { PaymentBlocked } from '../payments/payments.events.js';
import { Payments } from '../payments/payments.port.js';
import { LowBalanceThresholds } from '../wallet/low-balance/low-balance.port.js';
import { WalletCredited, WalletDebited } from '../wallet/wallet.events.js';
import { Wallets } from '../wallet/wallet.port.js';
import { Database } from '../../platform/database/database.js';
import { BURST_COUNT, BURST_MINUTES } from './notices.domain.js';
import { NoticesService } from './notices.service.js';

const LOOK_EVERY_MS = 2_000;
const WALLETS_MAX = 10_000;
const WALLETS_PER_LOOK = 500;
/** Replicas share a wallet's. */
const ASK_EVERY = BURST_COUNT / 2;

/** The wallet's next payment makes up for a dead process's notes. */
@Injectable()
export class WalletWatch {
  private readonly moved = new Set<string>();
  private readonly blocked = new Map<string, number>();

  constructor(
    private readonly notices: NoticesService,
    private readonly wallets: Wallets,
    private readonly thresholds: LowBalanceThresholds,
    private readonly payments: Payments,
    private readonly database: Database,
    jobs: Jobs,
  ) {
    jobs.every(LOOK_EVERY_MS, () => this.look());
  }

  @InTransaction(WalletDebited)
  debited(events: readonly WalletDebited[], tx: Tx): void {
    tx.afterCommit(() => this.note(events));
  }

  @InTransaction(WalletCredited)
  credited(events: readonly WalletCredited[], tx: Tx): void {
    tx.afterCommit(() => this.note(events));
  }

  @InTransaction(PaymentBlocked)
  paymentsBlocked(events: readonly PaymentBlocked[], tx: Tx): void {
    tx.afterCommit(() => {
      for (const { walletId, blockReason } of events) {
        if (blockReason === 'APPROVAL_DENIED' || blockReason === 'APPROVAL_EXPIRED') continue;
        const count = this.blocked.get(walletId);
        if (count !== undefined) this.blocked.set(walletId, count + 1);
        else if (this.blocked.size < WALLETS_MAX) this.blocked.set(walletId, 1);
      }
    });
  }

  async look(): Promise<void> {
    await this.lookAtBalances();
    await this.lookAtBlocked();
  }

  private note(events: readonly { readonly walletId: string }[]): void {
    for (const { walletId } of events) if (this.moved.size < WALLETS_MAX) this.moved.add(walletId);
  }

  private async lookAtBalances(): Promise<void> {
    const ids = [...this.moved].slice(0, WALLETS_PER_LOOK);
    if (ids.length === 0) return;
    for (const id of ids) this.moved.delete(id);
    for (const { walletId, accountId, name, balance, threshold } of await this.thresholds.standingsOf(ids)) {
      const key = `wallet.low_balance ${walletId}`;
      if (balance >= threshold) {
        if (await this.notices.isOpen(accountId, key))
          await this.notices.end(accountId, key, 'funded', null, true);
        continue;
      }
      await this.notices.tell([
        {
          kind: 'wallet.low_balance',
          accountId,
          key,
          walletId,
          subjectId: null,
          parts: { walletName: name, amount: balance, limit: threshold },
        },
      ]);
    }
  }

  private async lookAtBlocked(): Promise<void> {
    const suspicious = [...this.blocked].filter(([, count]) => count >= ASK_EVERY).map(([id]) => id);
    if (this.blocked.size >= WALLETS_MAX) this.blocked.clear();
    const ids = suspicious.slice(0, WALLETS_PER_LOOK);
    if (ids.length === 0) return;
    for (const id of ids) this.blocked.delete(id);
    const counts = await this.payments.blockedWithin(ids, BURST_MINUTES);
    const bursts = counts.filter(({ count }) => count >= BURST_COUNT);
    if (bursts.length === 0) return;
    const walletIds = bursts.map(({ walletId }) => walletId);
    const names = await this.wallets.namesOf(walletIds);
    const accounts = await this.wallets.ownersOf(walletIds, this.database);
    await this.notices.tell(
      bursts.flatMap(({ walletId, count, hour }) => {
        const accountId = accounts.get(walletId);
        if (accountId === undefined) return [];
        return {
          kind: 'payments.blocked' as const,
          accountId,
          key: `payments.blocked ${walletId} ${hour}`,
          walletId,
          subjectId: null,
          parts: { walletName: names.get(walletId) ?? 'a wallet', count },
        };
      }),
    );
  }
}
