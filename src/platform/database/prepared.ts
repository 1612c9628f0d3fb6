import { createHash } from 'node:crypto';
import type pg from 'pg';
import { arrayBytes } from './array-bytes.js';
import { arrayText } from './array-text.js';

const names = new Map<string, string>();

/** Statements are prepared once per connection, under a name made from their text. */
export function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    names.set(text, name);
  }
  return { name, text, values: values.map((value) => (Array.isArray(value) ? listValue(value) : value)) };
}

/** A list of bytes can be for a `bytea[]` alone; of any other, only the statement knows the type. */
function listValue(list: readonly unknown[]): unknown {
  return (Buffer.isBuffer(list[0]) && arrayBytes('bytea', list)) || arrayText(list);
}
