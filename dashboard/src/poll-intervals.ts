import { ApiError } from './api/request.js';
import { isLive } from './live/live-state.js';

/*
 * How often what is shown is asked for again: only as long as the events that tell of changes aren't heard, and what
 * failed because the service was away.
 */

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

/** Where one waits for something to happen. */
export const watched = every(3_000);

/** Where one only looks how things stand. */
export const overview = every(5_000);

export const chart = every(15_000);

/** What no event tells of: again only until it has an answer. */
export const once = every(false);
