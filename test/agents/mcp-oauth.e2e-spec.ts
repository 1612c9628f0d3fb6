import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestService, UNKNOWN_KEY } from '../support/service.js';

/** Clients that know OAuth look for it when their key is refused, and show people what they find. */

let service: TestService;
let origin: string;
beforeAll(async () => {
  service = await startService();
  await service.app.listen(0, '127.0.0.1');
  origin = `http://127.0.0.1:${(service.app.getHttpServer().address() as AddressInfo).port}`;
});
afterAll(() => service.close());

const WHY = /This server has no OAuth: it takes a wallet's API key, as Authorization: Bearer <key>/;
const INFO = { name: 'tests', version: '1.0.0' };
const redirectUrl = 'http://127.0.0.1:1/callback';
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'tests', redirect_uris: [redirectUrl] },
  clientInformation: () => undefined,
  saveClientInformation: () => undefined,
  tokens: () => undefined,
  saveTokens: () => undefined,
  redirectToAuthorization: () => undefined,
  saveCodeVerifier: () => undefined,
  codeVerifier: () => '',
};
const options = { authProvider, requestInit: { headers: { authorization: `Bearer ${UNKNOWN_KEY}` } } };

it.each<[string, () => Promise<void>]>([
  ['SDK 1.x', () => new FirstClient(INFO).connect(new FirstTransport(new URL(`${origin}/mcp`), options))],
  [
    'client 2.x',
    () => new Client(INFO).connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), options)),
  ],
])('the official %s with OAuth tells why a wrong key is refused', async (_, connect) => {
  await expect(connect()).rejects.toThrow(WHY);
});

describe('where clients look for OAuth', () => {
  it.each([
    ['POST', '/register', 'application/json', '{"redirect_uris":[]}'],
    ['POST', '/register', 'application/json', '{'],
    ['POST', '/token', 'application/x-www-form-urlencoded', 'grant_type=authorization_code&code=1'],
    ['POST', '/token/', 'application/json', '{}'],
    ['GET', '/authorize?client_id=1', undefined, undefined],
    ['GET', '/.well-known/oauth-authorization-server', undefined, undefined],
    ['GET', '/.well-known/oauth-authorization-server/mcp', undefined, undefined],
    ['GET', '/.well-known/openid-configuration', undefined, undefined],
  ])('%s %s is answered by an OAuth error that says why', async (method, path, type, body) => {
    const headers = { accept: 'text/html, */*', ...(type && { 'content-type': type }) };
    const answer = await fetch(origin + path, { method, headers, ...(body !== undefined && { body }) });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { error: 'invalid_request', error_description: expect.stringMatching(WHY) as unknown },
    ]);
  });
});

describe('a key that is refused', () => {
  const refused = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await service.get<{
      code?: string;
      error?: { message: string };
      message?: string;
    }>(path, { headers });
    return [status, body.error?.message ?? body.message];
  };
  const INVALID = (header: string) => [
    401,
    `The API key in the header ${header} is unknown, expired or revoked.`,
  ];
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  it.each(['/api/wallet', '/api/payment-intent', '/v1/banks'])(
    'at %s is told by its header',
    async (path) => {
      for (const key of [UNKNOWN_KEY, 'apw_live_short']) {
        expect(await refused(path, bearer(key))).toEqual(INVALID('Authorization'));
        expect(await refused(path, { 'x-api-key': key })).toEqual(INVALID('x-api-key'));
      }
    },
  );

  it('is told by its header when it pays', async () => {
    const pay = (headers: Record<string, string>) =>
      service.post<{ message: string }>('/api/payment-intent', {
        headers,
        body: {
          amount: 1_000,
          merchantName: 'Acme',
          recipientAccountNo: '0123456789',
          recipientBankCode: '058',
        },
      });
    expect((await pay(bearer(UNKNOWN_KEY))).body.message).toBe(INVALID('Authorization')[1]);
    expect((await pay({ 'x-api-key': UNKNOWN_KEY })).body.message).toBe(INVALID('x-api-key')[1]);
  });

  it('is asked for in the header that was sent', async () => {
    const [status, message] = await refused('/api/wallet', bearer('sk_live_wrong'));
    expect([status, message]).toEqual([
      401,
      expect.stringMatching(/^The header Authorization holds no API key/),
    ]);
    const mcp = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { 'x-api-key': UNKNOWN_KEY, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect([mcp.status, await mcp.text()]).toEqual([
      401,
      expect.stringContaining('as Authorization: Bearer <key>, not in x-api-key.'),
    ]);
  });
});
