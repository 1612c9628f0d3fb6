/**
 * Whether dist/ was built from the sources that are here, and how it gets there. Run by itself with --done, at the
 * end of `npm run build`, it marks dist/ as built from them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const MARK = join(ROOT, 'dist', 'sources.hash');
const COMMIT = join(ROOT, 'dist', 'commit');
const FOLDERS = ['src', 'migrations', 'scripts', 'dashboard'];
const FILES = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'];
/** Tests are not built, and this one file is written by the build. */
const NOT_BUILT = /\.spec\.ts$|schema\.d\.ts$|(^|\/)(node_modules|dist)\//;

function hashOfSources() {
  const hash = createHash('sha256');
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
  ).filter((file) => !NOT_BUILT.test(file));
  for (const file of [...files.sort(), ...FILES])
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}

/** True too where there is only a build and no sources, as in a container image. */
export function isUpToDate() {
  if (!existsSync(join(ROOT, 'src/main.ts'))) return true;
  return existsSync(MARK) && readFileSync(MARK, 'utf8') === hashOfSources();
}

/** Builds where that is needed, and says so while it does. Ends the process with one line where it can't. */
export async function buildIfChanged() {
  if (isUpToDate()) return;
  const isBuilt = existsSync(join(ROOT, 'dist/src/main.js'));
  if (!existsSync(join(ROOT, 'node_modules/@nestjs/cli'))) {
    const why = isBuilt ? 'dist/ was built from other sources' : 'The service is not built';
    const or = isBuilt ? ', or start what is built as it is: npm run start:prod' : '';
    end(`${why}, and the development packages that build it are not installed: npm ci && npm run build${or}`);
  }
  process.stderr.write(`Building${isBuilt ? ', since the sources have changed' : ' (first start only)'}…\n`);
  const npm = process.env.npm_execpath;
  const args = ['run', '--silent', 'build'];
  const child = npm
    ? spawn(process.execPath, [npm, ...args], { cwd: ROOT, stdio: ['ignore', 2, 'inherit'] })
    : spawn('npm', args, { cwd: ROOT, stdio: ['ignore', 2, 'inherit'] });
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, () => {
      child.kill(signal);
      process.exit(1);
    });
  }
  const code = await new Promise((resolve) => child.once('exit', resolve).once('error', () => resolve(1)));
  for (const signal of ['SIGTERM', 'SIGINT']) process.removeAllListeners(signal);
  if (code !== 0) end('The build failed; what is wrong stands above.');
}

/** Empty where there is no git and no checkout. */
function commitHere() {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

function end(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv[2] === '--done') {
    writeFileSync(COMMIT, commitHere());
    writeFileSync(MARK, hashOfSources());
  } else await buildIfChanged();
}
