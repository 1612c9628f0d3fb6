import { createHash } from 'node:crypto';
import type pg from 'pg';
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
  return { name, text, values: mapped(values, (value) => (Array.isArray(value) ? arrayText(value) : value)) };
}
