/**
 * Builds the dashboard into dist/dashboard, with a compressed copy beside each file, and holds it to its size.
 * Nothing is done when neither its sources nor what is installed changed since the last build.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { readFlags } from './flags.ts';

readFlags(
  `Builds the dashboard into dist/dashboard; npm run build builds the service too.

  npm run build:dashboard
  --help
`,
  {},
);

// Loaded only now: a wrong flag, and --help, need none of it.
const { build } = await import('vite');

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'dashboard');
const BUILT = join(ROOT, 'dist', 'dashboard');
const MARK = join(ROOT, 'dist', 'dashboard.hash');

/** What the browser loads before a first screen stands with its text and its amounts, compressed as it is served. */
const FIRST_LOAD_BYTES_MAX = 200 * 1024;

/** What the entry loads step by step. */
const START = ['react.ts', 'libraries.ts', 'app.tsx'].map((step) => `src/start/${step}`);
/** The frame of every screen of a user. */
const FRAME = 'src/parts/frame/shell.tsx';
/** The first screens of a guest and of a user, by the sources that are loaded for them beyond the entry. */
const FIRST_SCREENS = {
  'signing in': [...START, 'src/screens/sign-in/sign-in.tsx'],
  'the wallets': [...START, FRAME, 'src/screens/home/home.tsx'],
};

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
  const zip = promisify(gzip);
  const files = (await filesIn(BUILT)).filter((file) => /\.(js|css|html|svg)$/.test(file));
  const compressed = async (file) => {
    const content = await readFile(file);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 10,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    await Promise.all([
      brotli(content, { params }).then((bytes) => writeFile(`${file}.br`, bytes)),
      zip(content, { level: 9 }).then((bytes) => writeFile(`${file}.gz`, bytes)),
    ]);
  };
  await Promise.all(files.map(compressed));
}

/** The fonts of a page in English with amounts. */
const FONTS = /^(inter-basic|naira)-.*\.woff2$/;

/** The scripts and styles that these sources bring at once, with all that they import. */
function broughtBy(manifest, sources) {
  const files = new Set();
  const follow = (key) => {
    const { file, css = [], imports = [] } = manifest[key];
    if (files.has(file)) return;
    for (const each of [file, ...css]) files.add(each);
    imports.forEach(follow);
  };
  sources.forEach(follow);
  return [...files];
}

/** The bytes of the page, its fonts, and the scripts and styles that these sources and the entry bring at once. */
async function firstLoad(manifest, sources) {
  let bytes = 0;
  for (const file of ['index.html', ...broughtBy(manifest, ['index.html', ...sources])])
    bytes += (await readFile(join(BUILT, `${file}.br`))).length;
  for (const file of await readdir(join(BUILT, 'assets'))) {
    if (FONTS.test(file)) bytes += (await readFile(join(BUILT, 'assets', file))).length;
  }
  return bytes;
}

/** The page is held for as long as the entry takes with all that it imports: the rest is left to its steps. */
const ENTRY_BYTES_MAX = 8 * 1024;

async function requireSmallEntry(manifest) {
  const scripts = broughtBy(manifest, ['index.html']).filter((file) => file.endsWith('.js'));
  let bytes = 0;
  for (const file of scripts) bytes += (await readFile(join(BUILT, file))).length;
  if (bytes > ENTRY_BYTES_MAX) {
    throw new Error(`the entry evaluates ${bytes} bytes at once, with ${scripts.join(', ')}`);
  }
}

/** The components' styles are imported one by one: one that is used without its styles is a mistake. */
async function requireStyles() {
  const all = await readFile(join(ROOT, 'node_modules', '@mantine', 'core', 'styles.css'), 'utf8');
  const known = new Set(all.match(/\.m_[0-9a-f]+/g)?.map((name) => name.slice(1)));
  const files = await filesIn(join(BUILT, 'assets'));
  const textOf = async (end) =>
    (
      await Promise.all(files.filter((file) => file.endsWith(end)).map((file) => readFile(file, 'utf8')))
    ).join('');
  const styles = await textOf('.css');
  const used = new Set((await textOf('.js')).match(/\bm_[0-9a-f]{6,}\b/g));
  const missing = [...used].filter((name) => known.has(name) && !styles.includes(`.${name}`));
  if (missing.length > 0) {
    throw new Error(`dashboard/src/styles/mantine.css lacks the component of ${missing.join(', ')}`);
  }
}

const hash = await hashOfSources();
if ((await readFile(MARK, 'utf8').catch(() => '')) !== hash) {
  await rm(MARK, { force: true });
  // As it is: bundling the configuration would write into node_modules, which may be read-only.
  // Whatever runs the build, tests among them, what is built is what is served.
  process.env.NODE_ENV = 'production';
  await build({
    mode: 'production',
    configFile: join(SOURCES, 'vite.config.mjs'),
    configLoader: 'native',
    logLevel: 'warn',
  });
  await compress();
  await requireStyles();
  const manifestFile = join(BUILT, 'manifest.json');
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8'));
  await rm(manifestFile);
  await requireSmallEntry(manifest);
  for (const [screen, sources] of Object.entries(FIRST_SCREENS)) {
    const bytes = await firstLoad(manifest, sources);
    console.log(`dashboard: the first load of ${screen} is ${Math.ceil(bytes / 1024)} KB compressed`);
    if (bytes > FIRST_LOAD_BYTES_MAX) {
      throw new Error(`the first load may be ${FIRST_LOAD_BYTES_MAX / 1024} KB at most`);
    }
  }
  await writeFile(MARK, hash);
}
