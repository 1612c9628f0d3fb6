import pLimit, { type LimitFunction } from 'p-limit';
import pg from 'pg';
import {
  type DataSource,
  EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type Repository,
} from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import { turn } from '../batching/turns.js';
import { currentReaders, type Reader } from '../observability/request-id.js';
import { currentDownload, type DownloadSource } from './download.js';
import { isBroken } from './failures.js';
import { prepared } from './prepared.js';
import { boundReads } from './query-runners.js';
import { type Leave, placeIn, ReadShares } from './read-shares.js';

export const READ_TIMEOUT_MS = 8_000;
export const READ_QUEUE_MAX = 100;
/** Lists are planned by PostgreSQL alone; all of it ends with the transaction. */
const BEGIN = [
  'BEGIN',
  `SET LOCAL statement_timeout = ${READ_TIMEOUT_MS}`,
  'SET LOCAL plan_cache_mode = auto',
  'SET LOCAL enable_seqscan = on',
  'SET LOCAL enable_bitmapscan = on',
].join('; ');

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
 * Lists and downloads: a bounded part of the connections, {@link READ_TIMEOUT_MS} a statement, a share per
 * reader. Throws `OVERLOADED` if {@link READ_QUEUE_MAX} wait or a statement times out, `RATE_LIMITED` for a
 * reader with too many.
 */
export class Reads {
  private readonly limit: LimitFunction;
  private readonly shares: ReadShares;
  private readonly source: DataSource;
  private readonly manager: EntityManager;

  constructor(
    source: DataSource,
    max: number,
    private readonly replica?: DownloadSource,
  ) {
    this.limit = pLimit(max);
    this.shares = new ReadShares(max);
    const bounds = { enter: () => this.enter(), begin: BEGIN, around: inTurn };
    this.source = Object.create(source, {
      createQueryRunner: { value: () => boundReads(source.createQueryRunner(), bounds) },
    }) as DataSource;
    this.manager = new EntityManager(this.source);
  }

  /**
   * Within a {@link Download} from the replica, if it may be read. Never build `text` from input. `onStart`, called
   * before the statement is sent, may throw.
   */
  async query<Row>(text: string, values: readonly unknown[] = [], onStart?: () => void): Promise<Row[]> {
    const download = this.replica && currentDownload();
    const copied = download ? await this.replica.query<Row>(download, text, values) : null;
    if (copied) return copied;
    const runner = this.source.createQueryRunner();
    let client: pg.PoolClient | undefined;
    try {
      client = (await runner.connect()) as pg.PoolClient;
      onStart?.();
      const { rows } = await client.query(prepared(text, values));
      await turn();
      return rows as Row[];
    } catch (error) {
      // TypeORM drops a connection only after an error event.
      if (isBroken(error)) client?.emit('error', error);
      throw givenUp(error) ?? error;
    } finally {
      await runner.release();
    }
  }

  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): ReadRepository<Entity> {
    return this.manager.getRepository(entity);
  }

  /** Throws `RATE_LIMITED`. */
  assertRoomFor(readers: readonly Reader[]): Promise<void> {
    return this.shares.assertRoom(readers);
  }

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

async function inTurn(run: () => Promise<unknown>): Promise<unknown> {
  const result = await run().catch((error: unknown) => {
    throw givenUp(error) ?? error;
  });
  await turn();
  return result;
}

function givenUp(error: unknown): AppError | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== '57014') return undefined;
  return busy('This took too long to read. Try again shortly, or ask for less.');
}

const busy = (message: string): AppError => new AppError('OVERLOADED', message, { retryAfterSeconds: 1 });
