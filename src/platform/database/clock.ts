import type { Queryable } from './tx.js';

/** The database's time in whole milliseconds. Costs a statement. */
export async function databaseNow(from: Queryable): Promise<Date> {
  const [row] = await from.query<{ now: Date }>(
    `SELECT date_trunc('milliseconds', clock_timestamp()) AS now`,
  );
  return (row as { now: Date }).now;
}
