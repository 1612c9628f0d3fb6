import { arrayBytes, timeBytes } from './array-bytes.js';
import { mapped } from '../../kernel/mapped.js';

/** A column's SQL type, with what makes its value of a row where that is not the member of the same name. */
type Column<Row> = string | readonly [type: string, valueOf: (row: Row) => RowValue];

/** A column for each member of the rows that a {@link RowStatement} is given; others may be made of the row as a whole. */
type Columns<Row> = Readonly<Record<keyof Row & string, Column<Row>>> & Readonly<Record<string, Column<Row>>>;

/** What a row may hold: text, numbers, times, bytes, and null. JSON is given as text. */
type RowValue = string | number | bigint | boolean | Date | Buffer | null;

let statements = 0;

/** From so many rows on, columns that are alike in all of them travel once: with fewer rows it costs more than it saves. */
const ALIKE_ROWS_MIN = 8;
/** The most columns of a statement: each is a bit of an integer. */
const COLUMNS_MAX = 31;

/**
 * A statement that writes one table from rows of values.
 *
 * `sql` is given the rows as something to select from, under the name `r`. It must not depend on what other
 * statements of the same transaction write: several are carried out as one, see {@link combined}. `alike` names groups of
 * columns that many rows written together have in common, as payments of one wallet have: where all rows do, the columns
 * of such a group travel once, not as lists. Every group doubles the statements that PostgreSQL may have to prepare.
 */
export class RowStatement<Row> {
  /** Tells this statement from every other. */
  readonly id = (statements += 1);
  /** The groups: a bit for each column, by its place. */
  private readonly groups: readonly number[];
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
    alike: readonly (readonly (keyof Row & string)[])[] = [],
  ) {
    this.columns = Object.entries(columns).map(([name, column]) => {
      const [type, make] = typeof column === 'string' ? [column, null] : column;
      return { name, type, make };
    });
    this.groups = alike.map((names) => names.reduce((bits, name) => bits | this.bitOf(name), 0));
    const all = this.groups.reduce((bits, group) => bits | group, 0);
    if (this.columns.length > COLUMNS_MAX || (all !== 0 && all === 2 ** this.columns.length - 1))
      throw new Error(`${table}: too many columns, or none that travels as a list`);
  }

  private bitOf(name: string): number {
    const at = this.columns.findIndex((column) => column.name === name && !column.make);
    if (at < 0) throw new Error(`${this.table}: ${name} is no column that is a member of its row`);
    return 1 << at;
  }

  /** Which columns travel once for all these rows, a bit each: all of a single row, else groups that are alike. */
  sharedBy(rows: readonly Row[]): number {
    if (rows.length === 1) return ONE_ROW;
    if (rows.length < ALIKE_ROWS_MIN) return 0;
    let shared = 0;
    for (const group of this.groups) if (this.areAlike(group, rows)) shared |= group;
    return shared;
  }

  private areAlike(group: number, rows: readonly Row[]): boolean {
    for (let i = 0; i < this.columns.length; i += 1) {
      if ((group & (1 << i)) === 0) continue;
      const name = this.columns[i]?.name as keyof Row;
      const first = rows[0]?.[name];
      for (let j = 1; j < rows.length; j += 1) if (!isSame(first, rows[j]?.[name])) return false;
    }
    return true;
  }

  /** The statement with its parameters, one a column, numbered from `from` + 1; for `shared` see {@link sharedBy}. */
  text(shared: number, from: number): string {
    const names = this.columns.map(({ name }) => name).join(', ');
    const values = this.columns.map(({ type }, i) => {
      const parameter = `$${from + i + 1}::${type}`;
      return shared & (1 << i) ? parameter : `unnest(${parameter}[])`;
    });
    // Lists side by side in SELECT are read as they go; `FROM unnest(…)` stores each of them first.
    return this.sql(`(SELECT ${values.join(', ')}) AS r (${names})`);
  }
}

/** All bits: a single row has nothing but values. */
const ONE_ROW = -1;

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a instanceof Date && b instanceof Date && a.getTime() === b.getTime());
}

/** A statement with the rows it is to write. */
export interface RowWrite {
  readonly statement: RowStatement<never>;
  readonly rows: readonly never[];
  /** Which columns travel once: see {@link RowStatement.sharedBy}. */
  readonly shared: number;
}

/** These rows for this statement; `rows` has some. */
export function rowWrite<Row>(statement: RowStatement<Row>, rows: readonly Row[]): RowWrite {
  return { statement, rows, shared: statement.sharedBy(rows) } as unknown as RowWrite;
}

/**
 * One statement that carries out all of these, which write a table each. What travels once is a scalar, which PostgreSQL
 * and the driver handle in half the time; the rest is one list a column.
 */
export function combined(writes: readonly RowWrite[]): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  for (const { statement, rows, shared } of writes) {
    const [first] = rows;
    for (let i = 0; i < statement.columns.length; i += 1) {
      const { name, type, make } = statement.columns[i] as (typeof statement.columns)[number];
      if (shared & (1 << i)) {
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

/** More than there are statements in the code. */
const STATEMENTS_MAX = 1_024;

/** Texts of statements that begin alike, by what comes next. */
interface Texts {
  readonly next: Map<number, Texts>;
  text?: string;
}

/** The texts that were made: as many as there are statements that are given together. */
const TEXTS: Texts = { next: new Map() };

function textOf(writes: readonly RowWrite[]): string {
  let texts = TEXTS;
  for (const { statement, shared } of writes) {
    const which = STATEMENTS_MAX * shared + statement.id;
    let next = texts.next.get(which);
    if (!next) texts.next.set(which, (next = { next: new Map() }));
    texts = next;
  }
  return (texts.text ??= makeText(writes));
}

function makeText(writes: readonly RowWrite[]): string {
  let from = 0;
  const parts = writes.map(({ statement, shared }) => {
    const part = statement.text(shared, from);
    from += statement.columns.length;
    return part;
  });
  const last = parts.pop() ?? '';
  const before = parts.map((part, i) => `w${i} AS (${part})`).join(', ');
  return before ? `WITH ${before} ${last}` : last;
}
