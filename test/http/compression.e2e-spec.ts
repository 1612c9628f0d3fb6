import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CreatedWallet,
  expectStatus,
  PASSWORD,
  startService,
  type TestService,
} from '../support/service.js';

let service: TestService;
let wallet: CreatedWallet;
let port: number;
beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(100_000);
  for (let i = 0; i < 5; i += 1) expectStatus(201, await service.pay(wallet.key));
  await service.settled();
  await service.app.listen(0, '127.0.0.1');
  port = (service.app.getHttpServer().address() as { port: number }).port;
});
afterAll(() => service.close());

/** The bytes as they came. */
async function raw(path: string, accepted: string, method = 'GET') {
  const headers = { authorization: `Bearer ${wallet.owner.token}`, 'accept-encoding': accepted };
  const response = await new Promise<IncomingMessage>((answer, fail) => {
    request({ port, path, method, headers }, answer).on('error', fail).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { body: Buffer.concat(chunks), headers: response.headers };
}

describe('a read', () => {
  it('of a long list comes compressed to whoever takes it, and says what its bytes depend on', async () => {
    const path = '/v1/transactions';
    const [plain, packed] = [await raw(path, 'identity'), await raw(path, 'br, gzip;q=0.5')];
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(packed.headers['content-length']).toBe(String(packed.body.length));
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    expect(gunzipSync(packed.body).toString()).toBe(plain.body.toString());
    expect(plain.headers).toMatchObject({ vary: 'accept-encoding' });
    for (const refused of ['gzip;q=0', 'br', ''])
      expect((await raw(path, refused)).headers['content-encoding']).toBeUndefined();
  });

  it('that is short comes as it is, as do its headers alone', async () => {
    expect((await raw('/v1/auth/session', 'gzip')).headers['content-encoding']).toBeUndefined();
    const { body, headers } = await raw('/v1/transactions', 'gzip', 'HEAD');
    expect([body.length, headers['content-encoding']]).toEqual([0, undefined]);
  });
});

it('what is posted is never answered compressed: sign-ins and new keys hold secrets', async () => {
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${wallet.owner.token}`,
        'accept-encoding': 'gzip',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  const answers = [
    await post('/v1/auth/login', { email: wallet.owner.email, password: PASSWORD }),
    await post(`/api/wallets/${wallet.id}/keys`, { name: 'n'.repeat(60) }),
    await post('/v1/onboarding', { businessName: 'Ada Foods', contactEmail: 'a@example.com' }),
  ];
  expect(answers.map(({ ok, headers }) => [ok, headers.get('content-encoding')])).toEqual(
    answers.map(() => [true, null]),
  );
});
