import { arrayBytes, timeBytes } from './array-bytes.js';
import { mapped } from '../../kernel/mapped.js';

/** SQL type, or how the value is made from a row. */
type Column<Row> = string | readonly [type: string, valueOf: (row: Row) => RowValue];

type Columns<Row> = Readonly<Record<keyof Row & string, Column<Row>>> & Readonly<Record<string, Column<Row>>>;

/** JSON is text. */
type RowValue = string | number | bigint | boolean | Date | Buffer | null;

let statements = 0;

/** Rows from which shared columns save more than they cost. */
const ALIKE_ROWS_MIN = 8;
/** One bit each. */
const COLUMNS_MAX = 31;

/**
 * Writes one table from rows. `sql` selects from them as `r` and must not depend on other statements of the
 * transaction: see {@link combined}. `alike` names column groups that are sent once per batch if equal in all
 * rows; each doubles the prepared statements.
 */
export class RowStatement<Row> {
  readonly id = (statements += 1);
  /** Bit masks. */
  private readonly groups: readonly number[];
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    /** Null: the member of the same name. */
    readonly make: ((row: Row) => unknown) | null;
  }[];

  constructor(
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

  /** Columns sent once for these rows, a bit each. */
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

  /** Parameters are numbered from `from` + 1. */
  text(shared: number, from: number): string {
    const names = this.columns.map(({ name }) => name).join(', ');
    const values = this.columns.map(({ type }, i) => {
      const parameter = `$${from + i + 1}::${type}`;
      return shared & (1 << i) ? parameter : `unnest(${parameter}[])`;
    });
    // `FROM unnest(…)` would store each list first.
    return this.sql(`(SELECT ${values.join(', ')}) AS r (${names})`);
  }
}

const ONE_ROW = -1;

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a instanceof Date && b instanceof Date && a.getTime() === b.getTime());
}

export interface RowWrite {
  readonly statement: RowStatement<never>;
  readonly rows: readonly never[];
  readonly shared: number;
}

export function rowWrite<Row>(statement: RowStatement<Row>, rows: readonly Row[]): RowWrite {
  return { statement, rows, shared: statement.sharedBy(rows) } as unknown as RowWrite;
}

/** Combines statements of different tables into one. Shared columns are scalars, the rest lists. */
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

function scalar(value: unknown): unknown {
  return value instanceof Date ? (timeBytes(value) ?? textual(value)) : value;
}

/** ISO 8601 is exact and faster than the driver's own form. */
function textual(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

const STATEMENTS_MAX = 1_024;

interface Texts {
  readonly next: Map<number, Texts>;
  text?: string;
}

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
