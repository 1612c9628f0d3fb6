import { Injectable } from '@nestjs/common';
import { validationError } from '../../../kernel/errors.js';
import { KOBO_MAX } from '../../../kernel/money.js';
import { databaseNow } from '../../../platform/database/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Wallets } from '../../wallet/wallet.port.js';
import type { Spend, SpendFigures, SpendFilter, SpendGroup, SpendRow } from './spend.domain.js';
import { SpendStore, type SpendSum } from './spend.store.js';

const DAY_MS = 24 * 60 * 60_000;
const DAYS_DEFAULT = 30;
export const SPEND_DAYS_MAX = 366;
const ATTEMPTS_MAX = 2_000_000;
const ROWS_OF_CSV_MAX = 10_000;

/** Null `from`: 30 days before `to`; null `to`: now. */
export interface SpendQuestion extends Omit<SpendFilter, 'from' | 'to'> {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly walletIds: readonly string[] | null;
  readonly by: SpendGroup;
}

export interface SpendOfPeriod extends Spend {
  readonly from: Date;
  readonly to: Date;
}

@Injectable()
export class SpendService {
  constructor(
    private readonly store: SpendStore,
    private readonly wallets: Wallets,
    private readonly database: Database,
  ) {}

  /** Throws `VALIDATION_ERROR`, and `WALLET_NOT_FOUND` and `KEY_NOT_FOUND` for those of others. */
  async spend(
    accountId: string,
    request: SpendQuestion,
    limit: number,
    timeZone: string,
  ): Promise<SpendOfPeriod> {
    const { walletIds, filter } = await this.scopeOf(accountId, request);
    const days = await this.store.days(filter.from, filter.to, timeZone);
    const sums = await this.store.sums(walletIds, request.by, filter, limit, timeZone);
    const places = Map.groupBy(sums, ({ place }) => place);
    const labels = await this.labelsOf(request.by, sums);
    const of = (place: readonly SpendSum[]) => ({
      ...total(place),
      byDay: seriesOf(place, days, request.by),
    });
    const rows: SpendRow[] = [];
    let other: Spend['other'] = null;
    for (const [place, found] of places) {
      const [{ value, label, groups }] = found as [SpendSum];
      if (place > limit) other = { ...of(found), groups };
      else rows.push({ value, label: labels.get(value ?? '') ?? label, ...of(found) });
    }
    return { from: filter.from, to: filter.to, days, total: total(sums), rows, other };
  }

  async table(accountId: string, request: SpendQuestion): Promise<AsyncGenerator<readonly SpendRow[], void>> {
    const { walletIds, filter } = await this.scopeOf(accountId, request);
    return this.rowsOf(walletIds, request.by, filter);
  }

  private async *rowsOf(
    walletIds: readonly string[],
    by: SpendGroup,
    filter: SpendFilter,
  ): AsyncGenerator<readonly SpendRow[], void> {
    const sums = await this.store.sums(walletIds, by, filter, ROWS_OF_CSV_MAX, null);
    const labels = await this.labelsOf(by, sums);
    yield sums.map(({ place, value, label, ...figures }) => ({
      ...figures,
      value,
      label: place > ROWS_OF_CSV_MAX ? `${figures.groups} others` : (labels.get(value ?? '') ?? label),
      byDay: [],
    }));
  }

  private async scopeOf(
    accountId: string,
    { walletIds, by: _, from: asked, to: until, ...rest }: SpendQuestion,
  ): Promise<{ walletIds: readonly string[]; filter: SpendFilter }> {
    const to = until ?? (await databaseNow(this.database));
    const from = asked ?? new Date(to.getTime() - DAYS_DEFAULT * DAY_MS);
    if (to <= from) throw validationError({ field: 'to', message: 'must be later than from' });
    // One day more: a day on which the clocks change is not 24 hours.
    if (to.getTime() - from.getTime() > (SPEND_DAYS_MAX + 1) * DAY_MS) {
      throw validationError({ field: 'from', message: `must be at most ${SPEND_DAYS_MAX} days before to` });
    }
    const filter = { ...rest, from, to };
    const ids = await this.walletsOf(accountId, walletIds, rest.keyId);
    if ((await this.store.attempts(ids, filter)) > ATTEMPTS_MAX) {
      throw validationError({
        field: 'from',
        message: 'the period has more than 2,000,000 attempts: choose a shorter one, or fewer wallets',
      });
    }
    return { walletIds: ids, filter };
  }

  private async walletsOf(
    accountId: string,
    walletIds: readonly string[] | null,
    keyId: string | null,
  ): Promise<readonly string[]> {
    const chosen = await this.wallets.chosenOwned(walletIds, accountId);
    if (keyId === null) return chosen;
    const { walletId } = await this.wallets.requireOwnedKey(keyId, accountId);
    return chosen.filter((id) => id === walletId);
  }

  private async labelsOf(by: SpendGroup, sums: readonly SpendSum[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(sums.flatMap(({ value }) => value ?? []))];
    if (by === 'wallet') return this.wallets.namesOf(ids);
    if (by !== 'key') return new Map();
    const labels = await this.wallets.keyLabels(ids);
    return new Map(
      [...labels.values()].map(({ id, name, prefix }) => [
        id,
        name === null ? `${prefix}…` : `${name} (${prefix}…)`,
      ]),
    );
  }
}

/** Sums stop at the largest amount. */
function total(sums: readonly SpendFigures[]): SpendFigures {
  const sum = (of: (each: SpendFigures) => number) =>
    Math.min(
      sums.reduce((all, each) => all + of(each), 0),
      KOBO_MAX,
    );
  return {
    payments: sum(({ payments }) => payments),
    spent: sum(({ spent }) => spent),
    refunded: sum(({ refunded }) => refunded),
    blocked: sum(({ blocked }) => blocked),
    blockedAmount: sum(({ blockedAmount }) => blockedAmount),
  };
}

function seriesOf(sums: readonly SpendSum[], days: readonly string[], by: SpendGroup): number[] {
  const amounts = new Map(
    sums.map(({ day, spent, blockedAmount }) => [day, by === 'blockReason' ? blockedAmount : spent]),
  );
  return days.map((day) => amounts.get(day) ?? 0);
}
