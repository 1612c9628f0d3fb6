import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** All that the package consists of; of a checkout, nothing else is needed. */
const PUBLISHED = ['package.json', 'README.md', 'dist'];

/** Runs TypeScript's compiler; throws what it said where something is wrong. */
export async function tsc(words: readonly string[], cwd = ROOT): Promise<void> {
  await promisify(execFile)(process.execPath, [TSC, ...words], { cwd }).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  });
}

/** Copies the SDK to `folder` as a checkout has it before anything was installed. */
export async function copySdk(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const each of PUBLISHED) {
    await cp(join(ROOT, 'sdk', each), join(folder, each), { recursive: true });
  }
}

/** Puts the SDK into `folder` as it is published. */
export const installSdk = (folder: string): Promise<void> =>
  copySdk(join(folder, 'node_modules', 'agent-payment-wallet-sdk'));
