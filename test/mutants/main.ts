import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../../scripts/flags.ts';
import type { Mutant } from './mutants.ts';

const HELP = `npm run mutants [-- --only TEXT] [--list]

Breaks a copy of the service on purpose, one small fault at a time, and runs the tests that should notice.
A fault that no test notices has survived: a promise that nobody guards.

  --only TEXT   only the faults whose name or group holds TEXT
  --list        print the faults and run nothing
  --help        print this

Exit code 1: a fault survived, or its place in the code is not found any more. 2: --only names none.`;

const ROOT = join(import.meta.dirname, '../..');
const PACKETS = 'src/platform/database/wire/packets.ts';
/** The longest the tests of one fault may take, in milliseconds; a fault that makes them hang is noticed. */
const TESTS_MS_MAX = 240_000;
const COPIED = [
  'src',
  'migrations',
  'test',
  'scripts',
  'dashboard',
  'docs',
  'package.json',
  'jest.config.mjs',
  'tsconfig.json',
  '.env.example',
];

type Verdict = 'killed' | 'SURVIVED' | 'NOT FOUND';

/** A copy of the sources that shares the installed packages. */
function copyOfProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wallet-mutants-'));
  for (const path of COPIED) {
    cpSync(join(ROOT, path), join(folder, path), {
      recursive: true,
      filter: (from) => !from.endsWith('/dist'),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return folder;
}

async function judge({ file, tests, only, ...place }: Mutant, folder: string): Promise<Verdict> {
  const { withFault } = await import('./place.ts');
  const path = join(folder, file);
  const original = readFileSync(path, 'utf8');
  const broken = withFault(original, place);
  if (broken === null) return 'NOT FOUND';
  writeFileSync(path, broken);
  try {
    // By themselves, suites run on the other wire every other day.
    const env: Record<string, string> = file === PACKETS ? { DATABASE_WIRE: 'packets' } : {};
    return (await testsPass(folder, tests, only, env)) ? 'SURVIVED' : 'killed';
  } finally {
    writeFileSync(path, original);
  }
}

function testsPass(
  folder: string,
  tests: readonly string[],
  only: string | undefined,
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const child = spawn(
    process.execPath,
    [
      jest,
      '--forceExit',
      '--bail',
      '--silent',
      ...(only === undefined ? [] : ['--testNamePattern', only]),
      ...tests,
    ],
    { cwd: folder, env: { ...process.env, ...env }, stdio: 'ignore', detached: true },
  );
  const hung = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), TESTS_MS_MAX);
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      clearTimeout(hung);
      endGroup(child.pid as number);
      resolve(code === 0);
    });
  });
}

/** Ends what a run leaves that was bailed out: its workers go on. */
function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function main(): Promise<void> {
  const values = readFlags(HELP, { only: { type: 'string' }, list: { type: 'boolean' } });
  // Loaded only now: a wrong flag, and --help, need none of it.
  const { MUTANTS } = await import('./mutants.ts');
  const chosen = MUTANTS.filter(({ name, group }) => `${group} ${name}`.includes(values.only ?? ''));
  if (chosen.length === 0) {
    console.error(`No fault has "${values.only}" in its name or group; --list prints them all.`);
    process.exitCode = 2;
    return;
  }
  if (values.list) {
    for (const { group, name, tests } of chosen) console.log(`${group}: ${name}  [${tests.join(' ')}]`);
    return;
  }
  const folder = copyOfProject();
  const counts: Record<Verdict, number> = { killed: 0, SURVIVED: 0, 'NOT FOUND': 0 };
  try {
    for (const [i, mutant] of chosen.entries()) {
      const started = performance.now();
      const verdict = await judge(mutant, folder);
      counts[verdict] += 1;
      const seconds = Math.round((performance.now() - started) / 1_000);
      console.log(
        `${i + 1}/${chosen.length}  ${verdict.padEnd(9)}  ${mutant.group}: ${mutant.name}  (${seconds} s)`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const bad = counts.SURVIVED + counts['NOT FOUND'];
  console.log(
    `\n${counts.killed} killed, ${counts.SURVIVED} survived, ${counts['NOT FOUND']} not found. ` +
      (bad === 0 ? 'Every fault was noticed.' : 'Some faults would go unnoticed.'),
  );
  process.exitCode = bad === 0 ? 0 : 1;
}

await main();
