import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Runs TypeScript's compiler; throws what it said where something is wrong. */
export async function tsc(words: readonly string[], cwd = ROOT): Promise<void> {
  await promisify(execFile)(process.execPath, [TSC, ...words], { cwd }).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  });
}

/** Puts the SDK into `folder` as it is published. Its types are checked with all others, by `npm run types`. */
export async function installSdk(folder: string): Promise<void> {
  const home = join(folder, 'node_modules', 'agent-payment-wallet-sdk');
  await mkdir(home, { recursive: true });
  await cp(join(ROOT, 'sdk/package.json'), join(home, 'package.json'));
  await tsc(['-p', join(ROOT, 'sdk/tsconfig.build.json'), '--noCheck', '--outDir', join(home, 'dist')]);
}
