import type pg from 'pg';

export function onErrorAnswer(client: pg.PoolClient, listener: (error: Error) => void): void {
  client.connection.on('errorMessage', listener);
}
