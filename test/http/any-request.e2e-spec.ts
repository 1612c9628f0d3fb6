import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter, webPath } from '../support/any-text.js';
import { GETS, POSTS } from '../support/envelopes.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  chargeBody,
  type CreatedWallet,
  paymentBody,
  startService,
  type TestService,
} from '../support/service.js';
import { exchange } from '../support/raw-http.js';

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

describe('a body of chunks without a byte', () => {
  const logOut = async (type: string, chunks: string): Promise<string> => {
    const { token } = await service.signUp();
    const head = `POST /v1/auth/logout HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${token}\r\n`;
    return exchange(port, `${head}${type}transfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  };

  it.each(['', 'content-type: text/plain\r\n', 'content-type: application/json\r\n'])(
    'is no body, with the headers %j',
    async (type) => expect(await logOut(type, '')).toMatch(/^HTTP\/1\.1 200 /),
  );

  it.each(['', 'content-type: text/plain\r\n'])('is one with a byte, and not read: %j', async (type) => {
    const answer = await logOut(type, '1\r\nx\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect(answer).toContain('UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('whatever a client sends', () => {
  /** Values that have broken services before, among any that JSON can hold. */
  const nasty = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: anyCharacter, maxLength: 30 }),
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
      const fields = Object.keys(sound(wallet));
      const data = Object.keys(chargeBody('')['data'] as object);
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(fc.constantFrom(...fields), nasty, { maxKeys: 3 }),
          fc.dictionary(fc.constantFrom(...data), nasty, { maxKeys: 2 }),
          fc.constantFrom<string[]>([], ['amount'], ...fields.map((field) => [field])),
          async (changes, inData, dropped) => {
            const body: Record<string, unknown> = { ...sound(wallet), ...changes };
            if (path === '/api/webhooks' && !('data' in changes)) {
              body['data'] = { ...(body['data'] as object), ...inData };
            }
            for (const field of dropped) Reflect.deleteProperty(body, field);
            const answer = await service.post(path, { ...who(wallet), body });
            expect(answer.status).toBeLessThan(500);
            if (answer.status < 300) return;
            const keys = { status: 'status', success: 'success', error: 'error' }[envelope];
            expect(answer.body).toHaveProperty(keys);
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it.each(POSTS)('as raw bytes to POST %s is never answered 5xx', async (path, _, who) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 60 }), async (bytes) => {
        const answer = await service.post(path, { ...who(wallet), body: Buffer.from(bytes) });
        expect(answer.status).toBe(400);
      }),
      { numRuns: 30 },
    );
  });

  it.each(GETS)('in the address and query of GET %s is never answered 5xx', async (path) => {
    const piece = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      webPath,
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
