import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { INHERITED } from '../support/inherited.js';
import { LoggedService } from '../support/logged-service.js';
import { RecordingProxy } from '../support/recording-proxy.js';
import { chargeBody, paymentBody, walletBody } from '../support/service.js';

const secret = (): string => randomBytes(24).toString('hex');
const SETTINGS = {
  JWT_SECRET: secret(),
  WEBHOOK_SECRET: secret(),
  WEBHOOK_ENCRYPTION_KEY: secret(),
  TWO_FACTOR_ENCRYPTION_KEY: secret(),
};
const BVN = '22345678901';
const ACCOUNT = '0123987654';
const PASSWORD = 'a password of this test alone';

let database: TestDatabase;
let service: LoggedService;
let proxy: RecordingProxy;

beforeAll(async () => {
  database = await freshDatabase();
  service = await LoggedService.start(database.url, {
    ...SETTINGS,
    NODE_ENV: 'production',
    LOG_LEVEL: 'trace',
    BANK_PROVIDER: 'sandbox',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    DRAIN_SECONDS: '0',
  });
  proxy = await RecordingProxy.before(service.url);
}, 120_000);

afterAll(async () => {
  await proxy.close();
  await service.stop();
  await database.drop();
});

/** All secrets that the log holds. */
const leaked = (): string[] =>
  [...proxy.secrets, ...Object.values(SETTINGS), BVN, ACCOUNT, PASSWORD].filter((each) =>
    service.text.includes(each),
  );

it('the whole demo leaves none of its keys, tokens, passwords, e-mails and account numbers in the log', async () => {
  const demo = join(import.meta.dirname, '../../scripts/demo.ts');
  const child = spawn(process.execPath, [demo, '--url', proxy.url], {
    env: { ...INHERITED, WEBHOOK_SECRET: SETTINGS.WEBHOOK_SECRET },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (said += String(data)));
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, code === 0 ? '' : said]).toEqual([0, '']);
  expect(proxy.secrets.size).toBeGreaterThan(10);
  await service.find('bank call', { call: 'startPayout' });
  expect(service.lines.length).toBeGreaterThan(20);
  expect(leaked()).toEqual([]);
}, 120_000);

it('hostile requests leave nothing of what they hold in the log, wherever they put it', async () => {
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(proxy.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return (await answer.json()) as never;
  };
  const email = `${randomUUID()}@example.com`;
  const { data } = (await post('/v1/auth/signup', {
    email,
    password: PASSWORD,
    accountType: 'developer',
  })) as { data: { token: string; user: { id: string } } };
  const session = { authorization: `Bearer ${data.token}` };
  const made = (await post('/api/wallets', walletBody(data.user.id), session)) as {
    data: { apiKey: { fullKey: string }; wallet: { id: string } };
  };
  const key = made.data.apiKey.fullKey;
  const all = { password: PASSWORD, token: data.token, key, bvn: BVN, account: ACCOUNT, email };

  for (const value of Object.values(all)) {
    const inPath = encodeURIComponent(value);
    for (const path of [`/nowhere/${inPath}`, `/v1/banks?q=${inPath}`, `/api/wallets/${inPath}/transactions`])
      await fetch(proxy.url + path, { headers: session }).then((answer) => answer.text());
    for (const text of [
      `{"password":"${value}`,
      JSON.stringify(value),
      JSON.stringify([value, { [value]: value }]),
    ])
      for (const path of ['/v1/auth/login', '/api/payment-intent', '/api/webhooks', '/mcp'])
        await post(path, text, { 'x-api-key': key });
    await post('/api/payment-intent', paymentBody({ merchantName: value, reason: `${value}\u0000` }), {
      'x-api-key': key,
    });
    await post('/api/payment-intent', paymentBody({ recipientAccountNo: ACCOUNT, reason: value }), {
      'x-api-key': key,
      'idempotency-key': value.replaceAll(' ', '-'),
    });
    await post('/api/webhooks', chargeBody(made.data.wallet.id, { narration: value, reference: value }), {
      'x-korapay-signature': value,
    });
  }
  await post('/v1/auth/login', { email, password: `${PASSWORD} ` });
  await post('/v1/auth/login', { email: PASSWORD, password: email });
  await post('/v1/accounts/resolve', { accountNumber: ACCOUNT, bankCode: '058' }, { 'x-api-key': key });
  for (const id of [key, data.token.slice(0, 60)])
    await fetch(`${service.url}/v1/banks`, { headers: { 'x-request-id': id } }).then((answer) =>
      answer.text(),
    );
  const { hostname, port } = new URL(service.url);
  const raw = connect(Number(port), hostname);
  raw.end(`GET /${key} nonsense\r\nauthorization: ${data.token}\r\n\r\n`);
  raw.resume();
  await once(raw, 'close');

  await service.find('request', { code: 'INVALID_SIGNATURE' });
  await service.find('login failed', { code: 'INVALID_CREDENTIALS' });
  await service.stop();
  expect(leaked()).toEqual([]);
}, 120_000);
