import { randomUUID } from 'node:crypto';
import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfChanged } from '../../scripts/up-to-date.mjs';
import { packedService } from './packed-service.mjs';
import { PostgresServer } from './postgres-server.ts';

/** What V8 makes of the service's modules is kept: each of the processes that suites start would do it anew. */
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

const MEMORY = '/dev/shm';
/** Several times what a run has needed. */
const MEMORY_BYTES_MIN = 3 * 1024 ** 3;

/**
 * The server dies with this run, so nothing needs to outlive a power cut, and a commit takes a fraction of the time.
 * What must survive a crash is tested on servers of their own, which keep what these leave out.
 */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '512MB',
  // It would visit each of a hundred databases, which live for seconds.
  autovacuum: 'off',
  // A run makes well over a thousand sessions in a hundred small databases: the less each maps, loads and looks through
  // when its database goes, the better.
  shared_buffers: '32MB',
  // Files in memory are read at once; other processes would read them by default.
  io_method: 'sync',
  shared_preload_libraries: 'plpgsql',
};

/** One PostgreSQL for the whole run; a server named by TEST_DATABASE_URL is used instead. */
export default async function setUp({ testPathPatterns }) {
  // Some suites start what is built; in a whole run they must not all build at once.
  const isWhole = testPathPatterns.patterns.length === 0;
  if (isWhole) {
    await buildIfChanged();
    process.env.TEST_BUILT = join(import.meta.dirname, '../../dist');
  }
  process.env.TEST_RUN_ID = randomUUID().slice(0, 8);
  const memory = memoryFolder();
  if (memory) process.env.TMPDIR = memory;
  if (memory && !process.env.TEST_DATABASE_URL) process.env.TEST_INITIALISED = join(memory, 'initialised');
  const postgres = process.env.TEST_DATABASE_URL ? undefined : await PostgresServer.start(SETTINGS);
  if (postgres) process.env.TEST_DATABASE_URL = postgres.url();
  if (postgres) process.env.TEST_DATABASE_SOCKETS = postgres.sockets;
  const remove = () => memory && rmSync(memory, { recursive: true, force: true, maxRetries: 5 });
  // Also where a run ends before its time: by a timeout, or by hand.
  const onEnd = {
    exit: () => {
      postgres?.stopAtOnce();
      remove();
    },
    SIGTERM: () => process.exit(143),
    SIGINT: () => process.exit(130),
  };
  for (const [event, listener] of Object.entries(onEnd)) process.once(event, listener);
  const forget = () => {
    for (const [event, listener] of Object.entries(onEnd)) process.off(event, listener);
  };
  globalThis.testRun = { postgres, remove, forget };
  if (isWhole) process.env.TEST_PACKED = await packedService();
}

/**
 * A folder in memory for what this run writes, where there is room for it: a database is a thousand files, which a disk
 * takes four times the CPU to copy. A process that is killed leaves in it what it would leave on a disk.
 */
function memoryFolder() {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8').match(/^\S+ \/dev\/shm tmpfs (\S+)/m);
    if (!mount || mount[1].split(',').includes('noexec')) return undefined;
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    const available =
      Number(/MemAvailable:\s+(\d+) kB/.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024;
    if (!(Math.min(bavail * bsize, available) >= MEMORY_BYTES_MIN)) return undefined;
    const folder = mkdtempSync(join(MEMORY, 'wallet-tests-'));
    // PostgreSQL runs as another user than root.
    chmodSync(folder, 0o711);
    return folder;
  } catch {
    return undefined;
  }
}
