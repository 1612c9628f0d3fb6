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
 * A statement that writes one table from rows of values.
 *
 * `sql` is given the rows as something to select from, under the name `r`. It must not depend on what other
 * statements of the same transaction write: several are carried out as one, see {@link combined}.
 */
export class RowStatement<Row> {
  /** Tells this statement from every other. */
  readonly id = (statements += 1);
  readonly columns: readonly {
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

  /** The statement for one row or for many, with its parameters, one a column, numbered from `from` + 1. */
  text(isOne: boolean, from: number): string {
    const names = this.columns.map(({ name }) => name).join(', ');
    const values = this.columns.map(({ type }, i) => {
      const parameter = `$${from + i + 1}::${type}`;
      return isOne ? parameter : `unnest(${parameter}[])`;
    });
    // Lists side by side in SELECT are read as they go; `FROM unnest(…)` stores each of them first.
    return this.sql(`(SELECT ${values.join(', ')}) AS r (${names})`);
  }
}

/** A statement with the rows it is to write. */
export interface RowWrite {
  readonly statement: RowStatement<never>;
  readonly rows: readonly never[];
}

/** These rows for this statement; `rows` has some. */
export function rowWrite<Row>(statement: RowStatement<Row>, rows: readonly Row[]): RowWrite {
  return { statement, rows } as unknown as RowWrite;
}

/**
 * One statement that carries out all of these, which write a table each. One row travels as scalars, which PostgreSQL and
 * the driver handle in half the time; several travel as one list a column.
 */
export function combined(writes: readonly RowWrite[]): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  for (const { statement, rows } of writes) {
    const [first] = rows;
    const isOne = rows.length === 1;
    for (const { name, type, make } of statement.columns) {
      if (isOne) {
        values.push(scalar(make ? make(first as never) : first?.[name]));
      } else {
        const list = mapped(rows, make ?? ((row) => row[name]));
        values.push(arrayBytes(type, list) ?? mapped(list, textual));
      }
    }
  }
  return { text: textOf(writes), values };
}

/** As bytes a time costs PostgreSQL and this process a fraction of its text. */
function scalar(value: unknown): unknown {
  return value instanceof Date ? (timeBytes(value) ?? textual(value)) : value;
}

/** The driver writes times in its own zone, field by field; ISO 8601 is exact and several times as fast. */
function textual(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

/** Texts of statements that begin alike, by what comes next. */
interface Texts {
  readonly next: Map<number, Texts>;
  text?: string;
}

/** The texts that were made: as many as there are statements that are given together. */
const TEXTS: Texts = { next: new Map() };

function textOf(writes: readonly RowWrite[]): string {
  let texts = TEXTS;
  for (const { statement, rows } of writes) {
    const which = 2 * statement.id + Number(rows.length === 1);
    let next = texts.next.get(which);
    if (!next) texts.next.set(which, (next = { next: new Map() }));
    texts = next;
  }
  return (texts.text ??= makeText(writes));
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
