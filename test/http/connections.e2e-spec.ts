import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { fastifyAdapter, SERVER_TIMES, type ServerOptions } from '../../src/platform/http/server/fastify.js';
import { exchange, hang, parseAnswer, type RawAnswer } from '../support/raw-http.js';
import {
  type CreatedWallet,
  paymentBody,
  startService,
  type TestService,
  until,
} from '../support/service.js';

let service: TestService;
let wallet: CreatedWallet;
let port: number;
beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(1_000_000);
  await service.app.listen(0, '127.0.0.1');
  port = (service.app.getHttpServer().address() as AddressInfo).port;
});
afterAll(() => service.close());

const text: unknown = expect.any(String);
const send = async (sent: string, to = port): Promise<RawAnswer> => parseAnswer(await exchange(to, sent));
const json = ({ status, body }: RawAnswer) => [status, JSON.parse(body) as unknown];
const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;
const paymentRequest = (headers = '') => {
  const body = JSON.stringify(paymentBody());
  return `POST /api/payment-intent HTTP/1.1\r\nHost: x\r\nx-api-key: ${wallet.key}\r\ncontent-type: application/json\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
};

describe('a request that no route sees', () => {
  it.each([
    ['what is no HTTP', 'hello\r\n\r\n'],
    ['a bad request line', 'GET /api/ledger HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['an address with a NUL', 'GET /api/\u0000 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a space before the colon', 'GET /api/ledger HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['no host', 'GET /api/ledger HTTP/1.1\r\n\r\n'],
    ['two hosts', 'GET /api/ledger HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n'],
    ['the same host twice', 'GET /api/ledger HTTP/1.0\r\nHost: a\r\nHOST: a\r\n\r\n'],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'],
    [
      'two lengths',
      'POST /api/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    ],
  ])('with %s is answered 400 BAD_REQUEST, and the connection closed', async (_, sent) => {
    const answer = await send(sent);
    expect(json(answer)).toEqual([400, { error: { code: 'BAD_REQUEST', message: text } }]);
    expect(answer.headers).toMatchObject({
      connection: 'close',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-request-id': text,
    });
  });

  it('is answered in the envelope of its family where its address is known', async () => {
    const bad = (path: string) => send(`GET ${path} HTTP/1.1\r\nHost : x\r\n\r\n`);
    expect(json(await bad('/v1/auth/login'))).toEqual([
      400,
      { status: 'error', errors: [{ code: 'BAD_REQUEST', path: 'request', message: text }] },
    ]);
    expect(json(await bad('/api/payment-intent?x'))).toEqual([
      400,
      { success: false, code: 'BAD_REQUEST', message: text },
    ]);
    for (const path of ['/api/payment%2Dintent', 'http://x/api/payment-intent']) {
      expect(json(await bad(path))).toMatchObject([400, { success: false }]);
    }
  });

  it.each([
    ['/api/ledger', { error: { code: 'HEADERS_TOO_LARGE', message: text } }],
    ['/v1/auth/login', { status: 'error', code: 'HEADERS_TOO_LARGE', message: text }],
    ['/api/payment-intent', { success: false, code: 'HEADERS_TOO_LARGE', message: text }],
  ])('with a head over the limit is answered 431 at %s', async (path, envelope) => {
    const answer = await send(get(path, `x-long: ${'x'.repeat(20_000)}\r\n`));
    expect(json(answer)).toEqual([431, envelope]);
    expect(answer.headers.connection).toBe('close');
  });

  it('with an address over the limit is answered 431 in the envelope of its family', async () => {
    const answer = await send(get(`/api/payment-intent/${'a'.repeat(20_000)}`));
    expect(json(answer)).toEqual([431, { success: false, code: 'HEADERS_TOO_LARGE', message: text }]);
  });

  it('with an unknown expectation is answered as without it', async () => {
    expect((await send(get('/health/live', 'Expect: a-miracle\r\n'))).status).toBe(200);
  });

  it('is still answered by a service that is stopping, as the last of its connection', async () => {
    // Behind the payment on the same connection, so that it is answered after it.
    const [paid, next, ...more] = await stopDuringPayment(
      'GET /api/ledger HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/auth/session HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expect(paid?.status).toBe(201);
    expect(json(next!)).toEqual([401, { error: { code: 'UNAUTHORIZED', message: text } }]);
    expect(next?.headers.connection).toBe('close');
    expect(more).toEqual([]);
  });
});

describe('bytes that are no request', () => {
  it('behind a payment leave the payment its own answer, and the connection is closed', async () => {
    const [paid, ...more] = (await exchange(port, `${paymentRequest()}{x}\r\n\r\n`))
      .split(/(?=HTTP\/1\.1 )/)
      .map(parseAnswer);
    expect(json(paid!)).toMatchObject([
      201,
      { success: true, data: { transaction: { walletId: wallet.id } } },
    ]);
    expect(paid?.headers.connection).toBe('close');
    expect(more).toEqual([]);
  });

  it('behind an answer that has begun are not answered into it', async () => {
    const { token } = await service.signUp();
    const { socket, closed } = await hang(
      port,
      `GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write('{x}\r\n\r\n');
    await service.post('/v1/auth/logout', { token });
    expect((await closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });
});

describe('a connection that its client keeps', () => {
  it('is closed behind the answer that was under way when the service was told to stop', async () => {
    const answers = await stopDuringPayment('');
    expect(answers.map(({ status }) => status)).toEqual([201]);
  });

  it('is not closed on a request that its client sends when it has that answer', async () => {
    const answers = await stopDuringPayment('', 'GET /api/ledger HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(answers.map(({ status }) => status)).toEqual([201, 401]);
  });
});

describe('an agent whose payment is under way when the service is told to stop', () => {
  it('is told over MCP, too, that it was made', async () => {
    const [answer] = await stopDuringPayment('', '', mcpPaymentRequest);
    expect(answer?.status).toBe(200);
    expect(answer?.body).toContain('"decision":"approved"');
  });
});

function mcpPaymentRequest(key: string): string {
  const { amount, merchantName, recipientAccountNo, recipientBankCode } = paymentBody();
  const payment = { purchaseId: 'p-1', amount, merchantName, recipientAccountNo, recipientBankCode };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { _meta, name: 'make_payment', arguments: payment };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const lines = [
    'POST /mcp HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    'accept: application/json, text/event-stream',
    'content-type: application/json',
    'mcp-protocol-version: 2026-07-28',
    'mcp-method: tools/call',
    'mcp-name: make_payment',
    `content-length: ${body.length}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Stops a service while a payment is under way on a connection that its client keeps open; sends `behind` there, and
 * `next` once the payment is answered. Answers all that came once the service has closed it and stopped.
 */
async function stopDuringPayment(
  behind: string,
  next = '',
  request = (key: string) => paymentRequest().replace(wallet.key, key),
): Promise<RawAnswer[]> {
  const stopping = await startService();
  const { id, key } = await stopping.fundedWallet(1_000_000);
  await stopping.app.listen(0, '127.0.0.1');
  const at = (stopping.app.getHttpServer().address() as AddressInfo).port;
  const blocker = new pg.Client({ connectionString: stopping.databaseUrl });
  await blocker.connect();
  await blocker.query('BEGIN');
  await blocker.query('SELECT FROM wallets WHERE id = $1 FOR UPDATE', [id]);
  const { socket, closed } = await hang(at, request(key));
  await until(async () => {
    const { rows } = await blocker.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  const stopped = stopping.close();
  // No new connection is taken.
  await until(() =>
    exchange(at, get('/health/live')).then(
      () => false,
      (error: unknown) => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED',
    ),
  );
  if (behind) socket.write(behind);
  if (next) socket.once('data', () => socket.write(next));
  // Longer than the service waits for requests that are on their way.
  await sleep(300);
  await blocker.query('COMMIT');
  await blocker.end();
  const received = await closed;
  await stopped;
  return received.split(/(?=HTTP\/1\.1 )/).map(parseAnswer);
}

/** A bare server with bounds of its own, and one route. */
async function withServer(options: ServerOptions, test: (port: number) => Promise<void>): Promise<void> {
  const server = fastifyAdapter(options).getInstance();
  server.post('/api/payment-intent', () => ({ paid: true }));
  await server.listen({ port: 0, host: '127.0.0.1' });
  try {
    await test((server.server.address() as AddressInfo).port);
  } finally {
    server.server.closeAllConnections();
    await server.close();
  }
}

const PAY =
  'POST /api/payment-intent HTTP/1.1\r\nHost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
const HALF_A_BODY =
  'POST /api/payment-intent HTTP/1.1\r\nHost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":';

describe('a slow client', () => {
  const hasty = { times: { ...SERVER_TIMES, headMsMax: 100, requestMsMax: 200, checkMs: 20 } };

  it.each([
    ['one byte', 'P'],
    ['half a head', 'POST /api/payment-intent HTTP/1.1\r\nHost: x\r\n'],
    ['half a body', HALF_A_BODY],
  ])('that sends %s is answered 408 in its envelope, and its connection closed', async (_, sent) => {
    await withServer(hasty, async (at) => {
      const { closed } = await hang(at, sent);
      const [status, body] = json(parseAnswer(await closed));
      expect(status).toBe(408);
      expect(JSON.stringify(body)).toContain('REQUEST_TIMEOUT');
      if (sent === HALF_A_BODY) expect(body).toMatchObject({ success: false });
    });
  });

  it('that sends nothing is told nothing: it would take that for the answer to its first request', async () => {
    await withServer(hasty, async (at) => expect(await (await hang(at)).closed).toBe(''));
  });

  it('that sends nothing more on a connection it keeps is told nothing', async () => {
    await withServer({ times: { ...hasty.times, idleMsMax: 1_000 } }, async (at) => {
      const { closed } = await hang(at, PAY);
      expect((await closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    });
  });

  it('is given up within 20 seconds', () => {
    expect(SERVER_TIMES.requestMsMax + SERVER_TIMES.checkMs).toBeLessThanOrEqual(20_000);
    const { requestTimeout, headersTimeout } = service.app.getHttpServer() as unknown as Record<
      string,
      number
    >;
    expect([requestTimeout, headersTimeout]).toEqual([SERVER_TIMES.requestMsMax, SERVER_TIMES.headMsMax]);
  });

  it('holds up no payment, however many there are', async () => {
    const slow = await Promise.all(Array.from({ length: 200 }, () => hang(port, HALF_A_BODY)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(paymentRequest('connection: close\r\n'))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(201));
    for (const { socket } of slow) socket.destroy();
  });

  it('makes room when there are as many connections as there may be, the one that waits the longest first', async () => {
    await withServer({ connectionsMax: 5 }, async (at) => {
      const slow = [];
      for (let i = 0; i < 5; i += 1) slow.push(await hang(at, i % 2 === 0 ? HALF_A_BODY : ''));
      const paid = await send(
        'POST /api/payment-intent HTTP/1.1\r\nHost: x\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}',
        at,
      );
      expect(paid.status).toBe(200);
      await slow[0]!.closed;
      expect(slow.slice(1).map(({ socket }) => socket.destroyed)).toEqual([false, false, false, false]);
      for (const { socket } of slow) socket.destroy();
    });
  });
});

describe('a connection', () => {
  const answersIn = (received: string): number => received.split('HTTP/1.1 200').length - 1;

  it('that has been idle the longest makes room for a new one', async () => {
    await withServer({ connectionsMax: 3 }, async (at) => {
      const idle: Awaited<ReturnType<typeof hang>>[] = [];
      for (let i = 0; i < 3; i += 1) {
        const each = await hang(at, PAY);
        await until(() => Promise.resolve(each.socket.bytesRead > 0));
        idle.push(each);
      }
      const newest = await hang(at, PAY);
      expect(answersIn(await idle[0]!.closed)).toBe(1);
      await until(() => Promise.resolve(newest.socket.bytesRead === idle[0]!.socket.bytesRead));
      expect(idle.map(({ socket }) => socket.destroyed)).toEqual([true, false, false]);
      for (const { socket } of [...idle, newest]) socket.destroy();
    });
  });
});

describe('a connection that is used again', () => {
  it('has been idle for less long than one that was not', async () => {
    await withServer({ connectionsMax: 3 }, async (at) => {
      const kept: Awaited<ReturnType<typeof hang>>[] = [];
      for (let i = 0; i < 3; i += 1) kept.push(await hang(at, PAY));
      const answered = (i: number, times: number) =>
        until(() =>
          Promise.resolve(
            kept[i]!.socket.bytesRead >= times * kept[1]!.socket.bytesRead && kept[i]!.socket.bytesRead > 0,
          ),
        );
      for (const i of [1, 0, 2]) await answered(i, 1);
      kept[0]!.socket.write(PAY);
      await answered(0, 2);
      const newest = await hang(at, PAY);
      await kept[1]!.closed;
      expect([kept[0]!.socket.destroyed, kept[2]!.socket.destroyed]).toEqual([false, false]);
      for (const { socket } of [...kept, newest]) socket.destroy();
    });
  });
});

describe('a raw address', () => {
  it.each([
    '/docs/../package.json',
    '/docs/./package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/docs/..\\package.json',
    '/docs//swagger-ui.css',
    '/docs/swagger-ui.css/../../package.json',
    '/docs/package.json',
    '/docs/index.html',
    '/docs/*',
    '/../../etc/passwd',
    '/..',
    '/assets/../index.html',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/.env',
    '/%2e%65nv',
    '/api/../docs',
  ])('%s is answered 404', async (path) => {
    const answer = await send(get(path));
    expect([path, ...json(answer)]).toEqual([path, 404, { error: { code: 'NOT_FOUND', message: text } }]);
  });

  it.each([
    '/v1/%61uth/signup',
    '/v1/auth/sign%75p#x',
    'http://host/v1/auth/signup',
    'HTTPS://host:443/v1/%61uth/signup?x',
  ])('%s is answered in the envelope of its route', async (path) => {
    const post = (at: string) =>
      send(
        `POST ${at} HTTP/1.1\r\nHost: x\r\nConnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
      );
    expect(json(await post(path))).toEqual(json(await post('/v1/auth/signup')));
    expect(json(await post(path))).toMatchObject([400, { status: 'error' }]);
  });

  it.each(['/api/payment%2Dintent', 'http://host/api/payment-intent', '/api/payment-intent#x'])(
    '%s takes the methods of its route',
    async (path) => {
      const answer = await send(`PUT ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(json(answer)).toEqual([405, { success: false, code: 'METHOD_NOT_ALLOWED', message: text }]);
      expect(answer.headers.allow).toBe('GET, HEAD, POST');
    },
  );

  // With a dashboard that is built these are its page; without one they are unknown.
  it.each(['//', '/index.html/'])('%s is the dashboard or nothing', async (path) => {
    const { status, headers } = await send(get(path));
    expect(status === 200 ? headers['content-type'] : status).toEqual(
      status === 200 ? expect.stringContaining('text/html') : 404,
    );
  });

  it.each([
    '*',
    'http://example.com/api/ledger',
    'http:',
    'api/ledger',
    '?',
    '#',
    ';',
    '/%',
    '/%zz',
    '/%00',
    '/\u00ff',
  ])('%j is answered with a 4xx', async (path) => {
    for (const method of ['GET', 'OPTIONS', 'TRACE', 'PROPFIND', 'HEAD', 'POST', 'QUERY']) {
      const { status } = await send(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect([method, path, status >= 400 && status < 500, status]).toEqual([method, path, true, status]);
    }
  });

  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '',
      '%2e%2e',
      '%2f',
      '%5c',
      '\\',
      '%00',
      '%',
      '%zz',
      '%c0%ae',
      ';',
      ':',
      '*',
      '~',
      '#',
      '?',
      '??',
      '&',
      '=',
      '[]',
      '{',
      '|',
      '^',
      '`',
      '"',
      "'",
      'docs',
      'assets',
      'api',
      'v1',
      'wallets',
      'payment-intent',
      'auth',
      'swagger-ui.css',
      'index.html',
      'openapi.json',
      'health',
    ),
    fc.string({
      unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 12,
    }),
  );
  const headerName = fc.constantFrom(
    'accept',
    'accept-encoding',
    'accept-version',
    'authorization',
    'cookie',
    'content-type',
    'content-encoding',
    'x-api-key',
    'idempotency-key',
    'x-request-id',
    'x-session',
    'origin',
    'sec-fetch-site',
    'range',
    'if-none-match',
    'if-modified-since',
    'if-range',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded-host',
    'upgrade',
    'te',
    'expect',
    'host',
    'x-http-method-override',
  );
  const headerValue = fc.oneof(
    fc.constantFrom(
      '',
      'text/html',
      '*/*',
      'gzip, br',
      'bytes=0-',
      'bytes=9-1',
      'bytes=-1,-2',
      'session=%',
      'session=',
      '__Host-session=x',
      'Bearer x',
      'websocket',
      'null',
      'https://[',
      'application/json; charset',
      'Fri, 99 Foo',
    ),
    fc.string({
      unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 40,
    }),
  );

  it('with headers of any kind is never answered 5xx, and not left without an answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PURGE'),
        fc.array(piece, { maxLength: 5 }),
        fc.array(fc.tuple(headerName, headerValue), { maxLength: 4 }),
        async (method, pieces, headers) => {
          const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
          const { status } = await send(
            `${method} /${pieces.join('/')} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`,
          );
          expect([status >= 200 && status < 500, status]).toEqual([true, status]);
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('a trailing slash', () => {
  it('makes no other route, in any family', async () => {
    const { token } = wallet.owner;
    for (const path of [
      '/health/live',
      '/api/ledger',
      `/api/wallets/${wallet.id}`,
      '/v1/auth/session',
      '/docs',
      '/openapi.json',
    ]) {
      const [plain, slashed] = [await service.get(path, { token }), await service.get(`${path}/`, { token })];
      expect([path, slashed.status, slashed.text]).toEqual([path, plain.status, plain.text]);
      expect(plain.status).toBe(200);
    }
    const paid = await service.post('/api/payment-intent/', { key: wallet.key, body: paymentBody() });
    expect(paid.status).toBe(201);
    const refused = await service.post('/v1/auth/login/', { body: {} });
    expect([refused.status, refused.body]).toMatchObject([400, { status: 'error' }]);
    const wrong = await service.call('PUT', '/api/payment-intent/', { key: wallet.key });
    expect([wrong.status, String(wrong.headers.allow).split(', ').sort()]).toEqual([
      405,
      ['GET', 'HEAD', 'POST'],
    ]);
  });
});

describe('an idle connection', () => {
  it('is kept for longer than a load balancer keeps it, and its client told to give it up before', async () => {
    expect(SERVER_TIMES.idleMsMax).toBe(620_000);
    await withServer({}, async (at) => {
      const { socket, closed } = await hang(at, PAY);
      await until(() => Promise.resolve(socket.bytesRead > 0));
      socket.end();
      expect(parseAnswer(await closed).headers).toMatchObject({
        connection: 'keep-alive',
        'keep-alive': 'timeout=615',
      });
      const { headers } = await send(PAY.replace('Host: x', 'Host: x\r\nConnection: close'), at);
      expect(headers).toMatchObject({ connection: 'close' });
      expect(headers).not.toHaveProperty('keep-alive');
    });
  });

  it('is closed when its time is up, which each request and each answer begins anew', async () => {
    await withServer({ times: { ...SERVER_TIMES, idleMsMax: 400 } }, async (at) => {
      const { socket, closed } = await hang(at, PAY);
      for (let i = 0; i < 3; i += 1) {
        await sleep(250);
        socket.write(PAY);
      }
      const answeredAt = performance.now();
      const received = await closed;
      expect(performance.now() - answeredAt).toBeGreaterThanOrEqual(390);
      expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(4);
    });
  });
});
