import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copySdk, tsc } from '../support/sdk-package.js';

const ROOT = join(import.meta.dirname, '../..');
const NAME = 'agent-payment-wallet-sdk';

let outside: string;
beforeAll(async () => {
  // Outside of the repository, where none of its packages are found.
  outside = await mkdtemp(join(tmpdir(), 'sdk-package-'));
});
afterAll(() => rm(outside, { recursive: true, force: true }));

const run = async (program: string, words: readonly string[], cwd: string): Promise<string> =>
  (await promisify(execFile)(program, words, { cwd })).stdout.trim();
const npm = (words: readonly string[], cwd: string) =>
  run('npm', [...words, '--offline', '--no-audit', '--no-fund', '--loglevel=error'], cwd);

it('the built SDK is that of its sources', async () => {
  const fresh = join(outside, 'fresh');
  await run(process.execPath, [join('scripts', 'build-sdk.mjs'), fresh], ROOT);
  const committed = join(ROOT, 'sdk', 'dist');
  const names = (await readdir(fresh)).sort();
  expect((await readdir(committed)).sort()).toEqual(names);
  for (const name of names) {
    const [is, shouldBe] = await Promise.all(
      [committed, fresh].map((folder) => readFile(join(folder, name), 'utf8')),
    );
    const age = is === shouldBe ? 'current' : 'older than its sources: npm run api-types';
    expect([name, age]).toEqual([name, 'current']);
  }
}, 120_000);

describe('the SDK of a checkout where nothing was installed', () => {
  const USE = `{ WalletClient, PaymentBlockedError }`;
  const TEST = `
    const wallet = new WalletClient({ apiKey: 'apw_live_x', baseUrl: 'http://wallet.test' });
    console.log(typeof wallet.pay, new PaymentBlockedError({ status: 402, code: 'X', message: '' },
      { transactionId: 'x' }) instanceof Error, typeof verifyWebhook);`;
  const TYPED = `
    const wallet = new WalletClient({ apiKey: 'x', baseUrl: 'http://wallet.test' });
    export const pay = async (): Promise<string> => {
      const payment = await wallet.pay({ amount: 1, merchantName: 'a', recipientAccountNo: '', recipientBankCode: '' });
      const { data } = await wallet.api.GET('/api/wallet');
      // @ts-expect-error: the types are there, and not any
      const wrong: number = payment.id;
      // @ts-expect-error: also those of the client underneath
      const unknown = await wallet.api.GET('/no/such/route');
      return [payment.status, data?.data.balance, wrong, unknown, await verifyWebhook<string>('', {}, '')].join();
    };`;

  it.each([
    [
      'packed',
      'nodenext',
      (checkout: string) => npm(['pack', './sdk'], checkout).then((file) => join(checkout, file)),
    ],
    ['as a folder', 'node16', (checkout: string) => Promise.resolve(join(checkout, 'sdk'))],
  ])(
    'is installed %s, imported and required, with types for both (%s)',
    async (how, module, made) => {
      const checkout = join(outside, `checkout ${how}`);
      const project = join(outside, `project-${how.replace(/ /g, '-')}`);
      await copySdk(join(checkout, 'sdk'));
      await mkdir(project);
      await writeFile(join(project, 'package.json'), '{"name":"project","version":"1.0.0"}');
      await npm(['install', await made(checkout)], project);
      const write = (name: string, text: string) => writeFile(join(project, name), text);
      await write(
        'esm.mjs',
        `import ${USE} from '${NAME}'; import { verifyWebhook } from '${NAME}/webhooks';${TEST}`,
      );
      await write(
        'cjs.cjs',
        `const ${USE} = require('${NAME}'); const { verifyWebhook } = require('${NAME}/webhooks');${TEST}`,
      );
      for (const file of ['esm.mjs', 'cjs.cjs']) {
        expect(await run(process.execPath, [file], project)).toBe('function true function');
      }
      const typed = `import { WalletClient } from '${NAME}'; import { verifyWebhook } from '${NAME}/webhooks';${TYPED}`;
      for (const name of ['esm.mts', 'cjs.cts']) await write(name, typed);
      const compilerOptions = { module, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: [] };
      await write(
        'tsconfig.json',
        JSON.stringify({
          // Of the package's types all is checked, of TypeScript's own nothing.
          compilerOptions: { ...compilerOptions, strict: true, noEmit: true, skipDefaultLibCheck: true },
          files: ['esm.mts', 'cjs.cts'],
        }),
      );
      await tsc(['-p', project]);
    },
    120_000,
  );
});
