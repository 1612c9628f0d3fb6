import { Injectable } from '@nestjs/common';
import { validationError } from '../../kernel/errors.js';
import { KOBO_MAX } from '../../kernel/money.js';
import type { PageRequest } from '../../kernel/page.js';
import { DOWNLOAD_PAGE_SIZE } from '../../platform/batching/pages.js';
import { Users } from '../identity/identity.port.js';
import type { LedgerLine, LedgerPeriod } from './ledger.port.js';
import { LedgerLinesService } from './ledger-lines.service.js';
import { type EntryTypes, LedgerPeriodsStore } from './ledger-periods.store.js';

const SUMMED_MAX = 200_000;

export interface LedgerFilter {
  readonly from: string | null;
  readonly to: string | null;
  readonly types: EntryTypes;
}

/** In kobo. */
interface LedgerTotals {
  readonly opening: number;
  readonly closing: number;
  readonly received: number | null;
  readonly paidOut: number | null;
  readonly refunded: number | null;
  readonly net: number;
}

export interface FilteredLedger {
  readonly rows: readonly LedgerLine[];
  readonly total: number;
  readonly timeZone: string;
  readonly totals: LedgerTotals;
}

@Injectable()
export class FilteredLedgerService {
  constructor(
    private readonly store: LedgerPeriodsStore,
    private readonly lines: LedgerLinesService,
    private readonly users: Users,
  ) {}

  /** Throws `VALIDATION_ERROR`. */
  async page(
    walletId: string,
    accountId: string,
    filter: LedgerFilter,
    { page, pageSize }: PageRequest,
  ): Promise<FilteredLedger> {
    const { types } = filter;
    const timeZone = await this.users.timeZoneOf(accountId);
    const period = await this.periodOf(walletId, filter, timeZone);
    const { opening, closing, after, upTo } = period;
    const isSummed = upTo - after <= SUMMED_MAX;
    if (!isSummed && types !== null) {
      const field = filter.from === null ? 'from' : 'to';
      const message = 'the period has more than 200,000 entries: choose a shorter one, or all types';
      throw validationError({ field, message });
    }
    const sums = isSummed ? await this.store.counted(period, types) : null;
    const skip = (page - 1) * pageSize;
    const entries =
      types === null
        ? await this.store.newestFirst({ ...period, upTo: upTo - skip }, null, 0, pageSize)
        : await this.store.newestFirst(period, types, skip, pageSize);
    return {
      rows: await this.lines.linesOf(entries),
      total: sums?.entries ?? upTo - after,
      timeZone,
      totals: {
        opening,
        closing,
        received: sums && capped(sums.received),
        paidOut: sums && capped(sums.paidOut),
        refunded: sums && capped(sums.refunded),
        net: sums ? Number(sums.received + sums.refunded - sums.paidOut) : closing - opening,
      },
    };
  }

  async *all(
    walletId: string,
    filter: LedgerFilter,
    timeZone: string,
  ): AsyncGenerator<readonly LedgerLine[], void> {
    const period = await this.periodOf(walletId, filter, timeZone);
    for (let { upTo } = period; upTo > period.after; upTo -= DOWNLOAD_PAGE_SIZE) {
      const after = Math.max(period.after, upTo - DOWNLOAD_PAGE_SIZE);
      const entries = await this.store.newestFirst(
        { walletId, after, upTo },
        filter.types,
        0,
        DOWNLOAD_PAGE_SIZE,
      );
      yield await this.lines.linesOf(entries);
    }
  }

  private async periodOf(
    walletId: string,
    { from, to }: LedgerFilter,
    timeZone: string,
  ): Promise<LedgerPeriod> {
    const { starts, ends } = await this.store.days(from, to, timeZone);
    const [period] = await this.lines.between([walletId], starts, ends);
    return period as LedgerPeriod;
  }
}

function capped(sum: bigint): number {
  return Number(sum > BigInt(KOBO_MAX) ? BigInt(KOBO_MAX) : sum);
}
