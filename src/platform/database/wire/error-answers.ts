import type pg from 'pg';

/** Calls `listener` with every error that PostgreSQL answers on this connection. */
export function onErrorAnswer(client: pg.PoolClient, listener: (error: Error) => void): void {
  client.connection.on('errorMessage', listener);
}
