import { Injectable } from '@nestjs/common';
import { columnsOf } from '../../platform/database/columns.js';
import { Database } from '../../platform/database/database.js';
import { firstMidnight } from '../../platform/database/local-midnight.js';
import type { EntryRange, LedgerPeriod, LedgerSums } from './ledger.port.js';
import { READ_COLUMNS, type ReadEntry } from './ledger.store.js';

type EntryType = ReadEntry['type'];
export type EntryTypes = ReadonlySet<EntryType> | null;

interface Days {
  readonly starts: Date;
  readonly ends: Date;
}

interface CountedEntries extends LedgerSums {
  readonly entries: number;
}

export type NumberedEntry = ReadEntry & { readonly seq: number };

const LAST_BEFORE = (at: string): string =>
  `(SELECT e.seq, e.balance_after FROM ledger_entries e WHERE e.wallet_id = w.id AND e.created_at < ${at}
     ORDER BY e.created_at DESC, e.seq DESC LIMIT 1)`;

@Injectable()
export class LedgerPeriodsStore {
  constructor(private readonly database: Database) {}

  between(walletIds: readonly string[], from: Date, to: Date): Promise<LedgerPeriod[]> {
    return this.database.reads.query<LedgerPeriod>(
      `SELECT w.id AS "walletId", coalesce(first.seq, 0)::bigint AS after, coalesce(last.seq, 0)::bigint AS "upTo",
              coalesce(first.balance_after, 0)::bigint AS opening, coalesce(last.balance_after, 0)::bigint AS closing
         FROM unnest($1::uuid[]) WITH ORDINALITY AS w (id, place)
         LEFT JOIN LATERAL ${LAST_BEFORE('$2')} first ON true
         LEFT JOIN LATERAL ${LAST_BEFORE('$3')} last ON true
        ORDER BY w.place`,
      [walletIds, from, to],
    );
  }

  async sums(ranges: readonly EntryRange[]): Promise<Map<string, LedgerSums>> {
    const rows = await this.database.reads.query<Record<keyof LedgerSums | 'walletId', string>>(
      `SELECT w.id AS "walletId", coalesce(sum(e.amount) FILTER (WHERE e.type = 'topup'), 0)::text AS received,
              coalesce(sum(e.amount) FILTER (WHERE e.type = 'debit'), 0)::text AS "paidOut",
              coalesce(sum(e.amount) FILTER (WHERE e.type = 'refund'), 0)::text AS refunded
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS w (id, after, up_to)
         JOIN ledger_entries e ON e.wallet_id = w.id AND e.seq > w.after AND e.seq <= w.up_to
        GROUP BY w.id`,
      columnsOf(ranges, 'walletId', 'after', 'upTo'),
    );
    return new Map(
      rows.map(({ walletId, received, paidOut, refunded }) => [
        walletId,
        { received: BigInt(received), paidOut: BigInt(paidOut), refunded: BigInt(refunded) },
      ]),
    );
  }

  async days(from: string | null, to: string | null, timeZone: string): Promise<Days> {
    const [days] = await this.database.query<Days>(
      `SELECT CASE WHEN $1::date IS NULL THEN 'epoch' ELSE ${firstMidnight('$1::date::timestamp', '$3')} END AS starts,
              CASE WHEN $2::date IS NULL THEN '9999-12-31Z' ELSE ${firstMidnight(`($2::date + 1)::timestamp`, '$3')} END AS ends`,
      [from, to, timeZone],
    );
    return days as Days;
  }

  async counted({ walletId, after, upTo }: EntryRange, types: EntryTypes): Promise<CountedEntries> {
    const [row] = await this.database.reads.query<Record<keyof CountedEntries, string>>(
      `SELECT count(*)::text AS entries, coalesce(sum(amount) FILTER (WHERE type = 'topup'), 0)::text AS received,
              coalesce(sum(amount) FILTER (WHERE type = 'debit'), 0)::text AS "paidOut",
              coalesce(sum(amount) FILTER (WHERE type = 'refund'), 0)::text AS refunded
         FROM ledger_entries WHERE wallet_id = $1 AND seq > $2 AND seq <= $3 AND ($4::text[] IS NULL OR type = ANY ($4))`,
      [walletId, after, upTo, types && [...types]],
    );
    const { entries = '0', received = '0', paidOut = '0', refunded = '0' } = row ?? {};
    return {
      entries: Number(entries),
      received: BigInt(received),
      paidOut: BigInt(paidOut),
      refunded: BigInt(refunded),
    };
  }

  newestFirst(
    { walletId, after, upTo }: EntryRange,
    types: EntryTypes,
    skip: number,
    limit: number,
  ): Promise<NumberedEntry[]> {
    return this.database.reads.query<NumberedEntry>(
      `SELECT ${READ_COLUMNS}, e.seq FROM ledger_entries e
        WHERE e.wallet_id = $1 AND e.seq > $2 AND e.seq <= $3 AND ($4::text[] IS NULL OR e.type = ANY ($4))
        ORDER BY e.seq DESC OFFSET $5 LIMIT $6`,
      [walletId, after, upTo, types && [...types], skip, limit],
    );
  }

  entries({ walletId, after, upTo }: EntryRange, limit: number): Promise<NumberedEntry[]> {
    return this.database.reads.query<NumberedEntry>(
      `SELECT ${READ_COLUMNS}, e.seq FROM ledger_entries e
        WHERE e.wallet_id = $1 AND e.seq > $2 AND e.seq <= $3 ORDER BY e.seq LIMIT $4`,
      [walletId, after, upTo, limit],
    );
  }
}
