import { arrayBytes, timeBytes } from './array-bytes.js';
import { mapped } from '../../kernel/mapped.js';

/** A column's SQL type, with what makes its value of a row where that is not the member of the same name. */
type Column<Row> = string | readonly [type: string, valueOf: (row: Row) => RowValue];

/** A column for each member of the rows that a {@link RowStatement} is given; others may be made of the row as a whole. */
type Columns<Row> = Readonly<Record<keyof Row & string, Column<Row>>> & Readonly<Record<string, Column<Row>>>;

/** What a row may hold: text, numbers, times, bytes, and null. JSON is given as text. */
type RowValue = string | number | bigint | boolean | Date | Buffer | null;

let statements = 0;

/**
 * A statement that writes one table from rows of values. One row travels as scalars, which PostgreSQL and the driver
 * handle in half the time; several travel as one array a column.
 *
 * `sql` is given the rows as something to select from, under the name `r`. It must not depend on what other
 * statements of the same transaction write: several may be carried out as one.
 */
export class RowStatement<Row> {
  /** Tells this statement from every other. */
  readonly id = (statements += 1);
  private readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    /** Makes the value; null: it is the member of the same name. */
    readonly make: ((row: Row) => unknown) | null;
  }[];

  constructor(
    /** The table that is written. */
    readonly table: string,
    columns: Columns<Row>,
    private readonly sql: (rows: string) => string,
  ) {
    this.columns = Object.entries(columns).map(([name, column]) => {
      const [type, make] = typeof column === 'string' ? [column, null] : column;
      return { name, type, make };
    });
  }

  /** How many parameters it takes. */
  get width(): number {
    return this.columns.length;
  }

  /** The statement for one row or for many, with its parameters numbered from `from` + 1. */
  text(isOne: boolean, from: number): string {
    const names = this.columns.map(({ name }) => name).join(', ');
    const values = this.columns.map(({ type }, i) => {
      const parameter = `$${from + i + 1}::${type}`;
      return isOne ? parameter : `unnest(${parameter}[])`;
    });
    // Lists side by side in SELECT are read as they go; `FROM unnest(…)` stores each of them first.
    return this.sql(`(SELECT ${values.join(', ')}) AS r (${names})`);
  }

  /** The parameters of {@link text}. */
  values(rows: readonly Row[]): unknown[] {
    const [first] = rows;
    if (rows.length === 1 && first) {
      return mapped(this.columns, ({ name, make }) => scalar(make ? make(first) : first[name as keyof Row]));
    }
    return mapped(this.columns, ({ name, type, make }) => {
      const list = mapped(rows, make ?? ((row) => row[name as keyof Row]));
      return arrayBytes(type, list) ?? mapped(list, textual);
    });
  }
}

/** As bytes a time costs PostgreSQL and this process a fraction of its text. */
function scalar(value: unknown): unknown {
  return value instanceof Date ? (timeBytes(value) ?? textual(value)) : value;
}

/** The driver writes times in its own zone, field by field; ISO 8601 is exact and several times as fast. */
function textual(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

/** A statement with the rows it is to write. */
export interface RowWrite {
  readonly statement: RowStatement<never>;
  readonly rows: readonly never[];
}

const textOf = new Map<string, string>();

/** One statement that carries out all of these, which write a table each. */
export function combined(writes: readonly RowWrite[]): { text: string; values: unknown[] } {
  const key = writes.map(({ statement, rows }) => `${statement.id}${rows.length === 1 ? 's' : 'a'}`).join();
  let text = textOf.get(key);
  if (text === undefined) {
    let from = 0;
    const parts = writes.map(({ statement, rows }) => {
      const part = statement.text(rows.length === 1, from);
      from += statement.width;
      return part;
    });
    const last = parts.pop() ?? '';
    text =
      parts.length > 0 ? `WITH ${parts.map((part, i) => `w${i} AS (${part})`).join(', ')} ${last}` : last;
    textOf.set(key, text);
  }
  return { text, values: writes.flatMap(({ statement, rows }) => statement.values(rows)) };
}
