import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ENVELOPES, type Envelope, GETS, POSTS, text } from '../support/envelopes.js';
import { brokenInvariants } from '../support/invariants.js';
import { type Answer, type CreatedWallet, startService, type TestService } from '../support/service.js';

const KIB_64 = 64 * 1024;

let service: TestService;
let wallet: CreatedWallet;
beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(1_000_000);
});
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await service.close();
  expect(broken).toEqual({});
});

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
    service.post(path, { ...who(wallet), body, headers });
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
    const just = JSON.stringify({ ...sound(wallet), x: 0 }).replace(
      '"x":0',
      `"x":${'['.repeat(31)}${']'.repeat(31)}`,
    );
    expect((await send(just)).status).toBeLessThan(300);
  });

  it('brackets within a text without counting them', async () => {
    const answer = await send({ ...sound(wallet), x: `\\"${'['.repeat(100)}` });
    expect(answer.status).toBeLessThan(300);
  });

  it('a body of 64 KiB as any other, and one byte more with 413', async () => {
    const padded = (length: number) => {
      const body = JSON.stringify({ ...sound(wallet), pad: '' });
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
        await send(JSON.stringify(sound(wallet)), { 'content-type': type }),
        envelope,
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      );
    }
    expectRefusal(
      await send(JSON.stringify(sound(wallet)), { 'content-encoding': 'gzip' }),
      envelope,
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
    for (const type of [
      'application/json;charset=UTF-8',
      'application/json; charset="utf-8"',
      'Application/JSON',
    ]) {
      expect((await send(JSON.stringify(sound(wallet)), { 'content-type': type })).status).toBeLessThan(300);
    }
  });

  it('another method with 405 and the ones it takes in Allow', async () => {
    const { path: at } = { path };
    // One address is also read.
    const reads = path === '/api/payment-intent' ? ['GET', 'HEAD'] : [];
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'].filter((each) => !reads.includes(each))) {
      const answer = await service.call(method, at, who(wallet));
      expectRefusal(answer, envelope, 405, 'METHOD_NOT_ALLOWED');
      expect(String(answer.headers['allow']).split(', ').sort()).toEqual([...reads, 'POST']);
    }
  });

  it('an unknown address below it with 404', async () => {
    for (const at of [`${path}/x/y`, `${path}/x/y?z`, `${path}x/${randomUUID()}`]) {
      const answer = await service.post(at, { ...who(wallet), body: sound(wallet) });
      expect([answer.status, answer.text.includes('NOT_FOUND')]).toEqual([404, true]);
    }
    expectRefusal(await service.post(`${path}/x/y`, who(wallet)), envelope, 404, 'NOT_FOUND');
  });

  it('a good request in which an unknown field names a constructor, as without it', async () => {
    for (const constructor of [1, null, 'Array', {}, [], { name: 'Map' }]) {
      for (const x of [
        { constructor },
        [{ constructor }],
        { deep: { constructor } },
        { then: { constructor } },
      ]) {
        expect((await send({ ...sound(wallet), x })).status).toBeLessThan(300);
      }
      expect((await send({ ...sound(wallet), constructor })).status).toBeLessThan(300);
    }
  });

  it('a field that holds an object or a list in place of its value with 400, whatever that names', async () => {
    const [field = ''] = Object.keys(sound(wallet));
    for (const value of [
      { constructor: 1 },
      { toString: 1, valueOf: 1 },
      { length: 1e9 },
      [[]],
      [{ constructor: 1 }],
    ]) {
      const { status } = await send({ ...sound(wallet), [field]: value });
      expect([value, status]).toEqual([value, 400]);
    }
  });

  it('a good request by its last value, when a key is named twice', async () => {
    const body = JSON.stringify(sound(wallet));
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
    ['/api/wallet/nothing', 'error'],
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

  it.each([
    ['malformed JSON', '{', {}],
    ['no UTF-8', Buffer.from([0xff]), {}],
    ['a compressed body', '{}', { 'content-encoding': 'gzip' }],
    ['no JSON', 'hello', { 'content-type': 'text/plain' }],
    ['a content type that can not be read', '{}', { 'content-type': '/' }],
  ])('that no route takes is 404 or 405 also with %s', async (_, body, headers) => {
    const post = (path: string, method = 'POST') => service.call(method, path, { body, headers });
    expectRefusal(await post('/nothing'), 'error', 404, 'NOT_FOUND');
    expectRefusal(await post('/v1/auth/nothing'), 'status', 404, 'NOT_FOUND');
    const wrong = await post('/api/payment-intent', 'PUT');
    expectRefusal(wrong, 'success', 405, 'METHOD_NOT_ALLOWED');
    expect(wrong.headers['allow']).toBe('GET, HEAD, POST');
  });

  it('that no route takes is 413 with a body that is too large', async () => {
    const body = 'x'.repeat(KIB_64 + 1);
    expectRefusal(await service.post('/nothing', { body }), 'error', 413, 'PAYLOAD_TOO_LARGE');
    const wrong = await service.call('PUT', '/api/payment-intent', { body });
    expectRefusal(wrong, 'success', 413, 'PAYLOAD_TOO_LARGE');
  });

  it('that is validly encoded nowhere is 400, whatever the body', async () => {
    expectRefusal(await service.post('/%zz', { body: '{' }), 'error', 400, 'VALIDATION_ERROR', 'path');
  });

  it('is 404 or 405 to the method QUERY without a body', async () => {
    expectRefusal(await service.call('QUERY', '/nothing'), 'error', 404, 'NOT_FOUND');
    const wrong = await service.call('QUERY', '/api/payment-intent');
    expectRefusal(wrong, 'success', 405, 'METHOD_NOT_ALLOWED');
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
