import { mapped } from '../../kernel/mapped.js';
import type { Wire } from './wire/wire.js';

type Column<Row> = string | readonly [type: string, valueOf: (row: Row) => RowValue];

type Columns<Row> = Readonly<Record<keyof Row & string, Column<Row>>> & Readonly<Record<string, Column<Row>>>;

/** JSON is text. */
type RowValue = string | number | bigint | boolean | Date | Buffer | null;

let statements = 0;

/**
 * Writes one table from rows. `sql` selects from them as `r` and must not depend on other statements of the
 * transaction: see {@link combined}.
 */
export class RowStatement<Row> {
  readonly id = (statements += 1);
  readonly columns: readonly { readonly type: string; readonly valueOf: (row: Row) => unknown }[];
  private readonly names: string;

  constructor(
    readonly table: string,
    columns: Columns<Row>,
    private readonly sql: (rows: string) => string,
  ) {
    this.names = Object.keys(columns).join(', ');
    this.columns = Object.entries(columns).map(([name, column]) =>
      typeof column === 'string'
        ? { type: column, valueOf: (row) => row[name as keyof Row] }
        : { type: column[0], valueOf: column[1] },
    );
  }

  /** Parameters are numbered from `from` + 1. One row goes as scalars, more as lists. */
  text(isOne: boolean, from: number): string {
    const values = this.columns.map(({ type }, i) => {
      const parameter = `$${from + i + 1}::${type}`;
      return isOne ? parameter : `unnest(${parameter}[])`;
    });
    // `FROM unnest(…)` would store each list first.
    return this.sql(`(SELECT ${values.join(', ')}) AS r (${this.names})`);
  }
}

export interface RowWrite {
  readonly statement: RowStatement<never>;
  readonly rows: readonly never[];
}

export function rowWrite<Row>(statement: RowStatement<Row>, rows: readonly Row[]): RowWrite {
  return { statement, rows } as unknown as RowWrite;
}

export function combined(writes: readonly RowWrite[], wire: Wire): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  for (const { statement, rows } of writes) {
    for (const { type, valueOf } of statement.columns) {
      const list = mapped(rows, valueOf);
      values.push(
        list.length === 1 ? textual(list[0]) : (wire.listBytes(type, list) ?? mapped(list, textual)),
      );
    }
  }
  return { text: textOf(writes), values };
}

/** ISO 8601 is exact and faster than the driver's own form. */
function textual(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

const texts = new Map<string, string>();

function textOf(writes: readonly RowWrite[]): string {
  const key = writes.map(({ statement, rows }) => `${statement.id}${rows.length === 1 ? 'r' : 's'}`).join();
  let text = texts.get(key);
  if (text === undefined) texts.set(key, (text = makeText(writes)));
  return text;
}

function makeText(writes: readonly RowWrite[]): string {
  let from = 0;
  const parts = writes.map(({ statement, rows }) => {
    const part = statement.text(rows.length === 1, from);
    from += statement.columns.length;
    return part;
  });
  const last = parts.pop() ?? '';
  const before = parts.map((part, i) => `w${i} AS (${part})`).join(', ');
  return before ? `WITH ${before} ${last}` : last;
}
