import pg from 'pg';
import { mapped } from '../../../kernel/mapped.js';
import { NotCommitted } from '../failures.js';
import { arrayBytes } from './array-bytes.js';
import type { Sent, Wire } from './wire.js';

interface DriverConnection {
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

/** Connection that skips describing rows. A class, as V8 slows `Object.create` prototypes down. */
class NoDescribeConnection implements DriverConnection {
  readonly stream: DriverConnection['stream'];
  readonly parsedStatements: DriverConnection['parsedStatements'];
  readonly submittedNamedStatements: DriverConnection['submittedNamedStatements'];

  constructor(private readonly wire: DriverConnection) {
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

interface Columns {
  readonly fields: readonly unknown[];
  readonly _parsers: unknown;
  readonly _prebuiltEmptyResultObject: unknown;
}

interface DriverQuery {
  name: string | undefined;
  text: string;
  readonly _result: { _types: unknown } & Columns;
  _accumulateRows: unknown;
  submit(wire: DriverConnection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: DriverConnection): void;
  handleError(error: Error, wire: DriverConnection): void;
  handleReadyForQuery(wire: DriverConnection): void;
}

const DriverQuery = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[],
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => DriverQuery;

class PreparedStatements {
  private static readonly of = new WeakMap<DriverConnection, PreparedStatements>();
  readonly columns = new Map<string, Columns>();
  readonly undescribed: DriverConnection;

  private constructor(wire: DriverConnection) {
    this.undescribed = new NoDescribeConnection(wire);
  }

  static on(wire: DriverConnection): PreparedStatements {
    let known = this.of.get(wire);
    if (!known) this.of.set(wire, (known = new PreparedStatements(wire)));
    return known;
  }
}

/** A statement of a packet: no Sync of its own, rows described once. PostgreSQL refuses it if they change. */
class Statement extends DriverQuery {
  isParsedHere = false;
  isRefused = false;
  failure: Error | undefined;
  private prepared: PreparedStatements | undefined;

  override submit(wire: DriverConnection, prepared = PreparedStatements.on(wire)): Error | null {
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

  _getRows(wire: DriverConnection): void {
    wire.execute({});
  }

  override handleCommandComplete(message: unknown, wire: DriverConnection): void {
    const columns = this.prepared?.columns;
    if (columns && this.name && (this.isParsedHere || !columns.has(this.name))) {
      const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
      columns.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    }
    super.handleCommandComplete(message, wire);
  }

  override handleError(error: Error, wire: DriverConnection): void {
    if (this.failure) return;
    this.failure = error;
    super.handleError(error, wire);
  }
}

/**
 * Statements that run in order and are answered together, with one Sync. A failure fails all later ones,
 * COMMIT included, as {@link NotCommitted}.
 */
class Packet extends DriverQuery {
  private readonly statements: readonly Statement[];
  private at = 0;

  constructor(statements: readonly Sent[]) {
    super('', [], () => undefined);
    this.statements = mapped(statements, ({ statement: { name, text, values = [] }, onAnswer }) =>
      Object.assign(new Statement(text, values, onAnswer), { name }),
    );
  }

  override submit(wire: DriverConnection): null {
    wire.stream.cork();
    const prepared = PreparedStatements.on(wire);
    for (const [i, statement] of this.statements.entries()) {
      statement._result._types = this._result._types;
      const refusal = statement.submit(wire, prepared);
      if (refusal) {
        statement.isRefused = true;
        statement.handleError(refusal, wire);
      }
      // The driver has sent Sync if values could not be written.
      const isLast = i === this.statements.length - 1;
      if (refusal || (isLast && !statement.failure)) wire.sync();
      if (!statement.failure) continue;
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

  override handleCommandComplete(message: unknown, wire: DriverConnection): void {
    this.statements[this.at]?.handleCommandComplete(message, wire);
    this.at += 1;
    this.sendStatementName();
  }

  override handleReadyForQuery(wire: DriverConnection): void {
    for (const statement of this.statements.slice(0, this.at)) statement.handleReadyForQuery(wire);
    // Closed by the driver.
    const unsent = this.statements[this.at];
    if (unsent && !unsent.isRefused) Reflect.deleteProperty(wire.parsedStatements, unsent.name ?? '');
  }

  override handleError(error: Error, wire: DriverConnection): void {
    // An answered error tells how far PostgreSQL came; a lost connection does not.
    if (!(error instanceof pg.DatabaseError)) {
      for (const statement of this.statements) statement.handleError(error, wire);
      return;
    }
    for (const statement of this.statements.slice(0, this.at)) statement.handleReadyForQuery(wire);
    this.statements[this.at]?.handleError(error, wire);
    this.failBehind(this.at, error, wire);
  }

  private failBehind(index: number, cause: Error, wire: DriverConnection): void {
    for (const statement of this.statements.slice(index + 1)) {
      statement.handleError(new NotCommitted('a statement before it failed', { cause }), wire);
      if (!statement.isParsedHere) continue;
      Reflect.deleteProperty(wire.submittedNamedStatements, statement.name ?? '');
    }
  }

  private sendStatementName(): void {
    const current = this.statements[this.at];
    if (!current) return;
    this.name = current.name;
    this.text = current.text;
  }
}

export class PacketWire implements Wire {
  send(client: pg.PoolClient, statements: readonly Sent[]): void {
    void client.query(new Packet(statements));
  }

  sent(): Promise<void> {
    return Promise.resolve();
  }

  listBytes(type: string, list: readonly unknown[]): Buffer | undefined {
    return arrayBytes(type, list);
  }
}
