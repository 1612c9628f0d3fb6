/**
 * Builds the dashboard into dist/dashboard, with a compressed copy beside each file, and holds it to its size.
 * Nothing is done when neither its sources nor what is installed changed since the last build.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'dashboard');
const BUILT = join(ROOT, 'dist', 'dashboard');
const MARK = join(ROOT, 'dist', 'dashboard.hash');

/** What the browser loads before the first screen stands, as gzip; charts are loaded when they are shown. */
const FIRST_LOAD_BYTES_MAX = 300 * 1024;

async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function hashOfSources() {
  const hash = createHash('sha256');
  const files = [...(await filesIn(SOURCES)).sort(), join(ROOT, 'package-lock.json'), import.meta.filename];
  for (const file of files) hash.update(file.slice(ROOT.length)).update(await readFile(file));
  return hash.digest('hex');
}

async function compress() {
  const brotli = promisify(brotliCompress);
  for (const file of await filesIn(BUILT)) {
    if (!/\.(js|css|html|svg)$/.test(file)) continue;
    const content = await readFile(file);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 10,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    await writeFile(`${file}.br`, await brotli(content, { params }));
    await writeFile(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}

/** The scripts that index.html names, and what they import at once. */
async function firstLoad() {
  const names = new Set();
  const follow = async (name) => {
    if (names.has(name)) return;
    names.add(name);
    const script = await readFile(join(BUILT, 'assets', name), 'utf8');
    for (const [, next] of script.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) await follow(next);
  };
  const page = await readFile(join(BUILT, 'index.html'), 'utf8');
  for (const [, name] of page.matchAll(/\/assets\/([\w.-]+\.js)"/g)) await follow(name);
  let bytes = 0;
  for (const name of names) bytes += (await readFile(join(BUILT, 'assets', `${name}.gz`))).length;
  return bytes;
}

const hash = await hashOfSources();
if ((await readFile(MARK, 'utf8').catch(() => '')) !== hash) {
  await rm(MARK, { force: true });
  // A call that the API does not know, or knows otherwise, ends the build here.
  execFileSync(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', SOURCES], {
    stdio: 'inherit',
  });
  // As it is: bundling the configuration would write into node_modules, which may be read-only.
  await build({ configFile: join(SOURCES, 'vite.config.mjs'), configLoader: 'native', logLevel: 'warn' });
  await compress();
  const bytes = await firstLoad();
  console.log(`dashboard: the first load is ${Math.ceil(bytes / 1024)} KB of compressed JavaScript`);
  if (bytes > FIRST_LOAD_BYTES_MAX) {
    throw new Error(`the first load may be ${FIRST_LOAD_BYTES_MAX / 1024} KB at most`);
  }
  await writeFile(MARK, hash);
}
