import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { freePort } from '../support/ports.js';
import { ServiceBuild, type ServiceProcess } from '../support/process.js';
import { until, walletBody } from '../support/service.js';
import { asService, JWT_SECRET, plainDatabase } from '../support/service-database.js';

/** A service whose process clock is set back an hour while it runs. */

const WINDOW_SECONDS = 15 * 60;

const build = new ServiceBuild();
let database: TestDatabase;
let service: ServiceProcess;
beforeAll(async () => {
  database = await plainDatabase();
  service = await build.start(
    await freePort(),
    {
      DATABASE_URL: asService(database.url),
      DATABASE_OWNER_URL: database.url,
      JWT_SECRET,
      LOGIN_FAILURES_MAX: '3',
    },
    join(import.meta.dirname, '../support/shifted-clock.mjs'),
  );
});
afterAll(async () => {
  await service.kill('SIGKILL');
  await database.drop();
  build.remove();
});

interface SignedUp {
  readonly data: { readonly user: { readonly id: string }; readonly token: string };
}

const signUp = (email: string): Promise<SignedUp> =>
  service.call('POST', '/v1/auth/signup', {
    body: { email, password: 'a good password', accountType: 'developer' },
  });

/** What a stream of events has said so far, and when it ends. */
async function listen(token: string): Promise<{ text: string; end: () => void }> {
  const over = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${service.url}/v1/events`, { headers, signal: over.signal });
  const heard = { text: '', end: () => over.abort() };
  const read = async (): Promise<void> => {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      heard.text += Buffer.from(chunk).toString();
    }
  };
  read().catch(() => undefined);
  return heard;
}

const heardOf = (heard: { text: string }, what: string): Promise<void> =>
  until(() => Promise.resolve(heard.text.includes(what)), 30_000);

const logIn = (email: string): Promise<Response> =>
  fetch(`${service.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'a wrong guess' }),
  });

it('goes on telling of changes and of life, and keeps its limits, when its clock is set back', async () => {
  const email = 'ada@example.com';
  const { data } = await signUp(email);
  const heard = await listen(data.token);
  await heardOf(heard, '"ready"');
  for (let i = 0; i < 3; i += 1) expect((await logIn(email)).status).toBe(401);

  service.tell();
  await until(async () => {
    const other = await signUp(`${randomUUID()}@example.com`);
    const [, claims = ''] = other.data.token.split('.');
    const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number };
    return iat < Date.now() / 1_000 - 3_000;
  });

  const refused = await logIn(email);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(WINDOW_SECONDS - 120);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(WINDOW_SECONDS);
  const from = heard.text.length;
  await service.call('POST', '/api/wallets', { token: data.token, body: walletBody(data.user.id) });
  await heardOf(heard, '"wallet"');
  await until(() => Promise.resolve(heard.text.slice(from).includes('event: alive')), 30_000);
  heard.end();
}, 90_000);
