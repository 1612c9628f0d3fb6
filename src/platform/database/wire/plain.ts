import type pg from 'pg';
import { mapped } from '../../../kernel/mapped.js';
import { NotCommitted } from '../failures.js';
import type { Sent, Wire } from './wire.js';

/** The driver's own queries, one after the other: a round trip each. */
export class PlainWire implements Wire {
  private readonly last = new WeakMap<pg.PoolClient, Promise<void>>();

  send(client: pg.PoolClient, statements: readonly Sent[]): void {
    this.last.set(
      client,
      this.sent(client).then(() => run(client, statements)),
    );
  }

  sent(client: pg.PoolClient): Promise<void> {
    return this.last.get(client) ?? Promise.resolve();
  }

  listBytes(): undefined {
    return undefined;
  }
}

async function run(client: pg.PoolClient, statements: readonly Sent[]): Promise<void> {
  let cause: Error | undefined;
  for (const { statement, onAnswer } of statements) {
    if (cause) onAnswer(new NotCommitted('a statement before it failed', { cause }));
    else
      await Promise.try(() => client.query(bound(statement))).then(
        (result) => onAnswer(null, result),
        (error: unknown) => {
          cause = error as Error;
          onAnswer(cause);
        },
      );
  }
}

/**
 * Writes documents as text: one that fails in the driver leaves it with a prepared statement that PostgreSQL
 * has closed.
 */
function bound({ values = [], ...statement }: pg.QueryConfig): pg.QueryConfig {
  return {
    ...statement,
    values: mapped(values as readonly unknown[], (value) =>
      isDocument(value) ? JSON.stringify(value) : value,
    ),
  };
}

function isDocument(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]';
}
