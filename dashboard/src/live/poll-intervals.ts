import { ApiError } from '../api/request.js';
import { isLive } from './live-state.js';
import type { PaymentStatus } from '../payments/status.js';

/* Polls only without live events, and after failures. */

interface Asked {
  readonly state: { readonly error: Error | null; readonly dataUpdatedAt: number };
}

const RECOVERY_MS = 4_000;
const RECOVERY_MS_MAX = 30_000;

export const isTransient = (error: unknown) => error instanceof ApiError && error.isTransient;

/** The longer ago it answered, the longer the pause. */
function recovery(answeredAt: number): number {
  if (answeredAt === 0) return RECOVERY_MS;
  return Math.min(RECOVERY_MS_MAX, Math.max(RECOVERY_MS, (Date.now() - answeredAt) / 4));
}

const every =
  (ms: number | false) =>
  ({ state: { error, dataUpdatedAt } }: Asked): number | false =>
    isTransient(error) ? recovery(dataUpdatedAt) : isLive() ? false : ms;

/** For screens where one waits. */
export const watched = every(3_000);

/** For overviews. */
export const overview = every(5_000);

export const chart = every(15_000);

/** Milliseconds: no event reports the end of a burst's older payments. */
const UNDER_WAY_MS = 10_000;

/** Also while a shown payment is under way. */
export const watchedToTheEnd =
  <Data>(paymentsOf: (data: Data) => readonly { readonly status: PaymentStatus }[], otherwise = watched) =>
  (query: Asked & { readonly state: { readonly data: Data | undefined } }): number | false => {
    const { data } = query.state;
    const isUnderWay = data !== undefined && paymentsOf(data).some(({ status }) => status === 'processing');
    return otherwise(query) || (isUnderWay && UNDER_WAY_MS);
  };

/** Retried until answered. */
export const once = every(false);
