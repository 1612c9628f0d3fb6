import type pg from 'pg';

export interface Sent {
  readonly statement: pg.QueryConfig;
  readonly onAnswer: (error: Error | null, result?: pg.QueryResult) => void;
}

export interface Wire {
  /** Runs statements in order, after those sent before. A failure fails all later ones as `NotCommitted`. */
  send(client: pg.PoolClient, statements: readonly Sent[]): void;
  /** Resolves once a query given to `client` runs after all that was sent. */
  sent(client: pg.PoolClient): Promise<void>;
  /** A list as the value of a parameter, if there is a faster form than text. */
  listBytes(type: string, list: readonly unknown[]): Buffer | undefined;
}
