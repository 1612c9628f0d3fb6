import { createHash } from 'node:crypto';
import type pg from 'pg';
import { arrayText } from './array-text.js';

const names = new Map<string, string>();

/** Statements are prepared once per connection, under a name made from their text. */
export function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    names.set(text, name);
  }
  return { name, text, values: values.map((value) => (Array.isArray(value) ? arrayText(value) : value)) };
}
