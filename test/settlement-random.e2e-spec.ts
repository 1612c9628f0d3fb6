import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { transform } from '@swc/core';
import { runSettlement } from './settlement-run/run.ts';
import { freshDatabase } from './support/database.js';

/** The short form of `npm run settlement-test`. */

const SEED = 20261121;
/** Three for each kind of payee. */
const PAYMENTS = 36;

const root = join(import.meta.dirname, '..');
/** Below the root, so that the packages and the module type are found. */
const built = join(root, 'dist', 'settlement-run');
let database: { url: string; drop(): Promise<void> };

beforeAll(async () => {
  database = await freshDatabase();
  await build();
});

afterAll(() => database.drop());

/** Compiles the service like Jest does: in a second, where tsc takes many. */
async function build(): Promise<void> {
  const configuration = join(root, 'jest.config.mjs');
  const { default: jest } = (await import(configuration)) as {
    default: { transform: Record<string, [string, object]> };
  };
  const [, options] = Object.values(jest.transform)[0]!;
  for (const folder of ['src', 'migrations', 'scripts']) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      if (!name.endsWith('.ts') || name.endsWith('.spec.ts')) continue;
      const filename = join(root, folder, name);
      const { code } = await transform(await readFile(filename, 'utf8'), {
        ...options,
        filename,
        swcrc: false,
      });
      const target = join(built, folder, name.replace(/\.ts$/, '.js'));
      await mkdir(dirname(target), { recursive: true });
      // tsc does this by `rewriteRelativeImportExtensions`.
      await writeFile(target, code.replace(/(from\s+['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'));
    }
  }
}

it('keeps every promise while the bank fails and the service is killed (23)', async () => {
  const { wrong, ...counts } = await runSettlement({
    seed: SEED,
    length: { payments: PAYMENTS, kills: 2 },
    databaseUrl: database.url,
    built,
    report: () => undefined,
  });
  expect(wrong).toEqual([]);
  expect(counts.approved).toBeGreaterThanOrEqual(PAYMENTS);
  // One payee's bank refuses, another one's fails later; each is paid at least once.
  expect(counts.refunded).toBeGreaterThanOrEqual(2);
  expect(counts.kills).toBeGreaterThanOrEqual(2);
  expect(counts.faults).toBeGreaterThan(0);
}, 120_000);
