import pg from 'pg';
import { NotCommitted } from './failures.js';

/** The driver's connection, as far as its own queries use it. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(options: object): void;
  bind(options: object): void;
  describe(options: object): void;
  execute(options: object): void;
  close(options: object): void;
  sync(): void;
}

/** The same with what only a packet uses. */
interface FlushableWire extends Wire {
  flush(): void;
}

/**
 * A connection on which a request to describe a statement's rows goes unsent. Not made by `Object.create`: V8 gives each
 * object that others inherit from a map of its own, so that nothing that reads one connection is fast on the next.
 */
class NoDescribeWire implements Wire {
  readonly stream: Wire['stream'];
  readonly parsedStatements: Wire['parsedStatements'];
  readonly submittedNamedStatements: Wire['submittedNamedStatements'];

  constructor(private readonly wire: Wire) {
    this.stream = wire.stream;
    this.parsedStatements = wire.parsedStatements;
    this.submittedNamedStatements = wire.submittedNamedStatements;
  }

  parse(options: object): void {
    this.wire.parse(options);
  }

  bind(options: object): void {
    this.wire.bind(options);
  }

  describe(): void {
    // Reuse the cached row description.
  }

  execute(options: object): void {
    this.wire.execute(options);
  }

  close(options: object): void {
    this.wire.close(options);
  }

  sync(): void {
    this.wire.sync();
  }
}

/** What the driver makes of PostgreSQL's description of a statement's rows. */
interface Columns {
  readonly fields: readonly unknown[];
  readonly _parsers: unknown;
  readonly _prebuiltEmptyResultObject: unknown;
}

/** The driver's query, as its connection calls it: the types of `pg` tell `submit` alone. */
interface DriverQuery {
  name: string | undefined;
  text: string;
  readonly _result: { _types: unknown } & Columns;
  _accumulateRows: unknown;
  submit(wire: Wire): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleError(error: Error, wire: Wire): void;
  handleReadyForQuery(wire: Wire): void;
}

const DriverQuery = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[],
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => DriverQuery;

/** What is known of the statements that one connection has prepared. */
class PreparedStatements {
  private static readonly of = new WeakMap<Wire, PreparedStatements>();
  /** By their names, of those that were carried out. */
  readonly columns = new Map<string, Columns>();
  /** The same connection, on which a request to describe a statement's rows goes unsent. */
  readonly undescribed: Wire;

  private constructor(wire: Wire) {
    this.undescribed = new NoDescribeWire(wire);
  }

  static on(wire: Wire): PreparedStatements {
    let known = this.of.get(wire);
    if (!known) this.of.set(wire, (known = new PreparedStatements(wire)));
    return known;
  }
}

/**
 * A statement of a packet: the driver's own, but that Sync is left to the packet, and that its rows are described once for
 * each time it is prepared. They stay what they are: PostgreSQL refuses to carry it out where they would not.
 */
class Statement extends DriverQuery {
  /** Whether the packet prepares it, rather than one before. */
  isParsedHere = false;
  /** Whether the driver sends nothing of it, as its name stands for another text. */
  isRefused = false;
  failure: Error | undefined;
  /** Of the connection that it is sent on. */
  private prepared: PreparedStatements | undefined;

  override submit(wire: Wire, prepared = PreparedStatements.on(wire)): Error | null {
    const { name = '' } = this;
    this.isParsedHere = !(name in wire.parsedStatements || name in wire.submittedNamedStatements);
    this.prepared = prepared;
    const columns = this.isParsedHere ? undefined : prepared.columns.get(name);
    if (!columns) return super.submit(wire);
    const { fields, _parsers, _prebuiltEmptyResultObject } = columns;
    Object.assign(this._result, { fields, _parsers, _prebuiltEmptyResultObject });
    this._accumulateRows = true;
    return super.submit(prepared.undescribed);
  }

  _getRows(wire: Wire): void {
    wire.execute({});
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    const columns = this.prepared?.columns;
    if (columns && this.name && (this.isParsedHere || !columns.has(this.name))) {
      const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
      columns.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    }
    super.handleCommandComplete(message, wire);
  }

  override handleError(error: Error, wire: Wire): void {
    if (this.failure) return;
    this.failure = error;
    super.handleError(error, wire);
  }
}

/**
 * Statements of one transaction that PostgreSQL carries out one after the other and answers in one go: the driver ends
 * each of its queries with a Sync, and every Sync is a packet and a wake-up of its own. What stands behind a statement
 * that fails is not carried out, COMMIT included: it fails as {@link NotCommitted}, for the reason of the first.
 */
export class Packet extends DriverQuery {
  private readonly statements: Statement[] = [];
  /** The statement whose answer comes next. */
  private at = 0;
  /** Whether an answer of it is waited for. */
  private isAwaited = false;

  constructor() {
    super('', [], () => undefined);
  }

  /** Adds a statement whose result is not needed; `failed` receives its error. */
  write(statement: pg.QueryConfig, failed: (error: Error) => void): void {
    this.push(statement, (error) => {
      if (error) failed(error);
    });
  }

  /** Adds a statement; answers what PostgreSQL does. */
  add(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    this.isAwaited = true;
    return new Promise<pg.QueryResult>((resolve, reject) => {
      this.push(statement, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
    }).catch((error: unknown) => {
      // The driver's own stack begins at the socket, and does not say who asked.
      if (Error.isError(error)) Error.captureStackTrace(error);
      throw error;
    });
  }

  override submit(wire: Wire): null {
    wire.stream.cork();
    const prepared = PreparedStatements.on(wire);
    for (const [i, statement] of this.statements.entries()) {
      statement._result._types = this._result._types;
      const refusal = statement.submit(wire, prepared);
      if (refusal) {
        statement.isRefused = true;
        statement.handleError(refusal, wire);
      }
      // Where its values cannot be written the driver has sent Sync in its place.
      const isLast = i === this.statements.length - 1;
      if (refusal || (isLast && !statement.failure)) wire.sync();
      if (!statement.failure) continue;
      // Nothing goes out behind it.
      this.failBehind(i, statement.failure, wire);
      break;
    }
    wire.stream.uncork();
    this.sendStatementName();
    return null;
  }

  override handleRowDescription(message: unknown): void {
    this.statements[this.at]?.handleRowDescription(message);
  }

  override handleDataRow(message: unknown): void {
    this.statements[this.at]?.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, wire: FlushableWire): void {
    if (this.at === 0 && this.isAwaited && !this.endsTransaction()) keepAwake(wire);
    this.statements[this.at]?.handleCommandComplete(message, wire);
    this.at += 1;
    this.sendStatementName();
  }

  override handleReadyForQuery(wire: Wire): void {
    for (const statement of this.statements.slice(0, this.at)) statement.handleReadyForQuery(wire);
    // One whose values could not be written: the driver has had it closed.
    const unsent = this.statements[this.at];
    if (unsent && !unsent.isRefused) Reflect.deleteProperty(wire.parsedStatements, unsent.name ?? '');
  }

  override handleError(error: Error, wire: Wire): void {
    // A connection that is lost does not say how far PostgreSQL came; an error that it answers does.
    if (!(error instanceof pg.DatabaseError)) {
      for (const statement of this.statements) statement.handleError(error, wire);
      return;
    }
    for (const statement of this.statements.slice(0, this.at)) statement.handleReadyForQuery(wire);
    this.statements[this.at]?.handleError(error, wire);
    this.failBehind(this.at, error, wire);
  }

  /** Fails what stands behind the statement at `index`: it was not carried out, and not prepared either. */
  private failBehind(index: number, cause: Error, wire: Wire): void {
    for (const statement of this.statements.slice(index + 1)) {
      statement.handleError(new NotCommitted('a statement before it failed', { cause }), wire);
      if (!statement.isParsedHere) continue;
      Reflect.deleteProperty(wire.submittedNamedStatements, statement.name ?? '');
    }
  }

  private push(
    { name, text, values = [] }: pg.QueryConfig,
    answered: (error: Error | null, result: pg.QueryResult) => void,
  ): void {
    const statement = new Statement(text, values, answered);
    statement.name = name;
    this.statements.push(statement);
  }

  private endsTransaction(): boolean {
    const last = this.statements.at(-1)?.text;
    return last === 'COMMIT' || last === 'ROLLBACK';
  }

  /** The connection keeps the names of what is prepared by the name of its query. */
  private sendStatementName(): void {
    const current = this.statements[this.at];
    if (!current) return;
    this.name = current.name;
    this.text = current.text;
  }
}

/**
 * Wakes a session that has more to do soon, by a message that PostgreSQL answers nothing to. On a virtual core a sleep of
 * more than 0.2 ms, KVM's `halt_poll_ns`, makes what follows it slow, the commit's fdatasync above all: 0.34 ms instead of
 * 0.22. The time between the answer and the next statements is then two sleeps, which are shorter.
 */
function keepAwake(wire: FlushableWire): void {
  wire.flush();
}
