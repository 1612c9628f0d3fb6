import { answerOf, api, data } from './request.js';
import type { components } from './schema.js';

export type Spend = components['schemas']['SpendView'];
export type SpendRow = components['schemas']['SpendRowView'];
export type SpendGroup = Spend['by'];

export interface SpendQuery {
  by: SpendGroup;
  from: string;
  to: string;
}

/** Rows shown; the rest is summed as one. */
const ROWS = 8;

export const spendOf = (query: SpendQuery, timeZone: string): Promise<Spend> =>
  data(answerOf(api.GET('/v1/spend', { params: { query: { ...query, timeZone, limit: ROWS } } })));

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
