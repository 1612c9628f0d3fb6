import { Injectable } from '@nestjs/common';
import { columnsOf } from '../../platform/database/columns.js';
import type { Queryable } from '../../platform/database/tx.js';
import { type BookedBalance, type BrokenBook, type EntryRange, LedgerBooks } from './ledger.port.js';

@Injectable()
export class LedgerBooksStore extends LedgerBooks {
  balanceMismatches(wallets: readonly BookedBalance[], from: Queryable): Promise<BrokenBook[]> {
    return from.query<BrokenBook>(
      `SELECT w.id AS "walletId", format('has %s kobo and %s entries; the last entry is number %s and leaves %s kobo',
                w.balance, w.entries, coalesce(last.seq, 0), coalesce(last.balance_after, 0)) AS description
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS w (id, balance, entries)
         LEFT JOIN LATERAL (
           SELECT e.seq, e.balance_after FROM ledger_entries e WHERE e.wallet_id = w.id ORDER BY e.seq DESC LIMIT 1
         ) last ON true
        WHERE w.balance <> coalesce(last.balance_after, 0) OR w.entries <> coalesce(last.seq, 0)`,
      columnsOf(wallets, 'walletId', 'balance', 'entryCount'),
    );
  }

  async refundsOf(transactionIds: readonly string[], from: Queryable): Promise<ReadonlyMap<string, number>> {
    const rows = await from.query<{ id: string; amount: number }>(
      `SELECT transaction_id AS id, amount FROM ledger_entries
        WHERE transaction_id = ANY ($1::uuid[]) AND type = 'refund'`,
      [transactionIds],
    );
    return new Map(rows.map(({ id, amount }) => [id, amount]));
  }

  brokenChains(ranges: readonly EntryRange[], from: Queryable): Promise<BrokenBook[]> {
    return from.query<BrokenBook>(
      `SELECT w.id AS "walletId", format('the ledger entry %s does not follow from the one before it', min(e.seq)) AS description
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS w (id, after, up_to)
        CROSS JOIN LATERAL (
          SELECT l.seq, l.balance_after, CASE l.type WHEN 'debit' THEN -l.amount ELSE l.amount END AS change,
                 lag(l.balance_after, 1, 0::bigint) OVER chain AS before, lag(l.seq, 1, 0::bigint) OVER chain AS seq_before
            FROM ledger_entries l WHERE l.wallet_id = w.id AND l.seq >= w.after AND l.seq <= w.up_to
          WINDOW chain AS (ORDER BY l.seq)
        ) e
        WHERE e.seq > w.after AND (e.seq <> e.seq_before + 1 OR e.balance_after <> e.before + e.change)
        GROUP BY w.id`,
      columnsOf(ranges, 'walletId', 'after', 'upTo'),
    );
  }
}
