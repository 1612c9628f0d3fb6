import pLimit, { type LimitFunction } from 'p-limit';
import pg from 'pg';
import {
  type DataSource,
  EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type QueryRunner,
  type Repository,
} from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import { turn } from '../batching/turns.js';
import { currentReaders, type Reader } from '../observability/request-id.js';
import { isBroken } from './failures.js';
import { prepared, sendTo } from './prepared.js';
import { type Leave, placeIn, ReadShares } from './read-shares.js';

/** How long one statement of a read may take, in milliseconds. */
export const READ_TIMEOUT_MS = 8_000;
/** Reads that may wait for a connection at once. */
export const READ_QUEUE_MAX = 100;

/** A repository that only reads. */
export type ReadRepository<Entity extends ObjectLiteral> = Pick<
  Repository<Entity>,
  | 'find'
  | 'findBy'
  | 'findOne'
  | 'findOneBy'
  | 'findAndCount'
  | 'findAndCountBy'
  | 'count'
  | 'countBy'
  | 'exists'
  | 'existsBy'
  | 'createQueryBuilder'
>;

/**
 * Lists, figures and downloads: they hold a part of the connections at most, however many and slow they are, and each
 * statement is given up after {@link READ_TIMEOUT_MS}. What is made of the rows has a turn of the event loop to itself, so
 * that it holds up no payment. One user or API key takes a share of the places at most, see {@link ReadShares}. Throws
 * `OVERLOADED` when {@link READ_QUEUE_MAX} wait already, and for a statement that is given up; `RATE_LIMITED` when one
 * reader has too many waiting.
 */
export class Reads {
  private readonly limit: LimitFunction;
  private readonly shares: ReadShares;
  private readonly source: DataSource;
  private readonly manager: EntityManager;

  constructor(source: DataSource, max: number) {
    this.limit = pLimit(max);
    this.shares = new ReadShares(max);
    // The same data source, but for the query runners that repositories ask it for.
    this.source = Object.create(source, {
      createQueryRunner: { value: () => this.bounded(source.createQueryRunner()) },
    }) as DataSource;
    this.manager = new EntityManager(this.source);
  }

  /** Runs one fixed statement with its values. Never build `text` from input. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const runner = this.source.createQueryRunner();
    let client: pg.PoolClient | undefined;
    try {
      client = (await runner.connect()) as pg.PoolClient;
      const { rows } = await sendTo(client, prepared(text, values));
      await turn();
      return rows as Row[];
    } catch (error) {
      // TypeORM takes a connection out of the pool only when that connection emits an error.
      if (isBroken(error)) client?.emit('error', error);
      throw givenUp(error) ?? error;
    } finally {
      await runner.release();
    }
  }

  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): ReadRepository<Entity> {
    return this.manager.getRepository(entity);
  }

  /** Throws `RATE_LIMITED` where one of these readers has too many reads waiting, so that no more need to be begun. */
  assertRoomFor(readers: readonly Reader[]): Promise<void> {
    return this.shares.assertRoom(readers);
  }

  /** Makes a query runner take one of our places before a connection, and give both back together. */
  private bounded(runner: QueryRunner): QueryRunner {
    const connect = runner.connect.bind(runner) as () => Promise<pg.PoolClient>;
    const release = runner.release.bind(runner);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    let opening: Promise<pg.PoolClient> | undefined;
    let leave: Leave | undefined;
    const open = async (): Promise<pg.PoolClient> => {
      leave = await this.enter();
      const client = await connect();
      // Not waited for: it is sent before the statement that it is for. The timeout ends with the transaction.
      client.query(`BEGIN; SET LOCAL statement_timeout = ${READ_TIMEOUT_MS}`).catch(() => undefined);
      return client;
    };
    runner.connect = () => (opening ??= open());
    runner.query = (async (...args: unknown[]) => {
      const result = await query(...args).catch((error: unknown) => {
        throw givenUp(error) ?? error;
      });
      await turn();
      return result;
    }) as QueryRunner['query'];
    runner.release = async () => {
      const client = await opening?.catch(() => undefined);
      if (!runner.isReleased) client?.query('COMMIT').catch(() => undefined);
      await release();
      leave?.();
      leave = undefined;
    };
    return runner;
  }

  /** Waits for a place, first in the shares of those who the request reads for; answers what gives it back. */
  private async enter(): Promise<Leave> {
    this.assertRoom();
    const readers = currentReaders();
    if (readers.length === 0) return placeIn(this.limit);
    const leaveShares = await this.shares.enter(readers);
    try {
      this.assertRoom();
    } catch (error) {
      leaveShares();
      throw error;
    }
    const leave = await placeIn(this.limit);
    return () => {
      leave();
      leaveShares();
    };
  }

  private assertRoom(): void {
    if (this.limit.pendingCount >= READ_QUEUE_MAX) {
      throw busy('Nothing was carried out: too many lists are asked for. Try again shortly.');
    }
  }
}

function givenUp(error: unknown): AppError | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== '57014') return undefined;
  return busy('This took too long to read. Try again shortly, or ask for less.');
}

const busy = (message: string): AppError => new AppError('OVERLOADED', message, { retryAfterSeconds: 1 });
