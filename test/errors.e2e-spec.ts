import { request } from 'node:http';
import { connect } from 'node:net';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { brokenInvariants } from './support/invariants.js';
import {
  type Answer,
  chargeBody,
  type CreatedWallet,
  type RequestOptions,
  paymentBody,
  PASSWORD,
  startService,
  type TestService,
  walletBody,
} from './support/service.js';

const KIB_64 = 64 * 1024;

let service: TestService;
let wallet: CreatedWallet;
let port: number;
beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(1_000_000);
  await service.app.listen(0, '127.0.0.1');
  port = (service.app.getHttpServer().address() as { port: number }).port;
});
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await service.close();
  expect(broken).toEqual({});
});

const text: unknown = expect.any(String);
/** The three envelopes: what a body looks like for a code, with the fields at fault when it is about fields. */
const ENVELOPES = {
  status: (code: string, status: number, field = 'body') =>
    status === 400
      ? { status: 'error', errors: [{ code, path: field, message: text }] }
      : { status: 'error', code, message: text },
  success: (code: string, status: number, field = 'body') => ({
    success: false,
    message: text,
    code,
    ...(status === 400 && { errors: [{ field, message: text }] }),
  }),
  error: (code: string, status: number, field = 'body') => ({
    error: { code, message: text, ...(status === 400 && { errors: [{ field, message: text }] }) },
  }),
} as const;
type Envelope = keyof typeof ENVELOPES;

/** Every route that takes a body, with its envelope, who may call it, and a body that is sound. */
const POSTS: readonly (readonly [string, Envelope, () => RequestOptions, () => Record<string, unknown>])[] = [
  [
    '/v1/auth/signup',
    'status',
    () => ({}),
    () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD, accountType: 'developer' }),
  ],
  ['/v1/auth/login', 'status', () => ({}), () => ({ email: wallet.owner.email, password: PASSWORD })],
  [
    '/v1/onboarding',
    'status',
    () => ({ token: wallet.owner.token }),
    () => ({ businessName: 'Obi', contactEmail: 'a@example.com' }),
  ],
  [
    '/api/onboarding',
    'status',
    () => ({ token: wallet.owner.token }),
    () => ({ businessName: 'Obi', contactEmail: 'a@example.com' }),
  ],
  ['/api/payment-intent', 'success', () => ({ key: wallet.key }), () => paymentBody({ amount: 1 })],
  ['/api/wallets', 'error', () => ({ token: wallet.owner.token }), () => walletBody(wallet.owner.id)],
  ['/api/webhooks', 'error', () => ({}), () => chargeBody(wallet.id)],
];
const GETS: readonly string[] = [
  '/api/wallets/ID',
  '/api/wallets/user/USER',
  '/api/wallets/ID/transactions',
  '/api/wallets/ID/ledgers',
  '/api/ledger',
  '/v1/wallets/ID/stats',
  '/v1/wallets/ID/transactions',
];
const filled = (path: string) => path.replace('ID', wallet.id).replace('USER', wallet.owner.id);

/** A refusal of this kind, in this envelope, as JSON; and not a word of what is inside. */
function expectRefusal(
  answer: Answer<unknown>,
  envelope: Envelope,
  status: number,
  code: string,
  field?: string,
): void {
  expect([answer.status, answer.body]).toEqual([status, ENVELOPES[envelope](code, status, field)]);
  expect(String(answer.headers['content-type'])).toMatch(/^application\/json/);
  expect(answer.text).not.toMatch(/\bat .+:\d+:\d+|node_modules|SELECT |INSERT |violates|ECONN|FST_/);
}

describe.each(POSTS)('POST %s answers', (path, envelope, who, sound) => {
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    service.post(path, { ...who(), body, headers });
  const malformed = async (body: unknown, headers?: Record<string, string>) =>
    expectRefusal(await send(body, headers), envelope, 400, 'VALIDATION_ERROR', 'body');

  it.each([
    '{',
    '{"a":}',
    '{"a":1,}',
    "{'a':1}",
    'undefined',
    'NaN',
    '{"a":NaN}',
    '{"a":01}',
    '{"a":"\n"}',
    '{"a":"\\x"}',
    '{} {}',
    '\u0000',
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '{"a":{"__proto__":null}}',
  ])('the malformed body %j with 400 VALIDATION_ERROR', (body) => malformed(body));

  it('a body that is no UTF-8 with 400', async () => {
    for (const bytes of [
      [0xff],
      [0xc3, 0x28],
      [0xed, 0xa0, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
      [0xe2, 0x82],
    ]) {
      await malformed(Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]));
    }
  });

  it('nesting deeper than 32 levels with 400, however deep', async () => {
    const nested = (depth: number) => `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    for (const depth of [33, 1_000, 30_000]) await malformed(nested(depth));
    await malformed('{"a":'.repeat(10_000));
    const just = JSON.stringify({ ...sound(), x: 0 }).replace(
      '"x":0',
      `"x":${'['.repeat(31)}${']'.repeat(31)}`,
    );
    expect((await send(just)).status).toBeLessThan(300);
  });

  it('brackets within a text without counting them', async () => {
    const answer = await send({ ...sound(), x: `\\"${'['.repeat(100)}` });
    expect(answer.status).toBeLessThan(300);
  });

  it('a body of 64 KiB as any other, and one byte more with 413', async () => {
    const padded = (length: number) => {
      const body = JSON.stringify({ ...sound(), pad: '' });
      return body.replace('"pad":""', `"pad":"${'x'.repeat(length - body.length)}"`);
    };
    for (const length of [KIB_64 - 1, KIB_64]) {
      const body = padded(length);
      expect(body).toHaveLength(length);
      expect((await send(body)).status).toBeLessThan(300);
    }
    for (const length of [KIB_64 + 1, 2 * 1024 * 1024]) {
      expectRefusal(await send(padded(length)), envelope, 413, 'PAYLOAD_TOO_LARGE');
    }
  });

  it('what is no JSON with 415', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonp',
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
      'x',
    ]) {
      expectRefusal(
        await send(JSON.stringify(sound()), { 'content-type': type }),
        envelope,
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      );
    }
    expectRefusal(
      await send(JSON.stringify(sound()), { 'content-encoding': 'gzip' }),
      envelope,
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
    for (const type of [
      'application/json;charset=UTF-8',
      'application/json; charset="utf-8"',
      'Application/JSON',
    ]) {
      expect((await send(JSON.stringify(sound()), { 'content-type': type })).status).toBeLessThan(300);
    }
  });

  it('another method with 405 and the ones it takes in Allow', async () => {
    const { path: at } = { path };
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await service.call(method, at, who());
      expectRefusal(answer, envelope, 405, 'METHOD_NOT_ALLOWED');
      expect(String(answer.headers['allow']).split(', ')).toEqual(['POST']);
    }
  });

  it('an unknown address below it with 404', async () => {
    for (const at of [`${path}/x/y`, `${path}/x/y?z`, `${path}x/${randomUUID()}`]) {
      const answer = await service.post(at, { ...who(), body: sound() });
      expect([answer.status, answer.text.includes('NOT_FOUND')]).toEqual([404, true]);
    }
    expectRefusal(await service.post(`${path}/x/y`, who()), envelope, 404, 'NOT_FOUND');
  });

  it('a good request in which a field that nobody knows names a constructor, as without it', async () => {
    for (const constructor of [1, null, 'Array', {}, [], { name: 'Map' }]) {
      for (const x of [
        { constructor },
        [{ constructor }],
        { deep: { constructor } },
        { then: { constructor } },
      ]) {
        expect((await send({ ...sound(), x })).status).toBeLessThan(300);
      }
      expect((await send({ ...sound(), constructor })).status).toBeLessThan(300);
    }
  });

  it('a field that holds an object or a list in place of its value with 400, whatever that names', async () => {
    const [field = ''] = Object.keys(sound());
    for (const value of [
      { constructor: 1 },
      { toString: 1, valueOf: 1 },
      { length: 1e9 },
      [[]],
      [{ constructor: 1 }],
    ]) {
      const { status } = await send({ ...sound(), [field]: value });
      expect([value, status]).toEqual([value, 400]);
    }
  });

  it('a good request by its last value, when a key is named twice', async () => {
    const body = JSON.stringify(sound());
    expect((await send(`{"x":1,"x":2,${body.slice(1)}`)).status).toBeLessThan(300);
  });
});

describe.each(['/v1/onboarding', '/api/onboarding', '/v1/auth/logout', '/api/wallets'])('POST %s', (path) => {
  it('answers 401 from the guard in the envelope of its family, before it looks at the fields', async () => {
    const answer = await service.post(path, { body: { name: 7 } });
    expectRefusal(answer, path === '/api/wallets' ? 'error' : 'status', 401, 'UNAUTHORIZED');
  });
});

describe.each(GETS)('GET %s', (path) => {
  it('answers 401 without a session, and 405 for another method', async () => {
    expectRefusal(await service.get(filled(path)), 'error', 401, 'UNAUTHORIZED');
    // A wallet can be changed too.
    const taken = path === '/api/wallets/ID' ? ['PATCH'] : [];
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'].filter((each) => !taken.includes(each))) {
      const answer = await service.call(method, filled(path), { token: wallet.owner.token });
      expectRefusal(answer, 'error', 405, 'METHOD_NOT_ALLOWED');
      expect(String(answer.headers['allow']).split(', ')).toContain('GET');
    }
  });

  it('answers no path, however odd, with an error of its own making', async () => {
    for (const odd of [
      '%',
      '%zz',
      '%00',
      '%ff',
      '%ed%a0%80',
      '%c0%af',
      '..%2f..',
      '%2e%2e',
      'a'.repeat(499),
      'a'.repeat(501),
      'a'.repeat(10_000),
      '😀',
      '%F0%9F%98%80',
      "'",
      '%27%20OR%201=1',
      '*',
      ':walletId',
      ';',
      '%3f',
      '%23',
    ]) {
      const at =
        path.includes('ID') || path.includes('USER') ? path.replace(/ID|USER/, odd) : `${path}/${odd}`;
      const answer = await service.get(encodeURI(at).replaceAll('%25', '%'), { token: wallet.owner.token });
      // The client resolves `..` itself: what is left is another address, which may hold something.
      if (odd === '%2e%2e' && [200, 405].includes(answer.status)) continue;
      expect([odd.slice(0, 20), [400, 404].includes(answer.status), answer.status]).toEqual([
        odd.slice(0, 20),
        true,
        answer.status,
      ]);
      expect(Object.keys(answer.body)).toEqual(['error']);
      expect(answer.text).not.toContain('malformed JSON');
    }
  });
});

describe('an address', () => {
  it.each([
    ['/nothing', 'error'],
    ['/api', 'error'],
    ['/api/wallet', 'error'],
    ['/v1', 'error'],
    ['/v1/authx', 'error'],
    ['/v1/auth', 'status'],
    ['/v1/auth/nothing', 'status'],
    ['/v1/onboarding/nothing', 'status'],
    ['/api/onboarding/nothing', 'status'],
    ['/api/payment-intent/nothing/here', 'success'],
    ['/api/payment-intents', 'success'],
    ['/api/webhooks/nothing', 'error'],
    ['/.git/config', 'error'],
    ['/metrics', 'error'],
    ['//api/ledger', 'error'],
  ] as const)('%s that holds nothing answers 404 NOT_FOUND in its envelope', async (path, envelope) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      expectRefusal(
        await service.call(method, path, { token: wallet.owner.token }),
        envelope,
        404,
        'NOT_FOUND',
      );
    }
  });

  it('with a very long id is that of no wallet', async () => {
    for (const length of [100, 500, 501, 5_000]) {
      const { status, body } = await service.get(`/api/wallets/${'a'.repeat(length)}`, {
        token: wallet.owner.token,
      });
      expect([length, status, body]).toEqual([
        length,
        404,
        { error: { code: 'WALLET_NOT_FOUND', message: text } },
      ]);
    }
  });

  it('is what counts for the envelope, not its query', async () => {
    expectRefusal(await service.get('/nothing?/v1/auth/'), 'error', 404, 'NOT_FOUND');
    expectRefusal(
      await service.post('/v1/auth/login?x=1', { body: '{' }),
      'status',
      400,
      'VALIDATION_ERROR',
      'body',
    );
  });
});

describe('the health of the service', () => {
  it('is answered without authentication', async () => {
    expect((await service.get('/health/live')).status).toBe(200);
    expect((await service.get('/health/ready')).status).toBe(200);
  });
});

describe('over a connection', () => {
  it('a bad request, an unknown route and a good one are answered as within the process', async () => {
    const statuses: number[] = [];
    for (const [path, body] of [
      ['/api/webhooks', '{'],
      ['/nothing', '{}'],
      ['/api/webhooks', JSON.stringify(chargeBody(wallet.id))],
    ]) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body!,
      });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([400, 404, 200]);
  });

  it('a body without its length that grows past 64 KiB is answered 413', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        {
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/api/webhooks',
          headers: { 'content-type': 'application/json' },
        },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      sent.on('error', (error: NodeJS.ErrnoException) =>
        ['EPIPE', 'ECONNRESET'].includes(error.code ?? '') ? undefined : reject(error),
      );
      for (let i = 0; i < 66; i += 1) sent.write('x'.repeat(1_024));
      sent.end();
    });
    expect(status).toBe(413);
  });

  it.each([
    ['an address with a NUL', 'GET /api/\u0000 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['no host', 'GET /api/ledger HTTP/1.1\r\n\r\n'],
    [
      'two lengths',
      'POST /api/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    ],
    [
      'a length and chunks',
      'POST /api/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a space before the colon', 'GET /api/ledger HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['what is no HTTP', 'hello\r\n\r\n'],
    ['headers of 20 KB', `GET /api/ledger HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('%s is refused with a 4xx and the connection closed', async (_, sent) => {
    const received = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(sent, 'latin1'));
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString())).on('close', () => resolve(answer));
      socket.on('error', reject);
    });
    expect(received).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

describe('whatever a client sends', () => {
  /** Values that have broken services before, among any that JSON can hold. */
  const nasty = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom<unknown>(
      'a\u0000b',
      '\ud800',
      '',
      ' ',
      '\u202eabc',
      'x'.repeat(300),
      '😀'.repeat(101),
      "' OR 1=1 --",
      '${jndi:x}',
      0,
      -0,
      -1,
      0.1,
      1e-7,
      1e21,
      1e308,
      Number.MAX_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER + 2,
      2_147_483_648,
      true,
      false,
      null,
      [],
      {},
      [[]],
      [null],
      { length: 1e9 },
      { toString: null },
      { then: 1 },
      { constructor: 1 },
      '2026-02-30',
      '9999-12-31T23:59:59-23:59',
      '0000-01-01',
      '+275760-09-13',
      'İ@example.com',
      'ß@EXAMPLE.com',
    ),
  );

  it.each(POSTS)(
    'to POST %s is never answered 5xx, and always in its envelope',
    async (path, envelope, who, sound) => {
      const fields = Object.keys(sound());
      const data = Object.keys(chargeBody('')['data'] as object);
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(fc.constantFrom(...fields), nasty, { maxKeys: 3 }),
          fc.dictionary(fc.constantFrom(...data), nasty, { maxKeys: 2 }),
          fc.constantFrom<string[]>([], ['amount'], ...fields.map((field) => [field])),
          async (changes, inData, dropped) => {
            const body: Record<string, unknown> = { ...sound(), ...changes };
            if (path === '/api/webhooks' && !('data' in changes)) {
              body['data'] = { ...(body['data'] as object), ...inData };
            }
            for (const field of dropped) Reflect.deleteProperty(body, field);
            const answer = await service.post(path, { ...who(), body });
            expect(answer.status).toBeLessThan(500);
            if (answer.status < 300) return;
            const keys = { status: 'status', success: 'success', error: 'error' }[envelope];
            expect(answer.body).toHaveProperty(keys);
          },
        ),
        { numRuns: 80 },
      );
    },
  );

  it.each(POSTS)('as raw bytes to POST %s is never answered 5xx', async (path, _, who) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 60 }), async (bytes) => {
        const answer = await service.post(path, { ...who(), body: Buffer.from(bytes) });
        expect(answer.status).toBe(400);
      }),
      { numRuns: 30 },
    );
  });

  it.each(GETS)('in the address and query of GET %s is never answered 5xx', async (path) => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.webPath({ size: 'small' }),
      fc.constantFrom('\u0000', '\ud800', '%', '%zz', "'", '-1', '1e9'),
    );
    const encode = (value: string) => {
      try {
        return encodeURIComponent(value);
      } catch {
        return '%ED%A0%80';
      }
    };
    await fc.assert(
      fc.asyncProperty(
        piece,
        fc.constantFrom('page', 'pageSize', 'limit', 'x', 'page[]'),
        piece,
        async (id, name, value) => {
          const at = `${path.replace(/ID|USER/, encode(id) || 'x')}?${name}=${encode(value)}`;
          const answer = await service.get(at, { token: wallet.owner.token });
          expect([at, answer.status < 500]).toEqual([at, true]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('in its headers is never answered 5xx', async () => {
    const value = fc.stringMatching(/^[\x20-\x7e]{0,60}$/);
    await fc.assert(
      fc.asyncProperty(value, value, value, async (key, idempotencyKey, authorization) => {
        const headers = { 'x-api-key': key, 'idempotency-key': idempotencyKey, authorization };
        const paid = await service.post('/api/payment-intent', { body: paymentBody(), headers });
        const read = await service.get('/api/ledger', { headers });
        expect([paid.status, read.status]).toEqual([401, 401]);
      }),
      { numRuns: 40 },
    );
  });
});
