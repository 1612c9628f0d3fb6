import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { Bank } from '../src/contexts/bank/bank.port.js';
import { startService, type TestService } from './support/service.js';

/** Requests to `/mcp` as they are on the wire. */

let service: TestService;
let address: string;
let authorization: string;

beforeAll(async () => {
  service = await startService();
  await service.app.listen(0, '127.0.0.1');
  address = `http://127.0.0.1:${(service.app.getHttpServer().address() as AddressInfo).port}/mcp`;
  authorization = `Bearer ${(await service.createWallet()).key}`;
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => service.close());

/** Sends a request of the current revision. */
function send(
  method: string,
  params: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const revision = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return fetch(address, {
    method: 'POST',
    headers: {
      authorization,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta, ...params } }),
  });
}

it('a tool asks the API under the id of the request that called it', async () => {
  jest.spyOn(service.app.get(Bank, { strict: false }), 'listBanks').mockRejectedValue(new Error('a fault'));
  const answer = await send(
    'tools/call',
    { name: 'list_banks', arguments: {} },
    { 'mcp-name': 'list_banks', 'x-request-id': 'call-of-an-agent' },
  );
  expect(answer.headers.get('x-request-id')).toBe('call-of-an-agent');
  expect(await answer.text()).toContain('(request call-of-an-agent)');
});

it('a subscription is over at once, since no change can come: no client keeps a stream by one', async () => {
  const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const answer = await send('subscriptions/listen', { notifications });
  // All that there is to read: the answer has an end.
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.stringContaining('"resultType":"complete"')]);
});
