/**
 * The npm scripts that are several programs one after the other. npm gives its flags to the last of them alone, so
 * `--help` would have run all that comes before it.
 */
import { spawn } from 'node:child_process';
import { readFlags } from './flags.ts';

interface Steps {
  readonly help: string;
  /** Each is begun once the one before it succeeded. */
  readonly commands: readonly string[];
}

const STEPS: Readonly<Record<string, Steps>> = {
  build: {
    help: `Builds the service and the dashboard into dist/. npm start does it by itself where the sources have changed.

  npm run build
  --help
`,
    commands: [
      'concurrently --raw --kill-others-on-fail npm:build:service npm:build:dashboard',
      'node scripts/up-to-date.mjs --done',
    ],
  },
  types: {
    help: `Has the compiler check the service, the dashboard and the SDK. It writes nothing.

  npm run types
  --help
`,
    commands: ['tsc --noEmit', 'tsc -p dashboard', 'tsc -p sdk'],
  },
  lint: {
    help: `Holds the sources to ESLint's rules, to their format and to the boundaries of the modules. It changes nothing;
npm run format writes the format.

  npm run lint
  --help
`,
    commands: ['eslint --max-warnings 0 .', 'prettier --check .', 'npm run --silent boundaries'],
  },
  check: {
    help: `Types, lint, dead code and all tests but the browser's, which must pass before a merge. It takes minutes.

  npm run check
  --help
`,
    commands: ['npm run types', 'npm run lint', 'npm run knip', 'npm test'],
  },
};

/** Answers the exit code of the first command that failed, else 0. */
async function runAll(commands: readonly string[]): Promise<number> {
  for (const command of commands) {
    const child = spawn(command, { shell: true, stdio: 'inherit' });
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => child.kill(signal));
    const code = await new Promise<number>((resolve) => {
      child.once('error', () => resolve(1)).once('exit', (status) => resolve(status ?? 1));
    });
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.removeAllListeners(signal);
    if (code !== 0) return code;
  }
  return 0;
}

const [name = '', ...flags] = process.argv.slice(2);
const steps = STEPS[name];
if (!steps) throw new Error(`there are no steps of ${name}`);
readFlags(steps.help, {}, flags);
process.exitCode = await runAll(steps.commands);
