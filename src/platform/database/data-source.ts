import { DataSource, type ObjectLiteral, type QueryRunner, type ReplicationMode } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import pg from 'pg';
import { textsOf, parseIntegers } from './array-text.js';
import { Connection } from './connection.js';
import { throwPostgresErrors } from './query-runners.js';
import { SilenceWatch } from './wire/silence-watch.js';

/** Longest wait for a row lock, in milliseconds. */
const LOCK_TIMEOUT_MS = 5_000;
/** Longest transaction, COMMIT included, in milliseconds. */
export const TRANSACTION_DEADLINE_MS = 15_000;
/**
 * Longest wait for a transaction's next statement, in milliseconds. Below {@link LOCK_TIMEOUT_MS}: a frozen
 * process outlasts no lock wait.
 */
const IDLE_IN_TRANSACTION_MS_MAX = 4_000;
/** Longest silence while an answer is due, in milliseconds: more than `Reads` allow. */
const STATEMENT_MS_MAX = 10_000;
const CONNECT_MS_MAX = 5_000;
/** Silence of an unused connection before the system probes it, in milliseconds. */
const KEEP_ALIVE_MS = 10_000;

const INT8_OID: number = pg.types.builtins.INT8;
/** Unnamed in the driver. */
const LIST_OIDS = { integer: 1007, text: 1009, uuid: 2951 } as const;
const parserOf = pg.types.getTypeParser as (
  oid: number,
  format?: 'text' | 'binary',
) => (value: string) => unknown;

/** `bigint` columns are numbers; inexact ones are an error, never rounded. */
function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number exactly`);
  return value;
}

type Parser = (text: string) => unknown;

/** Faster parsers with the driver's results, except `bigint`. */
const PARSERS: ReadonlyMap<number, Parser> = new Map([
  [INT8_OID, exactInteger],
  [LIST_OIDS.integer, withFallback(parseIntegers, LIST_OIDS.integer)],
  [LIST_OIDS.text, withFallback(textsOf, LIST_OIDS.text)],
  [LIST_OIDS.uuid, withFallback(textsOf, LIST_OIDS.uuid)],
]);

function withFallback(read: (text: string, general: Parser) => unknown, oid: number): Parser {
  const general = parserOf(oid);
  return (text) => read(text, general);
}

export const SERVICE_NAME = 'agent-payment-wallet';

/** Set after connecting: poolers refuse or ignore connection parameters. */
const SESSION_SETTINGS: Readonly<Record<string, string | number>> = {
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS_MAX,
  // Ends sessions of silent clients, which PostgreSQL would keep for two hours.
  tcp_keepalives_idle: 30,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
  // For payments, which seek in indexes: plans made on empty tables must hold for full ones. `Reads` undo it.
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
};

const SET_SESSION = `SELECT ${Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ')}`;

function poolConfig(url: string, max: number, statementMsMax: number): PoolConfig {
  return {
    ...watchedPool(url, statementMsMax),
    max,
    connectionTimeoutMillis: CONNECT_MS_MAX,
    onConnect: (client) => client.query(SET_SESSION),
    // Pipelining: see Tx.
    pipeline: true,
    application_name: SERVICE_NAME,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        (format !== 'binary' && PARSERS.get(oid)) || parserOf(oid, format),
    },
  };
}

type PoolConfig = Omit<pg.PoolConfig, 'onConnect'> & {
  readonly silenceWatch: SilenceWatch;
  readonly onConnect?: (client: pg.ClientBase) => Promise<unknown>;
};

/** Pool whose connections are dropped after `statementMsMax` without an answer. */
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

class PostgresDataSource extends DataSource {
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    return throwPostgresErrors(super.createQueryRunner(mode));
  }
}

export type EntityClass = new () => ObjectLiteral;

/** The one data source; not connected yet. Migrations alone make the schema: see {@link migrate}. */
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

export function poolOf(source: DataSource): pg.Pool {
  return (source.driver as PostgresDriver).master as pg.Pool;
}
