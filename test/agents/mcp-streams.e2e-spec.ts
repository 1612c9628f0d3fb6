import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { startService, type TestService } from '../support/service.js';

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

describe.each(['2025-11-25', '2026-07-28'])('at revision %s a request', (revision) => {
  const list = async (accept: string | null, id: unknown = 7) => {
    const headers = new Headers({
      authorization,
      'content-type': 'application/json',
      'mcp-protocol-version': revision,
      'mcp-method': 'tools/list',
      ...(accept !== null && { accept }),
    });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = revision === '2026-07-28' ? { _meta } : {};
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params });
    const answer = await fetch(address, { method: 'POST', headers, body });
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };

  it.each([
    ['application/json'],
    ['APPLICATION/JSON; charset=utf-8'],
    ['application/*'],
    ['*/*'],
    [null],
    ['application/json, text/event-stream;q=0'],
  ])('that accepts %s is answered in JSON', async (accept) => {
    const { status, type, text } = await list(accept);
    expect([status, type]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', id: 7, result: { tools: expect.any(Array) } });
  });

  it.each([['text/event-stream'], ['text/*'], ['application/json;q=0, text/event-stream']])(
    'that accepts %s is answered by a stream',
    async (accept) => {
      const { status, type, text } = await list(accept);
      expect([status, type]).toEqual([200, expect.stringMatching(/^text\/event-stream/)]);
      const [, data] = /^event: message\ndata: (.*)\n\n$/.exec(text) ?? [];
      expect(JSON.parse(data ?? '')).toMatchObject({ id: 7, result: { tools: expect.any(Array) } });
    },
  );

  it.each([[8], [0], ['a text with "quotes" and $&'], ['']])(
    'for the list of the tools, which is made once, is answered under its own id: %j',
    async (id) => {
      for (const accept of ['application/json', 'text/event-stream']) {
        const [first, again] = [await list(accept), await list(accept, id)];
        expect([again.status, again.type]).toEqual([first.status, first.type]);
        expect(again.text).toBe(first.text.replace('"id":7', () => `"id":${JSON.stringify(id)}`));
      }
    },
  );

  it('that accepts both is answered in one of them', async () => {
    expect((await list('application/json, text/event-stream')).type).toMatch(
      /application\/json|event-stream/,
    );
  });
});

it('a batch of a client that accepts JSON alone is answered by an array', async () => {
  const body = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  const headers = { authorization, 'content-type': 'application/json', accept: 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(await answer.json()).toMatchObject([{ id: 1 }, { id: 2 }]);
});
