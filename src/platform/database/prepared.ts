import { createHash } from 'node:crypto';
import pg from 'pg';
import { arrayBytes } from './array-bytes.js';
import { arrayText } from './array-text.js';
import { mapped } from '../../kernel/mapped.js';

const names = new Map<string, string>();

/** Prepared once per connection, named by their text. */
export function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    names.set(text, name);
  }
  return { name, text, values: mapped(values, (value) => (Array.isArray(value) ? listValue(value) : value)) };
}

/** Sends a statement as text: the driver copies objects slowly. */
export function sendTo(
  client: pg.ClientBase,
  { name, text, values }: pg.QueryConfig,
): Promise<pg.QueryResult> {
  return new Promise<pg.QueryResult>((resolve, reject) => {
    const query = new pg.Query(text, values, (error, result) => (error ? reject(error) : resolve(result)));
    client.query(Object.assign(query, { name }));
  }).catch((error: unknown) => {
    // Replaces the driver's stack, which starts at the socket.
    if (Error.isError(error)) Error.captureStackTrace(error);
    throw error;
  });
}

function listValue(list: readonly unknown[]): unknown {
  return (Buffer.isBuffer(list[0]) && arrayBytes('bytea', list)) || arrayText(list);
}
