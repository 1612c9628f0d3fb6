import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Authenticator, type ProtectedUser } from '../support/authenticator.js';
import { ServiceBuild } from '../support/process.js';
import { PushedBrowser } from '../support/push-service.js';
import { JWT_SECRET } from '../support/service-database.js';
import { expectStatus, PASSWORD, startService, type TestService } from '../support/service.js';

const NEWEST = 'the secret that signs session tokens from now on';
const ENDPOINTS = 'the key of endpoint secrets from now on';
const FACTORS = 'the key of second factors from now on';
const KEYS = { WEBHOOK_ENCRYPTION_KEY: ENDPOINTS, TWO_FACTOR_ENCRYPTION_KEY: FACTORS };

let build: ServiceBuild;
let service: TestService;
let app: Authenticator;
let user: ProtectedUser;
beforeAll(async () => {
  build = new ServiceBuild();
  service = await startService({ clock: true });
  app = new Authenticator(service);
  await app.pass(0);
  user = await app.protect(await service.signUp());
  const endpoint = { url: 'https://93.184.215.14/hook', events: ['wallet.funded'] };
  expectStatus(201, await service.post('/v1/webhook-endpoints', { token: user.token, body: endpoint }));
  const { subscription } = new PushedBrowser('http://127.0.0.1:65001');
  expectStatus(201, await service.post('/v1/push-subscriptions', { token: user.token, body: subscription }));
});
afterAll(async () => {
  await service.close();
  build.remove();
});

/** Each code is taken once, so that time passes. */
async function logIn(at: TestService) {
  await app.pass(60_000);
  const body = { email: user.email, password: PASSWORD, totpCode: app.codeAt(user.secret) };
  return at.post<{ data: { token: string } }>('/v1/auth/login', { body });
}
const sees = async (at: TestService, token: string) => (await at.get('/v1/auth/sessions', { token })).status;

/** Starts a replica under other secrets, has `use` use it, and answers what its start warned of. */
async function under(
  jwtSecret: string,
  env: Record<string, string>,
  use: (at: TestService) => Promise<void> = () => Promise.resolve(),
): Promise<readonly string[]> {
  const warned: string[] = [];
  const quiet = () => undefined;
  const logger = { log: quiet, error: quiet, warn: (line: unknown) => void warned.push(String(line)) };
  const replica = await startService({ beside: service, jwtSecret, env, logger });
  try {
    await use(replica);
  } finally {
    await replica.close();
  }
  return warned.filter((line) => line.includes('encrypted under another'));
}

function reseal(settings: Record<string, string>) {
  const env = { ...process.env, DATABASE_URL: service.databaseUrl, NODE_ENV: 'test', ...settings };
  return promisify(execFile)(process.execPath, [join(build.root, 'scripts/reseal.js')], { env }).then(
    ({ stdout }) => [0, stdout.trim()],
    (error: unknown) => {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return [code, stdout.trim() || stderr.trim()];
    },
  );
}

it('are followed by nothing that stops: sessions, second factors, webhooks and receipts go on', async () => {
  const wallet = await service.fundedWallet(5_000);
  const { id } = expectStatus(201, await service.pay(wallet.key)).body.data.transaction;
  const receiptOf = async (at: TestService) =>
    expectStatus(
      200,
      await at.get<{ data: { receipt: string; salt: string } }>(`/api/payment-intent/${id}/receipt`, {
        key: wallet.key,
      }),
    ).body.data;
  const keyOf = ({ receipt }: { receipt: string }) =>
    Buffer.from(receipt.split('.')[0]!, 'base64url').toString();
  const before = await receiptOf(service);
  let token = '';
  expect(
    await under(NEWEST, { JWT_SECRET_PREVIOUS: `${FACTORS},${JWT_SECRET}`, ...KEYS }, async (rotated) => {
      expect(await sees(rotated, user.token)).toBe(200);
      token = expectStatus(200, await logIn(rotated)).body.data.token;
      expect(await sees(rotated, token)).toBe(200);
      const after = await receiptOf(rotated);
      expect([keyOf(after), after.salt]).toEqual([keyOf(before), before.salt]);
    }),
  ).toEqual([]);
  expect(await service.query(`SELECT 1 FROM operator_cases WHERE kind = 'secrets-unreadable'`)).toEqual([]);
  expect(await sees(service, token)).toBe(401);

  const unreadable = await under(NEWEST, KEYS, async (forgetful) => {
    expect([await sees(forgetful, user.token), await sees(forgetful, token)]).toEqual([401, 200]);
    expect((await logIn(forgetful)).status).toBe(403);
  });
  expect(unreadable.toSorted()).toEqual([
    expect.stringMatching(/^1 of 1 keys of web push .* JWT_SECRET_PREVIOUS$/),
    expect.stringMatching(
      /^1 of 1 second factors .* TWO_FACTOR_ENCRYPTION_KEY_PREVIOUS \(JWT_SECRET_PREVIOUS\)/,
    ),
    expect.stringMatching(
      /^1 of 1 webhook endpoints .* WEBHOOK_ENCRYPTION_KEY_PREVIOUS \(JWT_SECRET_PREVIOUS\)/,
    ),
    expect.stringMatching(
      /^1 of 2 keys that sign receipts .* JWT_SECRET_PREVIOUS, or run npm run receipt-keys/,
    ),
  ]);

  const [code, said] = await reseal({ JWT_SECRET: NEWEST, ...KEYS });
  expect([code, said]).toEqual([
    2,
    expect.stringMatching(/^webhook endpoints: 0 of 1 encrypted anew, 1 secrets/),
  ]);
  const rotation = { JWT_SECRET: NEWEST, JWT_SECRET_PREVIOUS: JWT_SECRET, ...KEYS };
  const lines = (await reseal(rotation))[1];
  expect(String(lines).split('\n')).toEqual([
    'webhook endpoints: 1 of 1 encrypted anew, 0 secrets can not be decrypted',
    'second factors: 1 of 1 encrypted anew, 0 secrets can not be decrypted',
    expect.stringMatching(
      /^signing keys of receipts: \d of \d encrypted anew, 0 secrets can not be decrypted$/,
    ),
    'keys of web push: 1 of 2 encrypted anew, 0 secrets can not be decrypted',
    expect.stringMatching(/^All is encrypted under the newest secrets\./),
  ]);
  expect(await reseal(rotation)).toEqual([
    0,
    expect.stringMatching(
      /^webhook endpoints: 0 of 1 .*\nsecond factors: 0 of 1 .*\nsigning keys of receipts: 0 of /,
    ),
  ]);
  expect(
    await under(NEWEST, KEYS, async (after) => {
      expect((await logIn(after)).status).toBe(200);
      expect((await receiptOf(after)).salt).toBe(before.salt);
    }),
  ).toEqual([]);
}, 120_000);
