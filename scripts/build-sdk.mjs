/**
 * Builds the SDK into sdk/dist, or into the folder that is named. What it builds is committed: a checkout where nothing was
 * installed can be packed, and installed as a folder. It is CommonJS, which ES modules import by name too, and holds
 * openapi-fetch, so that it has no dependencies.
 */
import { execFile } from 'node:child_process';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
const SDK = join(ROOT, 'sdk');
const PACKAGES = join(ROOT, 'node_modules');
const VENDORED = ['openapi-fetch', 'openapi-typescript-helpers'];

const folder = process.argv[2] ?? join(SDK, 'dist');
await rm(folder, { recursive: true, force: true });

const tsc = ['typescript/bin/tsc', '-p', join(SDK, 'tsconfig.build.json'), '--outDir', folder];
tsc[0] = join(PACKAGES, tsc[0]);
await promisify(execFile)(process.execPath, tsc).catch(({ stdout }) => {
  throw new Error(stdout);
});

const bundle = await rolldown({
  input: ['client', 'webhooks'].map((name) => join(SDK, 'src', `${name}.ts`)),
  platform: 'neutral',
  resolve: { conditionNames: ['import'] },
});
await bundle.write({ dir: folder, format: 'cjs', exports: 'named', chunkFileNames: '[name].js' });
await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n');

for (const name of VENDORED) {
  await vendor(join(PACKAGES, name, 'dist/index.d.cts'), `${name}.d.ts`);
  await copyFile(join(PACKAGES, name, 'LICENSE'), join(folder, `LICENSE.${name}`));
}
await vendor(join(folder, 'client.d.ts'), 'client.d.ts');

/** Has the types in `from` find those of packages beside them. */
async function vendor(from, to) {
  const text = await readFile(from, 'utf8');
  const packages = new RegExp(`from (['"])(${VENDORED.join('|')})\\1`, 'g');
  await writeFile(join(folder, to), text.replace(packages, 'from $1./$2.js$1'));
}
