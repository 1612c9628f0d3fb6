import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pause, retryingFetch, type RetryOptions } from './retry.js';

type Try = Response | Error | 'hangs';

/** Answers each try in turn with what is scripted, and notes what was sent and for how long it was paused. */
function scripted(tries: readonly Try[], options: RetryOptions = {}, random = 1) {
  const sent: Request[] = [];
  const pauses: number[] = [];
  const ask = retryingFetch(options, {
    fetch: (input, init) => {
      const request = input as Request;
      sent.push(request);
      const next = tries[Math.min(sent.length, tries.length) - 1];
      if (next === 'hangs') {
        return new Promise((_, reject) =>
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)),
        );
      }
      return next instanceof Error ? Promise.reject(next) : Promise.resolve((next as Response).clone());
    },
    pause: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
    random: () => random,
  });
  return { ask, sent, pauses };
}

const GET = new Request('http://wallet.test/api/wallet');
const post = (headers: Record<string, string> = {}, path = '/api/payment-intent') =>
  new Request(`http://wallet.test${path}`, { method: 'POST', body: '{"amount":1}', headers });
const keyed = () => post({ 'idempotency-key': 'order-1843' });
const status = (code: number, headers: Record<string, string> = {}) =>
  new Response('{}', { status: code, headers });
const LOST = new TypeError('fetch failed');

describe('a request that is safe to repeat', () => {
  it('is repeated until it is answered, with the same key and body', async () => {
    const { ask, sent } = scripted([LOST, status(503), status(500), status(201)]);
    expect((await ask(keyed())).status).toBe(201);
    expect(sent).toHaveLength(4);
    for (const request of sent) {
      expect(request.headers.get('idempotency-key')).toBe('order-1843');
      expect(await request.text()).toBe('{"amount":1}');
    }
  });

  it.each([408, 429, 500, 502, 503, 504])('is repeated after %i', async (code) => {
    const { ask, sent } = scripted([status(code), status(200)]);
    expect((await ask(GET)).status).toBe(200);
    expect(sent).toHaveLength(2);
  });

  it.each([400, 401, 402, 403, 404, 409, 422])('is not repeated after %i', async (code) => {
    const { ask, sent } = scripted([status(code), status(200)]);
    expect((await ask(keyed())).status).toBe(code);
    expect(sent).toHaveLength(1);
  });

  it('is given up after its retries, with the last answer or the last failure', async () => {
    const answered = scripted([status(503)], { retriesMax: 2 });
    expect((await answered.ask(GET)).status).toBe(503);
    expect(answered.sent).toHaveLength(3);
    const lost = scripted([LOST], { retriesMax: 2 });
    await expect(lost.ask(GET)).rejects.toBe(LOST);
    expect(lost.sent).toHaveLength(3);
  });

  it('is repeated when its answer breaks off or takes too long', async () => {
    const broken = new Response(
      new ReadableStream({
        pull: (controller) => controller.error(new TypeError('terminated')),
      }),
    );
    const brokenOff = scripted([broken, status(200)]);
    expect((await brokenOff.ask(GET)).status).toBe(200);
    expect(brokenOff.sent).toHaveLength(2);
    const slow = scripted(['hangs', status(200)], { timeoutMs: 10 });
    expect((await slow.ask(GET)).status).toBe(200);
    expect(slow.sent).toHaveLength(2);
  });

  it('reads that travel by POST need no key', async () => {
    for (const path of ['/api/payment-intent/quote', '/v1/accounts/resolve']) {
      const { ask, sent } = scripted([LOST, status(200)]);
      await ask(post({}, path));
      expect(sent).toHaveLength(2);
    }
  });
});

it('a payment without a key is sent once', async () => {
  for (const outcome of [LOST, status(503)]) {
    const { ask, sent } = scripted([outcome, status(201)]);
    await ask(post()).catch(() => undefined);
    expect(sent).toHaveLength(1);
  }
});

describe('the pause before the next try', () => {
  it('is random below a bound that doubles up to the longest', async () => {
    const options = { retriesMax: 5, backoffMs: 100, backoffMsMax: 500 };
    const longest = scripted([LOST], options, 1);
    await longest.ask(GET).catch(() => undefined);
    expect(longest.pauses).toEqual([100, 200, 400, 500, 500]);
    const shortest = scripted([LOST], options, 0);
    await shortest.ask(GET).catch(() => undefined);
    expect(shortest.pauses).toEqual([0, 0, 0, 0, 0]);
  });

  it('is as long as Retry-After asks, and when that is too long there is no next try', async () => {
    const patient = scripted([status(503, { 'retry-after': '2' }), status(200)], { backoffMsMax: 2_000 });
    expect((await patient.ask(GET)).status).toBe(200);
    expect(patient.pauses).toEqual([2_000]);
    const minute = scripted([status(503, { 'retry-after': '60' }), status(200)], { backoffMsMax: 60_000 });
    expect([(await minute.ask(GET)).status, minute.pauses]).toEqual([200, [60_000]]);
    const tooLong = scripted([status(429, { 'retry-after': '3' }), status(200)], { backoffMsMax: 2_000 });
    expect((await tooLong.ask(GET)).status).toBe(429);
    expect(tooLong.sent).toHaveLength(1);
  });

  it.each(['999999', '1000000', '9'.repeat(400)])(
    'is too long where Retry-After asks for %s',
    async (asked) => {
      const answer = scripted([status(503, { 'retry-after': asked }), status(200)], {});
      expect((await answer.ask(GET)).status).toBe(503);
      expect(answer.sent).toHaveLength(1);
    },
  );
});

it('hands an answer on that has no body', async () => {
  const { ask } = scripted([new Response(null, { status: 204 })]);
  const { status: code, body } = await ask(GET);
  expect([code, body]).toEqual([204, null]);
});

it('ends at once when the caller gives up, in a try and in a pause', async () => {
  const gone = new AbortController();
  const { ask, sent } = scripted(['hangs', status(200)]);
  const answer = ask(new Request(GET, { signal: gone.signal }));
  gone.abort();
  await expect(answer).rejects.toThrow();
  expect(sent.length).toBeLessThanOrEqual(1);
  await expect(pause(60_000, gone.signal)).rejects.toThrow();
  const later = new AbortController();
  const paused = pause(60_000, later.signal);
  later.abort(new Error('enough'));
  await expect(paused).rejects.toThrow('enough');
});

describe('while memory is collected', () => {
  let collect: () => void;
  let server: Server;
  beforeAll(async () => {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
    server = createServer(({ url }, response) => {
      if (url === '/half') response.writeHead(200).write('{');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** While a try is under way. */
  const collectTwice = async () => {
    for (let i = 0; i < 2; i += 1) {
      await new Promise((done) => setTimeout(done, 50));
      collect();
    }
  };

  it.each(['silent', 'half'])('a try ends in its time and with its caller: %s', async (path) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;
    const ask = (timeoutMs: number, signal: AbortSignal) =>
      retryingFetch(
        { retriesMax: 0, timeoutMs },
        { fetch, pause, random: () => 0 },
      )(new Request(url, { signal }));
    const caller = new AbortController();
    const inTime = expect(ask(500, caller.signal)).rejects.toMatchObject({ name: 'TimeoutError' });
    await collectTwice();
    await inTime;
    const given = expect(ask(60_000, caller.signal)).rejects.toMatchObject({ name: 'AbortError' });
    await collectTwice();
    caller.abort();
    await given;
  });
});
