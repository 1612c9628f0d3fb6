import {
  DataSource,
  type ObjectLiteral,
  QueryFailedError,
  type QueryRunner,
  type ReplicationMode,
} from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import pg from 'pg';
import { AppError } from '../../kernel/errors.js';
import { textsOf, parseIntegers } from './array-text.js';
import { isRolledBack, isStandbyWaitCanceled, mayWrite, outcomeUnknown } from './failures.js';
import { SilenceWatch } from './silence-watch.js';
import { timeOf } from './time-text.js';

/** Longest wait of a statement for a row that another transaction has locked, in milliseconds. */
const LOCK_TIMEOUT_MS = 5_000;
/** Longest time of one transaction, its COMMIT included, in milliseconds. */
export const TRANSACTION_DEADLINE_MS = 15_000;
/**
 * Longest time that PostgreSQL waits for the next statement of a transaction, in milliseconds. A process that is frozen there
 * keeps its locks; this is less than {@link LOCK_TIMEOUT_MS}, so that whoever waits for one of them still gets it.
 */
const IDLE_IN_TRANSACTION_MS_MAX = 4_000;
/** Longest time without a byte of an answer to a statement, in milliseconds: more than `Reads` give one. */
const STATEMENT_MS_MAX = 10_000;
const CONNECT_MS_MAX = 5_000;
/** Silence on an unused connection after which the system finds out whether its other end is there, in milliseconds. */
const KEEP_ALIVE_MS = 10_000;

const INT8_OID: number = pg.types.builtins.INT8;
/** Lists, which the driver has no names for. */
const LIST_OIDS = { integer: 1007, text: 1009, uuid: 2951 } as const;
const parserOf = pg.types.getTypeParser as (
  oid: number,
  format?: 'text' | 'binary',
) => (value: string) => unknown;

/** `bigint` columns arrive as numbers; one that a number can't hold exactly is an error, never rounded. */
function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number exactly`);
  return value;
}

type Parser = (text: string) => unknown;

/** Parsers that replace the driver's: faster with equal results, except that `bigint` differs. */
const PARSERS: ReadonlyMap<number, Parser> = new Map([
  [INT8_OID, exactInteger],
  [pg.types.builtins.TIMESTAMPTZ, withFallback(timeOf, pg.types.builtins.TIMESTAMPTZ)],
  [LIST_OIDS.integer, withFallback(parseIntegers, LIST_OIDS.integer)],
  [LIST_OIDS.text, withFallback(textsOf, LIST_OIDS.text)],
  [LIST_OIDS.uuid, withFallback(textsOf, LIST_OIDS.uuid)],
]);

function withFallback(read: (text: string, general: Parser) => unknown, oid: number): Parser {
  const general = parserOf(oid);
  return (text) => read(text, general);
}

/** Settings of each session. Given once it is connected: poolers refuse or ignore what is asked for with the connection. */
const SESSION_SETTINGS: Readonly<Record<string, string | number>> = {
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS_MAX,
  // PostgreSQL would keep a session whose client fell silent for two hours, and has few to give.
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
  // Statements are planned once, perhaps while their tables are still empty. Every one of them is meant to seek
  // in an index, so that it costs the same when the tables are full; no values make another plan better.
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
};

const SET_SESSION = `SELECT ${Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ')}`;

/** Settings of every connection to PostgreSQL that the service makes while it serves. */
function poolConfig(url: string, max: number, statementMsMax: number): PoolConfig {
  return {
    ...watchedPool(url, statementMsMax),
    max,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    onConnect: (client) => client.query(SET_SESSION),
    // Statements follow each other on the wire without waiting for the answer before: see Tx.
    pipeline: true,
    application_name: 'agent-payment-wallet',
    // Repositories read through the same parsers: no entity needs a transformer for its money.
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        (format !== 'binary' && PARSERS.get(oid)) || parserOf(oid, format),
    },
  };
}

type PoolConfig = Omit<pg.PoolConfig, 'onConnect'> & {
  readonly silenceWatch: SilenceWatch;
  /** Awaited before the connection is used, which the types of `pg` don't tell. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<unknown>;
};

/** Settings of a pool whose connections are thrown away when an answer stays out for `statementMsMax`. */
export function watchedPool(url: string, statementMsMax: number): PoolConfig {
  return {
    connectionString: url,
    Client: Connection,
    silenceWatch: new SilenceWatch(statementMsMax),
    connectionTimeoutMillis: 2 * CONNECT_MS_MAX,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/** A connection that knows whether its last commit went without the synchronous standby. */
export class Connection extends pg.Client {
  private isStandbyWaitCanceled = false;

  constructor(config?: pg.ClientConfig & { readonly silenceWatch?: SilenceWatch }) {
    super(config);
    config?.silenceWatch?.add(this);
    this.on('notice', (notice) => {
      if (isStandbyWaitCanceled(notice)) this.isStandbyWaitCanceled = true;
    });
  }

  /** Whether the wait for the standby was canceled since this was last asked. */
  takeStandbyWaitCanceled(): boolean {
    const isCanceled = this.isStandbyWaitCanceled;
    this.isStandbyWaitCanceled = false;
    return isCanceled;
  }
}

/** TypeORM's data source with one difference: its errors are those of PostgreSQL, or of what it left unknown. */
class PostgresDataSource extends DataSource {
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    const runner = super.createQueryRunner(mode);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    // A QueryFailedError carries the values of its statement, password hashes among them, into whatever logs it.
    runner.query = (async (...args: [string, ...unknown[]]) => {
      const client = (await runner.connect()) as Connection;
      try {
        const result = await query(...args);
        if (!runner.isTransactionActive && client.takeStandbyWaitCanceled()) throw outcomeUnknown();
        return result;
      } catch (error) {
        const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
        const isKnown = cause instanceof AppError || isRolledBack(cause) || runner.isTransactionActive;
        throw isKnown || !mayWrite(args[0]) ? cause : outcomeUnknown();
      }
    }) as QueryRunner['query'];
    return runner;
  }
}

/** A class with `@Entity`. */
export type EntityClass = new () => ObjectLiteral;

/**
 * The data source of the service: it owns the one pool, of at most `max` connections, and knows the entities. It is
 * not connected yet. The schema is made by the migrations alone: see {@link migrate}.
 */
export function serviceDataSource(
  url: string,
  max: number,
  entities: readonly EntityClass[],
  statementMsMax = STATEMENT_MS_MAX,
): DataSource {
  return new PostgresDataSource({
    type: 'postgres',
    url,
    extra: poolConfig(url, max, statementMsMax),
    entities: [...entities],
    installExtensions: false,
    logging: false,
  });
}

/** The pool that a data source owns, once it is connected. */
export function poolOf(source: DataSource): pg.Pool {
  return (source.driver as PostgresDriver).master as pg.Pool;
}
