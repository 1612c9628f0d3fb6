import { answerOf, api, data } from './request.js';
import type { components } from './schema.js';

export type Spend = components['schemas']['SpendView'];
export type SpendRow = components['schemas']['SpendRowView'];
export type SpendGroup = Spend['by'];

export interface SpendQuery {
  by: SpendGroup;
  from: string;
  to: string;
  /** Groups, 50 at most; the rest is summed as one. */
  limit: number;
}

export const spendOf = (query: SpendQuery, timeZone: string): Promise<Spend> =>
  data(answerOf(api.GET('/v1/spend', { params: { query: { ...query, timeZone } } })));

const MERCHANTS = 50;

/** Covers the last 30 days. */
export const merchantsOf = (walletId: string, timeZone: string): Promise<Spend> =>
  data(
    answerOf(
      api.GET('/v1/spend', { params: { query: { by: 'merchant', walletId, timeZone, limit: MERCHANTS } } }),
    ),
  );

export function spendCsv({ by, from, to }: SpendQuery): string {
  return `/v1/spend.csv?${new URLSearchParams({ by, from, to }).toString()}`;
}
