import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { Tx } from '../../platform/database/database.js';
import type { WalletStatus } from './wallet.events.js';
import { type LockedWallet, type SpendAccess, type SpendRequest, SpendableWallets } from './wallet.port.js';

/** A sum to be taken from or added to a wallet. */
export interface BalanceChange {
  readonly walletId: string;
  readonly amount: number;
}

/** A wallet that was credited, as it is then. */
export interface CreditedWallet {
  readonly balance: number;
  readonly at: Date;
  readonly status: WalletStatus;
}

/**
 * Rows are locked in the order of their ids: two transactions can never wait for each other. One row a wallet: the
 * `requests` that its keys came with, by their number, and those of them whose merchant is `listed`.
 */
const lockStatement = (waitOrSkip: '' | 'SKIP LOCKED') => `
  WITH keyed AS MATERIALIZED (
    SELECT i.nr::integer, i.merchant, k.wallet_id
      FROM unnest($1::bytea[], $2::text[]) WITH ORDINALITY AS i (hash, merchant, nr)
      JOIN api_keys k ON k.hash = i.hash AND k.revoked_at IS NULL
  ), locked AS MATERIALIZED (
    SELECT w.id, w.status, w.expiry, w.balance, w.spend_limit_per_tx, w.spend_limit_period,
           w.period_window_days, w.use_allowlist, w.allowed_merchants, w.updated_at
      FROM wallets w WHERE w.id IN (SELECT wallet_id FROM keyed)
     ORDER BY w.id FOR UPDATE ${waitOrSkip}
  )
  SELECT k.wallet_id AS "walletId", k.requests, l.id IS NOT NULL AS "isLocked",
         CASE WHEN cardinality(l.allowed_merchants) > 0 THEN ARRAY(
           SELECT i.nr FROM keyed i WHERE i.wallet_id = l.id AND i.merchant = ANY (l.allowed_merchants)
         ) END AS listed,
         l.status, l.expiry, l.balance, l.spend_limit_per_tx AS "spendLimitPerTx",
         l.spend_limit_period AS "spendLimitPeriod", l.period_window_days AS "periodWindowDays",
         l.use_allowlist AS "useAllowlist", l.updated_at AS "updatedAt"
    FROM (SELECT wallet_id, array_agg(nr) AS requests FROM keyed GROUP BY wallet_id) k
    LEFT JOIN locked l ON l.id = k.wallet_id`;
const LOCK_OR_SKIP = lockStatement('SKIP LOCKED');
const LOCK_OR_WAIT = lockStatement('');

/** What payments and credits do to wallets: set-based SQL on the open transaction. */
@Injectable()
export class WalletSpendingStore extends SpendableWallets {
  async lockForSpending(
    requests: readonly SpendRequest[],
    wait: boolean,
    tx: Tx,
  ): Promise<readonly SpendAccess[]> {
    interface Row extends LockedWallet {
      readonly walletId: string;
      readonly requests: readonly number[];
      readonly isLocked: boolean;
      readonly listed: readonly number[] | null;
    }
    const rows = await tx.query<Row>(wait ? LOCK_OR_WAIT : LOCK_OR_SKIP, [
      requests.map(({ keyHash }) => keyHash),
      requests.map(({ merchant }) => merchant),
    ]);
    const access: SpendAccess[] = requests.map(() => ({ kind: 'no-such-key' }));
    for (const { walletId, requests: own, isLocked, listed, ...rest } of rows) {
      const wallet = { ...rest, id: walletId };
      const onAllowlist = new Set(listed);
      for (const nr of own) {
        access[nr - 1] = isLocked
          ? { kind: 'locked', wallet, onAllowlist: onAllowlist.has(nr) }
          : { kind: 'held-elsewhere', walletId };
      }
    }
    return access;
  }

  /**
   * Takes the sums from wallets that `tx` has locked. The balances that are left were computed from the locked rows;
   * PostgreSQL computes them again, and a difference breaks the constraint `wallets_balance_range`.
   */
  debit(changes: readonly (BalanceChange & { balanceAfter: number; at: Date })[], tx: Tx): void {
    tx.write(
      `UPDATE wallets w SET updated_at = c.at,
              balance = CASE WHEN w.balance - c.amount = c.balance_after THEN c.balance_after ELSE -1 END
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::timestamptz[]) AS c (id, amount, balance_after, at)
        WHERE w.id = c.id`,
      [
        changes.map(({ walletId }) => walletId),
        changes.map(({ amount }) => amount),
        changes.map(({ balanceAfter }) => balanceAfter),
        changes.map(({ at }) => at),
      ],
    );
  }

  /**
   * Locks the wallets in the order of their ids, then adds the sums; answers balances and the time of the change,
   * read after the locks. Throws PostgreSQL's violation of `wallets_balance_range` when a balance can't hold it.
   */
  async credit(changes: readonly BalanceChange[], tx: Tx): Promise<Map<string, CreditedWallet>> {
    const ids = changes.map(({ walletId }) => walletId);
    await tx.query('SELECT id FROM wallets WHERE id = ANY ($1) ORDER BY id FOR UPDATE', [ids]);
    const rows = await tx.query<CreditedWallet & { id: string }>(
      `UPDATE wallets w SET balance = w.balance + c.amount,
              updated_at = greatest(w.updated_at, date_trunc('milliseconds', clock_timestamp()))
         FROM unnest($1::uuid[], $2::bigint[]) AS c (id, amount)
        WHERE w.id = c.id RETURNING w.id, w.balance, w.updated_at AS at, w.status`,
      [ids, changes.map(({ amount }) => amount)],
    );
    return new Map(rows.map(({ id, ...wallet }) => [id, wallet]));
  }

  /** Keeps the first spelling of every merchant a wallet pays. */
  remember(merchants: readonly { walletId: string; merchant: string; name: string }[], tx: Tx): void {
    tx.write(
      `INSERT INTO wallet_merchants (wallet_id, merchant, id, name)
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[]) ON CONFLICT DO NOTHING`,
      [
        merchants.map(({ walletId }) => walletId),
        merchants.map(({ merchant }) => merchant),
        merchants.map(() => uuid()),
        merchants.map(({ name }) => name),
      ],
    );
  }
}
