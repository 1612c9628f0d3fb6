/* How often what is shown is asked for again. */

/** Where one waits for something to happen. */
export const WATCHED_MS = 3_000;

/** Where one only looks how things stand. */
export const OVERVIEW_MS = 5_000;

export const CHART_MS = 15_000;

/** While the service can't be reached. */
export const RECOVERY_MS = 4_000;
